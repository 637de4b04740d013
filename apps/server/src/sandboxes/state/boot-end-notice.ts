import type { HostSandbox } from '@threadbox/protocol/host'
import type { System } from '../../platform/system/system.ts'
import type { ThreadLog } from '../../threads/public.ts'

/**
 * Adds a notice to the conversation that the sandbox stopped, and why, as far as the host measured it. The notice
 * belongs to the running turn, or else to the last one.
 */
export async function reportBootEnd(
  dependencies: { log: ThreadLog; system: System; lastTurnId: (threadId: string) => Promise<string | undefined> },
  threadId: string,
  end: NonNullable<HostSandbox['lastBootEnd']>,
): Promise<void> {
  const { log, system } = dependencies
  const turnId = (await dependencies.lastTurnId(threadId)) ?? ''
  const params = { cause: end.cause, detail: end.detail, at: end.at }
  await log.append(threadId, [
    {
      type: 'entry-added',
      entry: { kind: 'notice', id: system.newId('entry'), turnId, at: system.now(), code: 'sandbox-stopped', params },
    },
  ])
}
