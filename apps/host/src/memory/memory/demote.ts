import type { RescueReport, RescueRequest } from '@threadbox/protocol/guest'
import type { DemotedSandbox } from '@threadbox/protocol/host'
import { rescue } from '../../boots/launch/guest-requests.ts'
import { type MemoryParts, reasonOf, type SandboxBoot } from './memory-parts.ts'
import { makeStopwatch } from './stopwatch.ts'
import { asUnusable, dropMemory, reviveBoot } from './wake.ts'

/** A guest keeps to its budget; beyond this much more it hangs. */
const rescueGraceMs = 20_000

/**
 * Gives up the memory of a paused boot: woken for the host alone, what can be kept written to its disk by its guest,
 * ended. What cannot be kept is lost, and said to be. Throws only when there is no room to wake it: then it stays paused.
 */
export async function demoteBoot(
  parts: MemoryParts,
  options: SandboxBoot & { budgets: RescueRequest },
): Promise<Omit<DemotedSandbox, 'sandbox'>> {
  const { sandbox, boot } = options
  const { sandboxId, placeId } = sandbox
  const outcome = await rescueMemory(parts, options)
  const current = (await parts.boots.find(boot.bootId)) ?? boot
  await parts.launch.driver.stop(current.driverBootId)
  // Before its end is recorded: after that nobody would know that it is to be done.
  await openEgress(parts, sandbox)
  await parts.disks.syncDisk(placeId).catch((error: unknown) => {
    parts.logger.error({ err: error, sandboxId }, 'the disk of a sandbox that was given up cannot be synced')
  })
  const snapshotId = parts.launch.randomBytes(10).toString('hex')
  await parts.points.mark(sandbox, { snapshotId, at: parts.launch.clock() }).catch((error: unknown) => {
    parts.logger.warn({ err: error, sandboxId }, 'no pause point could be made of a sandbox that was given up')
  })
  parts.points.dropEarlier(sandbox)
  const detail = outcome.problem === '' ? 'Its memory was given up.' : `Its memory was lost: ${outcome.problem}`
  await dropMemory(parts, { sandbox, boot, cause: 'stopped', detail })
  return outcome
}

async function rescueMemory(
  parts: MemoryParts,
  options: SandboxBoot & { budgets: RescueRequest },
): Promise<{ rescue: RescueReport | null; problem: string }> {
  const { sandbox, budgets } = options
  try {
    const { boot } = await reviveBoot(parts, { ...options, state: 'demoting', watch: makeStopwatch() })
    const guest = { address: sandbox.address, accessToken: boot.accessToken, connections: new Set<never>() }
    const signal = AbortSignal.timeout(budgets.timeBudgetMs + rescueGraceMs)
    return { rescue: await rescue(guest, { budgets, signal }), problem: '' }
  } catch (error) {
    const { sandboxId } = sandbox
    const unusable = await asUnusable(parts, { sandboxId, error })
    if (unusable === undefined) throw error
    parts.logger.warn({ err: error, sandboxId, bootId: options.boot.bootId }, 'memory was given up unrescued')
    return { rescue: null, problem: reasonOf(error) }
  }
}

export async function openEgress(parts: Pick<MemoryParts, 'network'>, sandbox: SandboxBoot['sandbox']): Promise<void> {
  const { placeId: sandboxId, egress } = sandbox
  if ((await parts.network.list()).includes(sandboxId)) await parts.network.setEgress({ sandboxId, egress })
}
