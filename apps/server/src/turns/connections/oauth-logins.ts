import {
  auth,
  extractWWWAuthenticateParams,
  type FetchLike,
  type OAuthClientProvider,
  OAuthError,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import { isThreadboxError } from '@threadbox/errors'
import type { ConnectionLogin, FinishLogin } from '@threadbox/protocol/public'
import { type AllowedAddresses, parseAllowedUrl } from '../../platform/outbound/addresses.logic.ts'
import { isSameSecret } from '../../platform/secrets/is-same-secret.ts'
import type { SecretBox } from '../../platform/secrets/secret-box.ts'
import type { System } from '../../platform/system/system.ts'
import { connectionLoginFailed } from './connections.errors.ts'
import type { ConnectionStore } from './connections.store.ts'
import type { ConnectionRow } from './connections.table.ts'
import { connectionFailureOf } from './mcp-failure.logic.ts'
import { redactor } from './mcp-session.ts'
import { type OAuthState, openState, sealState, secretsOf, withExpiry } from './oauth-state.logic.ts'
import { clientOf } from './oauth-tokens.ts'
import { problemOf } from './problem-words.logic.ts'

/** Sign-ins in the browser at the authorization servers of connections (OAuth 2.1 with PKCE, as MCP requires). */
export type OAuthLogins = {
  /**
   * Returns the URL to open. Throws `connection.login-failed`, `connection.address-refused` and the servers' failures.
   */
  start(row: ConnectionRow, order: { userId: string; redirectUrl: string }): Promise<ConnectionLogin>
  /**
   * Accepts the response of the authorization server, once. Throws `connection.login-failed`; the connection then stays
   * unchanged.
   */
  finish(row: ConnectionRow, order: { userId: string; answer: FinishLogin }): Promise<void>
}

/** Time to sign in, including looking up a password. */
const loginMs = 15 * 60_000
const maxProblemCharacters = 300

export function makeOAuthLogins(options: {
  store: ConnectionStore
  secretBox: SecretBox
  fetch: FetchLike
  allowed: AllowedAddresses
  timeoutSeconds: number
  system: System
}): OAuthLogins {
  const { store, secretBox, system } = options
  const attempt = async <Value>(visit: { state: OAuthState }, work: () => Promise<Value>): Promise<Value> => {
    try {
      return await work()
    } catch (error) {
      const redact = redactor(secretsOf(visit.state))
      throw loginFailureOf(error, { timeoutSeconds: options.timeoutSeconds, redact, state: visit.state })
    }
  }
  return {
    start: async (row, { userId, redirectUrl }) => {
      const state = openState(row.sealed_secret, secretBox)
      const login = { state: `${row.id}.${Buffer.from(system.randomBytes(24)).toString('base64url')}`, redirectUrl }
      const visit = makeVisit(state, login)
      const authorizationUrl = await attempt(visit, async () => {
        const challenge = await challengeOf(row.url, options.fetch)
        const scope = state.scope ?? challenge.scope
        await auth(visit.provider, {
          serverUrl: row.url,
          fetchFn: options.fetch,
          forceReauthorization: true,
          ...(scope === undefined ? {} : { scope }),
          ...(challenge.resourceMetadataUrl && { resourceMetadataUrl: challenge.resourceMetadataUrl }),
        })
        const url = visit.authorizationUrl()
        // The browser opens this URL: it must not be a script, nor an internal address unless allowed.
        parseAllowedUrl(url, options.allowed)
        return new URL(url)
      })
      const pending = { ...login, verifier: visit.verifier(), userId, until: system.now() + loginMs }
      const isKept = await store.replaceSecret(row, sealState({ ...visit.state, pending }, secretBox))
      if (!isKept) throw connectionLoginFailed(problemOf('connection-changed'))
      return { authorizationUrl: authorizationUrl.href, host: authorizationUrl.host }
    },
    finish: async (row, { userId, answer }) => {
      const state = openState(row.sealed_secret, secretBox)
      const { pending } = state
      const isOpen = pending !== null && pending.userId === userId && pending.until > system.now()
      if (!isOpen || !isSameSecret(pending.state, answer.state))
        throw connectionLoginFailed(problemOf('sign-in-not-open'))
      const withoutPending = sealState({ ...state, pending: null }, secretBox)
      if (!(await store.replaceSecret(row, withoutPending))) throw connectionLoginFailed(problemOf('sign-in-not-open'))
      const code = codeIn(answer)
      const visit = makeVisit(state, pending)
      await attempt(visit, () =>
        auth(visit.provider, {
          serverUrl: row.url,
          fetchFn: options.fetch,
          authorizationCode: code,
          ...(answer.iss === undefined ? {} : { iss: answer.iss }),
        }),
      )
      const tokens = visit.tokens()
      if (tokens === undefined) throw connectionLoginFailed(problemOf('no-token'))
      const loggedIn = { ...visit.state, pending: null, tokens: withExpiry(tokens, system.now()) }
      const sealed = sealState(loggedIn, secretBox)
      // A new revision, so that sessions of a previous sign-in are no longer used.
      const isKept = await store.replaceSecret({ ...row, sealed_secret: withoutPending }, sealed, row.revision + 1)
      if (!isKept) throw connectionLoginFailed(problemOf('connection-changed'))
    },
  }
}

/** One pass through the library's flow. The caller stores the results. */
function makeVisit(from: OAuthState, login: { state: string; redirectUrl: string; verifier?: string }) {
  const isRegisteredHere = from.registered?.redirectUrl === login.redirectUrl
  const visit = {
    state: { ...from, registered: isRegisteredHere ? from.registered : null } satisfies OAuthState as OAuthState,
    url: undefined as URL | undefined,
    verifier: login.verifier,
    tokens: undefined as StoredOAuthTokens | undefined,
  }
  const isReturn = login.verifier !== undefined
  const provider: OAuthClientProvider = {
    redirectUrl: login.redirectUrl,
    clientMetadata: {
      client_name: 'threadbox',
      redirect_uris: [login.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: from.client?.secret == null ? 'none' : 'client_secret_post',
    },
    state: () => login.state,
    clientInformation: (server) => {
      const { client } = visit.state
      if (client !== null && client.issuer === null && server !== undefined) {
        visit.state = { ...visit.state, client: { ...client, issuer: server.issuer } }
      }
      return clientOf(visit.state)
    },
    saveClientInformation: (information) => {
      if (visit.state.client !== null) throw connectionLoginFailed(problemOf('other-authorization-server'))
      visit.state = { ...visit.state, registered: { information, redirectUrl: login.redirectUrl } }
    },
    tokens: () => undefined,
    saveTokens: (tokens) => {
      visit.tokens = tokens
    },
    redirectToAuthorization: (url) => {
      visit.url = url
    },
    saveCodeVerifier: (verifier) => {
      visit.verifier = verifier
    },
    codeVerifier: () => visit.verifier ?? '',
    // Starting a sign-in repeats the discovery; its return is checked against that discovery.
    discoveryState: () => (isReturn ? (visit.state.discovery ?? undefined) : undefined),
    saveDiscoveryState: (discovery) => {
      visit.state = { ...visit.state, discovery }
    },
  }
  return {
    provider,
    get state() {
      return visit.state
    },
    authorizationUrl: () => visit.url?.href ?? '',
    verifier: () => visit.verifier ?? '',
    tokens: () => visit.tokens,
  }
}

/**
 * Sends a request without a token and returns the protected-resource metadata and scope from the server's challenge.
 */
async function challengeOf(url: string, fetch: FetchLike): Promise<{ resourceMetadataUrl?: URL; scope?: string }> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  const response = await fetch(url, { method: 'POST', headers, body })
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response)
  await response.body?.cancel()
  if (response.status !== 401) return {}
  return { ...(resourceMetadataUrl && { resourceMetadataUrl }), ...(scope === undefined ? {} : { scope }) }
}

function codeIn(answer: FinishLogin): string {
  if (answer.error !== undefined) {
    const reason = [answer.error, answer.errorDescription].filter((part) => part !== undefined).join(': ')
    throw connectionLoginFailed(problemOf('authorization-error', reason.slice(0, maxProblemCharacters)))
  }
  if (answer.code === undefined) throw connectionLoginFailed(problemOf('no-code'))
  return answer.code
}

function loginFailureOf(
  error: unknown,
  options: { timeoutSeconds: number; redact: (text: string) => string; state: OAuthState },
): unknown {
  if (isThreadboxError(error)) return error
  if (error instanceof OAuthError) {
    const reason = options.redact(error.message).slice(0, maxProblemCharacters)
    return connectionLoginFailed(problemOf('authorization-error', reason))
  }
  const known = connectionFailureOf(error, options)
  if (known !== undefined) return known
  const metadata = options.state.discovery?.authorizationServerMetadata
  const takesNoClients = metadata !== undefined && metadata.registration_endpoint === undefined
  return connectionLoginFailed(
    problemOf(takesNoClients && options.state.client === null ? 'no-registration' : 'metadata-unusable'),
  )
}
