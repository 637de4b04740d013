import type { SandboxLimits } from '@threadbox/domain'
import type { ForkedSandbox, HostSandbox } from '@threadbox/protocol/host'
import { canSaveMemory } from '@threadbox/sandbox-driver'
import type { AddressBook } from '../../machine/network/address-book.ts'
import type { ForksStore } from '../../machine/state/forks.store.ts'
import type { SandboxesStore, StoredSandbox } from '../../machine/state/sandboxes.store.ts'
import { afterFirstCommand } from '../../memory/memory/memory-steps.ts'
import { makeStopwatch } from '../../memory/memory/stopwatch.ts'
import type { ForkPorts } from './fork-content.ts'
import { forkSandbox } from './fork-sandbox.ts'

export type WantedFork = {
  source: StoredSandbox
  snapshotId: string | undefined
  sandboxId: string
  bootId: string
  hostname: string
  limits: SandboxLimits
  egress: HostSandbox['egress']
  manifestKey: string | null
}

/**
 * Sandboxes that begin as copies of others. The row of a fork says that it is being made until it is; after a crash the
 * next start removes what exists of it and lets its source continue. The caller holds the locks of both.
 */
export type Forks = {
  /** Throws after it has passed everything of the fork to `undo`. */
  make(wanted: WantedFork, undo: (fork: StoredSandbox) => Promise<void>): Promise<Omit<ForkedSandbox, 'sandbox'>>
  isBeingMade(sandboxId: string): Promise<boolean>
  /**
   * Lets sources continue that were frozen when the last daemon ended, and marks their half-made forks for deletion.
   */
  reclaim(): Promise<void>
}

export function makeForks(
  ports: ForkPorts & { store: ForksStore; sandboxes: SandboxesStore; addresses: AddressBook; signal: AbortSignal },
): Forks {
  const { store, sandboxes, disks, logger } = ports
  /** Not awaited: it is never read again, and the next start of the daemon repeats this. */
  const removeImage = (place: { diskId: string; imageId: string }) => {
    afterFirstCommand(ports.signal)
      .then((isTime) => (isTime ? disks.deleteMemoryPlace(place) : undefined))
      .catch((error: unknown) => logger.warn({ err: error, ...place }, 'the memory of a fork is still there'))
  }
  return {
    isBeingMade: async (sandboxId) => (await store.find(sandboxId)) !== undefined,
    make: async (wanted, undo) => {
      const watch = makeStopwatch()
      const { source, sandboxId, bootId, hostname } = wanted
      const sourceBoot = await ports.boots.current(source.sandboxId)
      const fork = await ports.addresses.assign(async (address) => {
        const { limits, egress, manifestKey } = wanted
        const row = {
          sandboxId,
          placeId: sandboxId,
          hostname,
          imageId: source.imageId,
          limits,
          egress,
          address,
          manifestKey,
        }
        const own = { ...row, createdAt: ports.launch.clock(), isDeleting: false, isArchived: false }
        await sandboxes.insert(own, { sourceDriverBootId: sourceBoot?.driverBootId ?? null })
        return own
      })
      try {
        const { usedImageId, ...outcome } = await forkSandbox(ports, {
          source,
          sourceBoot,
          fork,
          bootId,
          hostname,
          snapshotId: wanted.snapshotId,
          watch,
        })
        if (usedImageId !== undefined) removeImage({ diskId: fork.placeId, imageId: usedImageId })
        const durationMs = watch.totalMs()
        const { from, stallMs } = outcome
        logger.info({ sandboxId, from, stallMs, ...watch.parts(), durationMs }, 'sandbox forked')
        return { ...outcome, durationMs }
      } catch (error) {
        await undo(fork)
        throw error
      }
    },
    reclaim: async () => {
      const { driver } = ports.launch
      for (const { sandboxId, sourceDriverBootId } of await store.list()) {
        const status = sourceDriverBootId === null ? undefined : await driver.inspect(sourceDriverBootId)
        const source = await sourceState(ports, sourceDriverBootId)
        if (canSaveMemory(driver) && status?.state === 'running' && source === 'ready') await driver.thaw(status.bootId)
        await sandboxes.markDeleting(sandboxId)
      }
    },
  }
}

/** A source that was paused stays paused. */
async function sourceState({ boots }: ForkPorts, driverBootId: string | null) {
  return (await boots.listCurrent()).find((boot) => boot.driverBootId === driverBootId)?.state
}
