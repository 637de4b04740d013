import type { Connection } from '@threadbox/protocol/public'
import type { SecretBox } from '../../platform/secrets/secret-box.ts'
import type { ConnectionColumns, ConnectionStore } from './connections.store.ts'
import type { ConnectionRow } from './connections.table.ts'
import { connectionFailureOf } from './mcp-failure.models.ts'
import { redactor, type ServerAddress } from './mcp-session.ts'
import type { OAuthTokens } from './oauth-tokens.ts'
import { programOf, programStartOf } from './program.models.ts'
import type { ServerList, Sessions } from './sessions.ts'
import { type KnownTool, listedTools, mergedTools } from './tool-list.models.ts'

export type Look = {
  store: ConnectionStore
  secretBox: SecretBox
  oauthTokens: OAuthTokens
  sessions: Sessions
  now: () => number
  timeoutSeconds: number
}

/** Where the server of a connection is, with its secret opened. Not for any answer, log or record. */
export function addressOf(row: ConnectionRow, open: Pick<Look, 'secretBox' | 'oauthTokens'>): ServerAddress {
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
 * Asks the server what it has and records that, or why it could not be asked: the tools then stay as they were seen
 * before. Throws only for defects of our own and when `signal` is aborted.
 */
export async function lookAtServer(look: Look, row: ConnectionRow, signal: AbortSignal): Promise<void> {
  const { store, sessions, now, timeoutSeconds } = look
  const address = addressOf(row, look)
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
  await recordList(look, row, { list, address })
}

/** Records what a server lists. Returns what is known of its tools then; undefined when the connection was changed. */
export async function recordList(
  look: Pick<Look, 'store' | 'now'>,
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
    checked_at: look.now(),
  }
  return await look.store.changeTools(row, (known) => ({ tools: mergedTools(known, tools), columns }))
}
