import path from 'node:path'
import type { RescueRequest } from '@threadbox/protocol/guest'
import type { DemotedSandbox, FileChanges, HostInfo, HostSandbox, WokenSandbox } from '@threadbox/protocol/host'
import type { HostEvents } from '../../machine/events/host-events.ts'
import type { StoredSandbox } from '../../machine/state/sandboxes.store.ts'
import { demoteBoot } from './demote.ts'
import type { SandboxBoot } from './memory-steps.ts'
import { describePause, imageName, type PauseOptions, type PauseOutcome, pauseBoot } from './pause.ts'
import { makeBackgroundDiskReads } from './quiet-looks.ts'
import {
  type LeftOverPorts,
  type Reclaimed,
  type ReclaimMemoryPorts,
  reclaimMemory,
  removeLeftOverImages,
} from './reclaim-memory.ts'
import { dropMemory, resumePausedBoot } from './wake.ts'

/**
 * Boots whose memory is saved: pausing and waking them. The caller ensures that only one operation at a time runs on a
 * sandbox.
 */
export type PausedBoots = {
  pause(options: PauseOptions): Promise<PauseOutcome>
  /** Describes the pause of a paused boot. */
  describePause(options: SandboxBoot): Promise<PauseOutcome>
  wake(options: SandboxBoot): Promise<Omit<WokenSandbox, 'sandbox'>>
  demote(options: SandboxBoot & { budgets: RescueRequest }): Promise<Omit<DemotedSandbox, 'sandbox'>>
  /** Ends a paused boot without waking it. */
  drop(options: SandboxBoot & { detail: string }): Promise<void>
  /** Evicts the frozen copy of a sandbox, if it has one. */
  dropFrozen(sandboxId: string): Promise<void>
  fileChanges(sandbox: StoredSandbox): Promise<FileChanges>
  /** Restores a lost disk to its last pause or demotion; returns that time, or undefined if none exists. */
  restoreDisk(sandbox: StoredSandbox): Promise<number | undefined>
  /** Makes the current content of the disk the one that a lost disk is restored to. */
  markPoint(sandbox: StoredSandbox): Promise<void>
  /**
   * Makes the current content of a paused boot's disk the one that its memory fits: it was changed while nothing ran.
   */
  acceptDisk(sandbox: StoredSandbox): Promise<void>
  /** The image files of a paused boot. */
  imageOf(sandbox: StoredSandbox): Promise<{ directory: string; bytes: number } | undefined>
  /** Removes the disk contents of earlier pauses. */
  forgetPauses(sandbox: StoredSandbox): Promise<void>
  /** Path of a sandbox's files at its pause; undefined if it has none. */
  pausedDiskPath(sandbox: StoredSandbox): Promise<string | undefined>
  present(options: SandboxBoot): Promise<HostSandbox['paused']>
  usage(): Promise<MemoryUsage>
  reclaim(options: SandboxBoot): Promise<Reclaimed>
  removeLeftOvers(): Promise<void>
  /** Resolves when no removal is running in the background. */
  settled(): Promise<void>
  /** Emits an event if images exceed their budget. */
  reportBudgetExceeded(): Promise<void>
}

/** Pausing, waking and demoting need what each of them names, and these. */
type PausedBootsPorts = ReclaimMemoryPorts &
  LeftOverPorts & {
    events: HostEvents
    /** Total size of memory images above which the server is asked to discard some. */
    imageBudgetBytes: () => Promise<number>
    keepsFrozen: boolean
  }

type MemoryUsage = Pick<HostInfo, 'frozenSandboxes' | 'frozenBytes' | 'memoryImageBytes' | 'memoryImageBudgetBytes'>

export function makePausedBoots(ports: PausedBootsPorts): PausedBoots {
  const { frozen, images, points, imageBudgetBytes } = ports
  const diskReads = makeBackgroundDiskReads()
  const imageBytes = async () => (await images.list()).reduce((sum, { bytes }) => sum + bytes, 0)
  const dropFrozen = async (sandboxId: string) => {
    const copy = await frozen.take(sandboxId)
    if (copy !== undefined) await frozen.evict(copy)
  }
  const reportBudgetExceeded = async () => {
    const [usedBytes, budgetBytes] = [await imageBytes(), await imageBudgetBytes()]
    if (usedBytes > budgetBytes) ports.events.emit({ type: 'memory-budget', usedBytes, budgetBytes })
  }
  const keepOrDrop = async (sandboxId: string) => {
    if (!ports.keepsFrozen) await dropFrozen(sandboxId)
  }
  return {
    pause: async (options) => {
      const outcome = await pauseBoot(ports, options)
      await keepOrDrop(options.sandbox.sandboxId)
      await reportBudgetExceeded()
      return outcome
    },
    describePause: (options) => describePause(ports, options),
    wake: (options) => diskReads.waking(() => resumePausedBoot(ports, options)),
    demote: (options) => demoteBoot(ports, options),
    drop: (options) => dropMemory(ports, { ...options, cause: 'stopped' }),
    dropFrozen,
    fileChanges: (sandbox) => diskReads.run(() => points.changes(sandbox)),
    restoreDisk: (sandbox) => points.restore(sandbox),
    markPoint: async (sandbox) => {
      const snapshotId = ports.launch.randomBytes(10).toString('hex')
      await points.replace(sandbox, { snapshotId, at: ports.launch.clock() })
      points.dropEarlier(sandbox)
    },
    acceptDisk: async ({ sandboxId, placeId }) => {
      const image = await images.find(sandboxId)
      if (image === undefined) return
      const diskGeneration = await ports.disks.diskGeneration(placeId)
      await images.setDiskGeneration({ imageId: image.imageId, diskGeneration })
    },
    imageOf: async ({ sandboxId, placeId }) => {
      const image = await images.find(sandboxId)
      if (image?.phase !== 'ready') return undefined
      const { path: place } = await ports.disks.makeMemoryPlace({ diskId: placeId, imageId: image.imageId })
      return { directory: path.join(place, imageName), bytes: image.bytes }
    },
    forgetPauses: (sandbox) => points.forget(sandbox),
    pausedDiskPath: (sandbox) => points.pathOf(sandbox),
    present: async ({ sandbox, boot }) => {
      if (!isBootAsleep(boot)) return null
      const image = await images.find(sandbox.sandboxId)
      const isFrozen = frozen.has(sandbox.sandboxId)
      return { at: image?.createdAt ?? boot.startedAt, imageBytes: image?.bytes ?? 0, isFrozen }
    },
    usage: async () => ({
      frozenSandboxes: frozen.count(),
      frozenBytes: await frozen.bytes(),
      memoryImageBytes: await imageBytes(),
      memoryImageBudgetBytes: await imageBudgetBytes(),
    }),
    reclaim: async (options) => {
      const reclaimed = await reclaimMemory(ports, options)
      if (reclaimed === 'paused') await keepOrDrop(options.sandbox.sandboxId)
      return reclaimed
    },
    removeLeftOvers: () => removeLeftOverImages(ports),
    settled: () => points.dropped(),
    reportBudgetExceeded,
  }
}

/** True for states in which no request reaches the boot: it is asleep, or is being woken. */
export function isBootAsleep({ state }: SandboxBoot['boot']): boolean {
  return state === 'paused' || state === 'waking' || state === 'demoting'
}
