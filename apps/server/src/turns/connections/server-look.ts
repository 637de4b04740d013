import type { Connection } from '@threadbox/protocol/public'
import type { SecretBox } from '../../platform/secrets/secret-box.ts'
import type { ConnectionColumns, ConnectionStore } from './connections.store.ts'
import type { ConnectionRow } from './connections.table.ts'
import { connectionFailureOf } from './mcp-failure.logic.ts'
import { redactor, type ServerAddress } from './mcp-session.ts'
import type { OAuthTokens } from './oauth-tokens.ts'
import { programOf, programStartOf } from './program.logic.ts'
import type { ServerList, Sessions } from './sessions.ts'
import { type KnownTool, listedTools, mergedTools } from './tool-list.logic.ts'

export type ServerCheckDependencies = {
  store: ConnectionStore
  secretBox: SecretBox
  oauthTokens: OAuthTokens
  sessions: Sessions
  now: () => number
  timeoutSeconds: number
}

/** The address of a connection's server with its secret unsealed. Must not appear in responses, logs or records. */
export function addressOf(
  row: ConnectionRow,
  open: Pick<ServerCheckDependencies, 'secretBox' | 'oauthTokens'>,
): ServerAddress {
  const { url, sealed_secret: sealed } = row
  const program = programOf(row)
  if (program !== null) {
    return { kind: 'program', connectionId: row.id, ...programStartOf(row, program, open.secretBox) }
  }
  const kind = 'http' as const
  if (row.auth_kind === 'oauth') return { kind, url, headers: {}, ...open.oauthTokens.of(row) }
  if (sealed === null) return { kind, url, headers: {}, secrets: [] }
  const secret = open.secretBox.open(sealed)
  const isBearer = row.auth_kind === 'bearer'
  const header = isBearer ? 'authorization' : (row.header_name ?? 'authorization')
  return { kind, url, headers: { [header]: isBearer ? `Bearer ${secret}` : secret }, secrets: [secret] }
}

/**
 * Records what the server lists, or why it couldn't be reached; the tools then stay as last listed. Throws only for
 * defects of threadbox and when `signal` is aborted.
 */
export async function checkServer(
  dependencies: ServerCheckDependencies,
  row: ConnectionRow,
  signal: AbortSignal,
): Promise<void> {
  const { store, sessions, now, timeoutSeconds } = dependencies
  const address = addressOf(row, dependencies)
  let list: ServerList
  try {
    list = await sessions.list(address, signal)
  } catch (error) {
    const failure = connectionFailureOf(error, { timeoutSeconds, redact: redactor(address.secrets) })
    if (failure === undefined || signal.aborted) throw error
    const { code, message, remedy, details } = failure
    const failed: NonNullable<Connection['failure']> = { code, message, remedy, details }
    await store.changeTools(row, (known) => ({
      tools: known,
      columns: { status: 'failed', failure_json: JSON.stringify(failed), checked_at: now() },
    }))
    return
  }
  await recordList(dependencies, row, { list, address })
}

/** Records a server's list. Returns the tools as now stored; undefined when the connection was changed since. */
export async function recordList(
  dependencies: Pick<ServerCheckDependencies, 'store' | 'now'>,
  row: ConnectionRow,
  seen: { list: ServerList; address: ServerAddress },
): Promise<KnownTool[] | undefined> {
  const { list, address } = seen
  const { tools, furtherTools } = listedTools(list.tools, redactor(address.secrets))
  const columns: ConnectionColumns = {
    status: 'ready',
    failure_json: null,
    server_json: list.server === null ? null : JSON.stringify(list.server),
    further_tools: furtherTools + (list.isCut ? 1 : 0),
    checked_at: dependencies.now(),
  }
  return await dependencies.store.changeTools(row, (known) => ({ tools: mergedTools(known, tools), columns }))
}
