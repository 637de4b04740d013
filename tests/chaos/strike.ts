import { sandboxPids } from '@threadbox/testkit'
import type { TestInstallation } from '../stack/installation.ts'
import type { ChaosThread } from './chaos-thread.ts'

export const victims = ['server', 'host', 'gateway', 'names', 'egress', 'sandbox', 'guest'] as const
export type Victim = (typeof victims)[number] | 'nothing'

/**
 * Kills a process of the installation or of the thread’s sandbox; `nothing` shows what the load alone takes. Returns
 * when; undefined if there was nothing to kill.
 */
export async function strike(
  { host, server }: TestInstallation,
  { victim, thread }: { victim: Victim; thread: Pick<ChaosThread, 'sandboxId'> },
): Promise<number | undefined> {
  if (victim === 'nothing') return performance.now()
  if (victim === 'server' || victim === 'host') {
    const program = victim === 'server' ? server : host
    const killedAt = performance.now()
    await program.kill('SIGKILL')
    await program.restart()
    return killedAt
  }
  if (victim === 'gateway' || victim === 'names' || victim === 'egress') {
    const pids = { gateway: host.gatewayPid, names: host.namesPid, egress: host.egressPid }
    const pid = await pids[victim]()
    const killedAt = performance.now()
    process.kill(pid, 'SIGKILL')
    return killedAt
  }
  const sandboxId = await thread.sandboxId()
  if (sandboxId === undefined) return undefined
  const pids = await sandboxPids({ dataDirectory: host.dataDirectory, sandboxId })
  if (pids.length === 0) return undefined
  const killedAt = performance.now()
  // The first process ends the whole sandbox, so the order itself never gets a response.
  if (victim === 'guest') await host.run(sandboxId, 'sudo kill -9 1', { timeoutMs: 2000 }).catch(() => undefined)
  else await host.killSandbox(sandboxId)
  return killedAt
}
