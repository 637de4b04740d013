import type { RescueReport, RescueRequest } from '@threadbox/protocol/guest'
import type { DemotedSandbox } from '@threadbox/protocol/host'
import { reasonOf, type SandboxBoot } from './memory-steps.ts'
import { makeStopwatch } from './stopwatch.ts'
import { asUnusable, dropMemory, reviveBoot, type WakePorts } from './wake.ts'

/** A guest keeps to its budget; one that exceeds it by this much hangs. */
const rescueGraceMs = 20_000

/**
 * Discards the memory of a paused boot: wakes it for the host alone, has its guest save what can be kept to its disk,
 * and ends it. What cannot be kept is lost, and reported as lost. Throws only if memory to wake it is short: then it
 * stays paused.
 */
export async function demoteBoot(
  ports: WakePorts,
  options: SandboxBoot & { budgets: RescueRequest },
): Promise<Omit<DemotedSandbox, 'sandbox'>> {
  const { sandbox, boot } = options
  const { sandboxId, placeId } = sandbox
  const outcome = await rescueMemory(ports, options)
  const current = (await ports.boots.find(boot.bootId)) ?? boot
  await ports.launch.driver.stop(current.driverBootId)
  // Before its end is recorded: after that, a restart would not know that it is still to be done.
  await openEgress(ports, sandbox)
  await ports.disks.syncDisk(placeId).catch((error: unknown) => {
    ports.logger.error({ err: error, sandboxId }, 'the disk of a sandbox whose memory was discarded cannot be synced')
  })
  const snapshotId = ports.launch.randomBytes(10).toString('hex')
  await ports.points.mark(sandbox, { snapshotId, at: ports.launch.clock() }).catch((error: unknown) => {
    ports.logger.warn({ err: error, sandboxId }, 'no pause point could be made of a sandbox whose memory was discarded')
  })
  ports.points.dropEarlier(sandbox)
  const detail = outcome.problem === '' ? 'Its memory was discarded.' : `Its memory was lost: ${outcome.problem}`
  await dropMemory(ports, { sandbox, boot, cause: 'stopped', detail })
  return outcome
}

async function rescueMemory(
  ports: WakePorts,
  options: SandboxBoot & { budgets: RescueRequest },
): Promise<{ rescue: RescueReport | null; problem: string }> {
  const { sandbox, budgets } = options
  try {
    const { boot } = await reviveBoot(ports, { ...options, state: 'demoting', watch: makeStopwatch() })
    const guest = { address: sandbox.address, accessToken: boot.accessToken }
    const signal = AbortSignal.timeout(budgets.timeBudgetMs + rescueGraceMs)
    return { rescue: await ports.launch.gateway.rescue({ guest, budgets }, signal), problem: '' }
  } catch (error) {
    const { sandboxId } = sandbox
    const unusable = await asUnusable(ports, { sandboxId, error })
    if (unusable === undefined) throw error
    ports.logger.warn({ err: error, sandboxId, bootId: options.boot.bootId }, 'memory was discarded without a rescue')
    return { rescue: null, problem: reasonOf(error) }
  }
}

export async function openEgress(ports: Pick<WakePorts, 'network'>, sandbox: SandboxBoot['sandbox']): Promise<void> {
  const { placeId: sandboxId, egress } = sandbox
  if ((await ports.network.list()).includes(sandboxId)) await ports.network.setEgress({ sandboxId, egress })
}
