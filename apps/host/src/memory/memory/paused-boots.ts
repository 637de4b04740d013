import path from 'node:path'
import type { RescueRequest } from '@threadbox/protocol/guest'
import type { DemotedSandbox, FileChanges, HostInfo, HostSandbox, WokenSandbox } from '@threadbox/protocol/host'
import type { HostEvents } from '../../machine/events/host-events.ts'
import type { StoredSandbox } from '../../machine/state/sandboxes.store.ts'
import { demoteBoot } from './demote.ts'
import type { SandboxBoot } from './memory-steps.ts'
import { describePause, imageName, type PauseOptions, type PauseOutcome, pauseBoot } from './pause.ts'
import { makeQuietLooks } from './quiet-looks.ts'
import { type Reclaimed, type ReclaimMemoryPorts, reclaimMemory, removeLeftOverImages } from './reclaim-memory.ts'
import { dropMemory, wakeBoot } from './wake.ts'

/**
 * Boots whose memory is saved: how they get there and how they come back. The caller sees to it that one thing at a time
 * is done with a sandbox.
 */
export type PausedBoots = {
  pause(options: PauseOptions): Promise<PauseOutcome>
  /** What the pause of a paused boot was. */
  describePause(options: SandboxBoot): Promise<PauseOutcome>
  wake(options: SandboxBoot): Promise<Omit<WokenSandbox, 'sandbox'>>
  demote(options: SandboxBoot & { budgets: RescueRequest }): Promise<Omit<DemotedSandbox, 'sandbox'>>
  /** Ends a paused boot without waking it. */
  drop(options: SandboxBoot & { detail: string }): Promise<void>
  /** Gives up the frozen copy of a sandbox, if it has one. */
  dropFrozen(sandboxId: string): Promise<void>
  fileChanges(sandbox: StoredSandbox): Promise<FileChanges>
  /** Gives a disk that was lost the content of its last pause or demotion; the moment, or undefined: there is none. */
  restoreDisk(sandbox: StoredSandbox): Promise<number | undefined>
  /** What the disk contains now is what a lost disk gets back, and no earlier content. */
  markPoint(sandbox: StoredSandbox): Promise<void>
  /** What the disk of a paused boot contains now is what its memory goes on over: it was changed while nothing ran. */
  acceptDisk(sandbox: StoredSandbox): Promise<void>
  /** The files of the image of a paused boot. */
  imageOf(sandbox: StoredSandbox): Promise<{ directory: string; bytes: number } | undefined>
  /** Removes what the disk contained at earlier pauses. */
  forgetPauses(sandbox: StoredSandbox): Promise<void>
  /** Where the files of a sandbox can be read as they were when it was paused; undefined: nowhere. */
  pausedDiskPath(sandbox: StoredSandbox): Promise<string | undefined>
  present(options: SandboxBoot): Promise<HostSandbox['paused']>
  usage(): Promise<MemoryUsage>
  reclaim(options: SandboxBoot): Promise<Reclaimed>
  removeLeftOvers(): Promise<void>
  /** Resolves when nothing is removed in the background any more. */
  settled(): Promise<void>
  /** Says so when images take more than they may. */
  tellBudget(): Promise<void>
}

/** Pausing, waking and demoting need what each of them names, and these beside. */
type PausedBootsPorts = ReclaimMemoryPorts & {
  events: HostEvents
  /** What memory images may take together before the server is asked to give some up. */
  imageBudgetBytes: () => Promise<number>
  keepsFrozen: boolean
}

type MemoryUsage = Pick<HostInfo, 'frozenSandboxes' | 'frozenBytes' | 'memoryImageBytes' | 'memoryImageBudgetBytes'>

export function makePausedBoots(ports: PausedBootsPorts): PausedBoots {
  const { frozen, images, points, imageBudgetBytes } = ports
  const looks = makeQuietLooks()
  const imageBytes = async () => (await images.list()).reduce((sum, { bytes }) => sum + bytes, 0)
  const dropFrozen = async (sandboxId: string) => {
    const copy = await frozen.take(sandboxId)
    if (copy !== undefined) await frozen.evict(copy)
  }
  const tellBudget = async () => {
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
      await tellBudget()
      return outcome
    },
    describePause: (options) => describePause(ports, options),
    wake: (options) => looks.waking(() => wakeBoot(ports, options)),
    demote: (options) => demoteBoot(ports, options),
    drop: (options) => dropMemory(ports, { ...options, cause: 'stopped' }),
    dropFrozen,
    fileChanges: (sandbox) => looks.look(() => points.changes(sandbox)),
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
      if (!isAsleep(boot)) return null
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
    tellBudget,
  }
}

/** Nobody is led to a boot in these states: it sleeps, or is just being woken. */
export function isAsleep({ state }: SandboxBoot['boot']): boolean {
  return state === 'paused' || state === 'waking' || state === 'demoting'
}
