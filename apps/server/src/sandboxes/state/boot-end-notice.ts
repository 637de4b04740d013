import type { HostSandbox } from '@threadbox/protocol/host'
import type { System } from '../../platform/system/system.ts'
import type { ThreadLog } from '../../threads/public.ts'

/**
 * Says in the conversation that the sandbox stopped, and why, as far as it was read from the machine. It stands with the
 * turn that runs, or with the last one.
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
