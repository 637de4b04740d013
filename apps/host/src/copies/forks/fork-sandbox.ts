import type { ForkedSandbox } from '@threadbox/protocol/host'
import type { StoredBoot } from '../../machine/state/boots.store.ts'
import type { StoredSandbox } from '../../machine/state/sandboxes.store.ts'
import { reasonOf } from '../../memory/memory/memory-steps.ts'
import { restoreFromMemory } from '../../memory/memory/saved-memory.ts'
import type { Stopwatch } from '../../memory/memory/stopwatch.ts'
import { copyContent, type ForkPorts } from './fork-content.ts'

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
 * Makes the disk of a fork, and starts it if fitting memory exists. If it throws, the caller removes what was made of
 * the fork, and the source keeps running.
 */
export async function forkSandbox(
  ports: ForkPorts,
  order: ForkOrder,
): Promise<Omit<ForkedSandbox, 'sandbox' | 'durationMs'>> {
  const { fork, source, sourceBoot, bootId, hostname, watch } = order
  const mayHaveMemory = sourceBoot !== undefined && order.snapshotId === undefined
  const attachment = mayHaveMemory ? watch.time('networkMs', ports.launch.attachments.obtainSilent(fork)) : undefined
  const [copied] = await Promise.allSettled([copyContent(ports, { ...order, boot: sourceBoot }), attachment])
  if (copied.status === 'rejected') throw copied.reason
  const content = copied.value
  const { memory, stallMs } = content
  if (memory === undefined) return { from: 'disk', problem: content.problem, stallMs }
  try {
    await ports.launch.files.copySkills({ from: source.placeId, to: fork.placeId })
    await restoreFromMemory(ports, { sandbox: fork, bootId, hostname, memory, attachment, watch })
    return { from: 'memory', problem: '', stallMs }
  } catch (error) {
    // Memory is a cache: the disk is whole, and the fork starts from it.
    ports.logger.warn({ err: error, sandboxId: fork.sandboxId }, 'the memory of a fork cannot be used')
    return { from: 'disk', problem: reasonOf(error), stallMs }
  }
}
