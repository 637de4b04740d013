import type { ForkedSandbox } from '@threadbox/protocol/host'
import type { StoredBoot } from '../../machine/state/boots.store.ts'
import type { ForksStore } from '../../machine/state/forks.store.ts'
import type { StoredSandbox } from '../../machine/state/sandboxes.store.ts'
import { reasonOf } from '../../memory/memory/memory-steps.ts'
import { restoreFromMemory } from '../../memory/memory/saved-memory.ts'
import type { Stopwatch } from '../../memory/memory/stopwatch.ts'
import { copyContent, type ForkPorts } from './fork-content.ts'

/** How a fork was made, and what is left of that. */
export type MadeFork = Omit<ForkedSandbox, 'sandbox' | 'durationMs'> & { usedImageId: string | undefined }

export type ForkOrder = {
  source: StoredSandbox
  sourceBoot: StoredBoot | undefined
  /** Recorded, in a row that says that it is being made. */
  fork: StoredSandbox
  snapshotId: string | undefined
  bootId: string
  hostname: string
  watch: Stopwatch
}

/**
 * Makes the disk of a fork, starts it if fitting memory exists, and records durably that it is complete. If it throws, the
 * caller removes what was made of the fork, and the source keeps running.
 */
export async function forkSandbox(
  ports: ForkPorts & { store: Pick<ForksStore, 'finish' | 'remove'> },
  order: ForkOrder,
): Promise<MadeFork> {
  const { fork, source, sourceBoot, bootId, hostname, watch } = order
  const mayHaveMemory = sourceBoot !== undefined && order.snapshotId === undefined
  const attachment = mayHaveMemory ? watch.time('networkMs', ports.launch.attachments.obtainSilent(fork)) : undefined
  const [copied] = await Promise.allSettled([copyContent(ports, { ...order, boot: sourceBoot }), attachment])
  if (copied.status === 'rejected') throw copied.reason
  const content = copied.value
  const { memory, stallMs, ownImageId: usedImageId } = content
  const settled = watch.time('settleMs', ports.disks.commitDisk(fork.placeId))
  // Awaited below, after everything else.
  settled.catch(() => undefined)
  const withFiles = async (problem: string): Promise<MadeFork> => {
    await settled
    await ports.store.remove(fork.sandboxId)
    return { from: 'disk', problem, stallMs, usedImageId }
  }
  if (memory === undefined) return await withFiles(content.problem)
  const markReady = async () => {
    await settled
    await ports.store.finish({ sandboxId: fork.sandboxId, bootId })
  }
  try {
    await ports.launch.files.copySkills({ from: source.placeId, to: fork.placeId })
    await restoreFromMemory(ports, { sandbox: fork, bootId, hostname, memory, attachment, markReady, watch })
    return { from: 'memory', problem: '', stallMs, usedImageId }
  } catch (error) {
    // Memory is a cache: the disk is whole, and the fork starts from it.
    ports.logger.warn({ err: error, sandboxId: fork.sandboxId }, 'the memory of a fork cannot be used')
    return await withFiles(reasonOf(error))
  }
}
