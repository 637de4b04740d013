import type { Logger } from '@threadbox/telemetry'
import type { Audit } from '../../people/public.ts'

/** A request that the broker refused. `secretId` is null if it names no secret of the sandbox. */
export type RefusedUse = { sandboxId: string; secretId: string | null; host: string; reason: string }

const everyMs = 60 * 60 * 1000
/** What a person or a rule decided; a host that isn’t reachable refuses nothing. */
const refusals = new Set(['secret.not-usable-here', 'secret.wrong-host', 'secret.request-refused'])

/**
 * Records refused uses in the audit log. A program can make a thousand a second, so equal ones of a sandbox are one row an
 * hour, which says how many there were since the one before. Neither path nor headers are recorded: they can have a value.
 */
export function makeRefusedUses(dependencies: {
  audit: Pick<Audit, 'record'>
  threadOf(sandboxId: string): Promise<{ id: string; user_id: string } | undefined>
  now: () => number
  logger: Logger
}): (use: RefusedUse) => Promise<void> {
  const { audit, threadOf, now, logger } = dependencies
  const recent = new Map<string, { at: number; since: number }>()
  return async ({ sandboxId, secretId, host, reason }) => {
    if (!refusals.has(reason)) return
    const key = JSON.stringify([sandboxId, secretId, reason])
    const last = recent.get(key)
    if (last !== undefined && now() - last.at < everyMs) {
      last.since += 1
      return
    }
    for (const [other, { at, since }] of recent) if (since === 0 && now() - at >= everyMs) recent.delete(other)
    recent.set(key, { at: now(), since: 0 })
    const row = { action: 'secret-use-refused', subject: secretId }
    try {
      const thread = await threadOf(sandboxId)
      const details = { threadId: thread?.id ?? null, host, reason, earlier: last?.since ?? 0 }
      await audit.record({ userId: thread?.user_id ?? null, ...row, details })
    } catch (error) {
      logger.warn({ err: error, sandboxId }, 'a refused use of a secret was not recorded')
    }
  }
}
