import type { OAuthDiscoveryState, StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client'
import type { ConnectionAuth } from '@threadbox/protocol/public'
import type { SecretBox } from '../../platform/secrets/secret-box.ts'
import { connectionLoginFailed } from './connections.errors.ts'

/** Everything that is known of a login in the browser. It is sealed as a whole, in the place of a token. */
export type OAuthState = {
  /**
   * The client that a person registered by hand; null: threadbox registers itself. `issuer`: the login server that it was
   * first used with, and the only one that its secret is sent to.
   */
  client: { id: string; secret: string | null; issuer: string | null } | null
  scope: string | null
  /** The client that threadbox registered, and where its logins come back to. */
  registered: { information: StoredOAuthClientInformation; redirectUrl: string } | null
  discovery: OAuthDiscoveryState | null
  tokens: LoginTokens | null
  pending: PendingLogin | null
}

/** `expiresAt` in milliseconds; null when the server did not say. */
export type LoginTokens = StoredOAuthTokens & { expiresAt: number | null }

/** A login that a person began and that did not come back yet. */
export type PendingLogin = { state: string; verifier: string; userId: string; redirectUrl: string; until: number }

/** What login servers say of themselves takes a few KiB; it stands in a row of the database. */
const maxStateBytes = 64 * 1024

export function newOAuthState(auth: Extract<ConnectionAuth, { kind: 'oauth' }>): OAuthState {
  const client =
    auth.client === undefined ? null : { id: auth.client.id, secret: auth.client.secret ?? null, issuer: null }
  return { client, scope: auth.scope ?? null, registered: null, discovery: null, tokens: null, pending: null }
}

/** Throws `connection.login-failed` when the server said more of itself than is kept. */
export function sealState(state: OAuthState, secretBox: SecretBox): string {
  const text = JSON.stringify(state)
  if (Buffer.byteLength(text) > maxStateBytes) {
    throw connectionLoginFailed({ problem: 'the authorization server’s metadata is too large.' })
  }
  return secretBox.seal(text)
}

export function openState(sealed: string | null, secretBox: SecretBox): OAuthState {
  if (sealed === null) throw new Error('A connection with a login has a state.')
  return JSON.parse(secretBox.open(sealed)) as OAuthState
}

export function withExpiry(tokens: StoredOAuthTokens, now: number): LoginTokens {
  const seconds = tokens.expires_in
  return { ...tokens, expiresAt: seconds === undefined ? null : now + seconds * 1000 }
}

/** What may stand in no answer, log or error. */
export function secretsOf({ client, registered, tokens, pending }: OAuthState): string[] {
  const information = registered?.information as { client_secret?: string } | undefined
  const all = [
    ...[client?.secret, information?.client_secret, pending?.verifier, pending?.state],
    ...[tokens?.access_token, tokens?.refresh_token, tokens?.id_token],
  ]
  return all.filter((secret) => typeof secret === 'string')
}
