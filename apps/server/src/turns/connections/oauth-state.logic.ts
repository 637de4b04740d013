import type { OAuthDiscoveryState, StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client'
import type { ConnectionAuth } from '@threadbox/protocol/public'
import type { SecretBox } from '../../platform/secrets/secret-box.ts'
import { connectionLoginFailed } from './connections.errors.ts'
import { problemOf } from './problem-words.logic.ts'

/** The state of a connection's sign-in. It is sealed as a whole and stored where a token would be. */
export type OAuthState = {
  /**
   * A client that was registered by hand; null: threadbox registers itself. `issuer`: the authorization server that the
   * client was first used with, and the only one that gets its secret.
   */
  client: { id: string; secret: string | null; issuer: string | null } | null
  scope: string | null
  /** The client that threadbox registered, and its redirect URL. */
  registered: { information: StoredOAuthClientInformation; redirectUrl: string } | null
  discovery: OAuthDiscoveryState | null
  tokens: LoginTokens | null
  pending: PendingLogin | null
}

/** `expiresAt` in milliseconds; null when the server didn't state it. */
export type LoginTokens = StoredOAuthTokens & { expiresAt: number | null }

/** A sign-in that was started and isn't completed. */
export type PendingLogin = { state: string; verifier: string; userId: string; redirectUrl: string; until: number }

/** Metadata of authorization servers takes a few KiB; it is stored in a database row. */
const maxStateBytes = 64 * 1024

export function newOAuthState(auth: Extract<ConnectionAuth, { kind: 'oauth' }>): OAuthState {
  const client =
    auth.client === undefined ? null : { id: auth.client.id, secret: auth.client.secret ?? null, issuer: null }
  return { client, scope: auth.scope ?? null, registered: null, discovery: null, tokens: null, pending: null }
}

/** Throws `connection.login-failed` when the state exceeds the size limit. */
export function sealState(state: OAuthState, secretBox: SecretBox): string {
  const text = JSON.stringify(state)
  if (Buffer.byteLength(text) > maxStateBytes) {
    throw connectionLoginFailed(problemOf('metadata-too-large'))
  }
  return secretBox.seal(text)
}

export function openState(sealed: string | null, secretBox: SecretBox): OAuthState {
  if (sealed === null) throw new Error('A connection with sign-in has no stored state.')
  return JSON.parse(secretBox.open(sealed)) as OAuthState
}

export function withExpiry(tokens: StoredOAuthTokens, now: number): LoginTokens {
  const seconds = tokens.expires_in
  return { ...tokens, expiresAt: seconds === undefined ? null : now + seconds * 1000 }
}

/** Secrets that must not appear in responses, logs or errors. */
export function secretsOf({ client, registered, tokens, pending }: OAuthState): string[] {
  const information = registered?.information as { client_secret?: string } | undefined
  const all = [
    ...[client?.secret, information?.client_secret, pending?.verifier, pending?.state],
    ...[tokens?.access_token, tokens?.refresh_token, tokens?.id_token],
  ]
  return all.filter((secret) => typeof secret === 'string')
}
