import {
  type AuthProvider,
  type FetchLike,
  OAuthError,
  refreshAuthorization,
  type StoredOAuthClientInformation,
} from '@modelcontextprotocol/client'
import { makeSingleFlight } from '@threadbox/concurrency'
import type { SecretBox } from '../../platform/secrets/secret-box.ts'
import { connectionLoginNeeded } from './connections.errors.ts'
import type { ConnectionStore } from './connections.store.ts'
import type { ConnectionRow } from './connections.table.ts'
import { type LoginTokens, type OAuthState, openState, sealState, secretsOf, withExpiry } from './oauth-state.logic.ts'

/** Access tokens of connections with sign-in: renewed before they expire, and when a server rejects them. */
export type OAuthTokens = {
  /** Its methods throw `connection.login-needed` when a new sign-in is required. */
  of(row: ConnectionRow): { auth: AuthProvider; secrets(): readonly string[] }
}

/**
 * A token that expires this soon, or is in the last quarter of its lifetime, is renewed first, because it must still be
 * valid when the request arrives.
 */
const renewBeforeMs = 30_000

export function makeOAuthTokens(options: {
  store: ConnectionStore
  secretBox: SecretBox
  fetch: FetchLike
  now: () => number
}): OAuthTokens {
  const { store, secretBox, now } = options
  /** A refresh token is often valid for one use, so concurrent requests share one renewal. */
  const renewals = makeSingleFlight<LoginTokens>()

  const read = async (row: ConnectionRow): Promise<{ row: ConnectionRow; state: OAuthState }> => {
    const current = await store.find(row.id)
    // A sign-in for another address or as another user is not used for sessions that were opened before it.
    if (current === undefined || current.auth_kind !== 'oauth' || current.revision !== row.revision) {
      throw connectionLoginNeeded({})
    }
    return { row: current, state: openState(current.sealed_secret, secretBox) }
  }

  const renew = async (row: ConnectionRow, refused: string): Promise<LoginTokens> => {
    const { row: current, state } = await read(row)
    const { tokens, discovery } = state
    if (tokens !== null && tokens.access_token !== refused) return tokens
    const information = clientOf(state)
    if (tokens?.refresh_token === undefined || discovery === null || information === undefined) {
      await end(current, state)
      throw connectionLoginNeeded({})
    }
    try {
      const fresh = await refreshAuthorization(discovery.authorizationServerUrl, {
        ...(discovery.authorizationServerMetadata && { metadata: discovery.authorizationServerMetadata }),
        ...(discovery.resourceMetadata && { resource: discovery.resourceMetadata.resource }),
        clientInformation: information,
        refreshToken: tokens.refresh_token,
        fetchFn: options.fetch,
      })
      const renewed = withExpiry({ ...fresh, ...(tokens.issuer && { issuer: tokens.issuer }) }, now())
      await store.replaceSecret(current, sealState({ ...state, tokens: renewed }, secretBox))
      return renewed
    } catch (error) {
      // Only the authorization server can end a sign-in; one that is unreachable may become reachable again.
      if (!(error instanceof OAuthError) || !endingCodes.has(error.code)) throw error
      await end(current, state)
      throw connectionLoginNeeded({})
    }
  }
  const end = (row: ConnectionRow, state: OAuthState) =>
    store.replaceSecret(row, sealState({ ...state, tokens: null }, secretBox))

  const renewOnce = (row: ConnectionRow, refused: string) => renewals.join(row.id, () => renew(row, refused))

  return {
    of: (row) => {
      let known = openState(row.sealed_secret, secretBox)
      const seen = new Set(secretsOf(known))
      let used = ''
      const use = (tokens: LoginTokens) => {
        known = { ...known, tokens }
        for (const secret of secretsOf(known)) seen.add(secret)
        used = tokens.access_token
        return used
      }
      return {
        secrets: () => [...seen],
        auth: {
          token: async () => {
            const { tokens } = (await read(row)).state
            if (tokens === null) throw connectionLoginNeeded({})
            return use(isEnding(tokens, now()) ? await renewOnce(row, tokens.access_token) : tokens)
          },
          onUnauthorized: async () => {
            use(await renewOnce(row, used))
          },
        },
      }
    },
  }
}

function isEnding({ expiresAt, expires_in: seconds = 0 }: LoginTokens, now: number): boolean {
  return expiresAt !== null && expiresAt - now < Math.min(renewBeforeMs, (seconds * 1000) / 4)
}

/** OAuth codes (RFC 6749, 5.2) after which the same request can't succeed. */
const endingCodes = new Set<string>(['invalid_grant', 'invalid_client', 'unauthorized_client', 'invalid_token'])

/** Returns threadbox's client registration for the authorization server. */
export function clientOf(state: OAuthState): StoredOAuthClientInformation | undefined {
  const { client } = state
  if (client === null) return state.registered?.information
  return {
    client_id: client.id,
    ...(client.secret === null ? {} : { client_secret: client.secret }),
    ...(client.issuer === null ? {} : { issuer: client.issuer }),
  }
}
