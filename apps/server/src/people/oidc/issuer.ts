import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import { JOSEError, JWKSNoMatchingKey, JWTClaimValidationFailed, JWTExpired } from 'jose/errors'
import { LRUCache } from 'lru-cache'
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  calculatePKCECodeChallenge,
  clockSkew,
  clockTolerance,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
  refreshTokenGrant,
} from 'openid-client'
import type { Claims } from './claims.logic.ts'
import { issuerInvalid, logoutRefused, tokenInvalid } from './issuer.errors.ts'
import { issuerFailureOf } from './issuer-failure.logic.ts'
import type { IssuerFetch } from './issuer-fetch.ts'

/** Which issuer, and as which client. */
export type IssuerClient = { issuer: string; clientId: string; clientSecret: string | null }

/** What an issuer says of a person. `idToken` and `userinfo`: null if it didn’t send one. */
export type IssuerAnswer = {
  issuer: string
  subject: string
  idToken: Claims | null
  userinfo: Claims | null
  refreshToken: string | null
}

export type SignInChecks = { nonce: string; verifier: string }

/** One person’s sign-out at an issuer, from a logout token. */
export type IssuerLogout = {
  issuer: string
  subject: string | null
  sid: string | null
  tokenId: string
  expiresAt: number
}

/** Talks to issuers as OpenID Connect describes. Every method throws the errors of `issuer.errors.ts`. */
export type Issuers = {
  /** The page of the issuer that the browser opens. `mustSignIn`: the person signs in there although they are signed in. */
  authorizationUrl(
    client: IssuerClient,
    request: SignInChecks & { state: string; redirectUri: string; mustSignIn: boolean },
  ): Promise<{ url: string }>
  /**
   * Exchanges the code in `url`, the redirect URI with what the issuer added. `sign-in.declined` if it has an error. With
   * `maxAgeSeconds` the issuer must say that the person signed in there since then.
   */
  exchange(
    client: IssuerClient,
    response: SignInChecks & { state: string; url: URL; maxAgeSeconds: number | undefined },
  ): Promise<IssuerAnswer>
  /** Throws `sign-in.code-refused` if the issuer no longer accepts the token. */
  refresh(client: IssuerClient, grant: { refreshToken: string; subject: string }): Promise<IssuerAnswer>
  /** Throws `sign-in.logout-refused`. */
  readLogout(client: IssuerClient, token: string): Promise<IssuerLogout>
  test(client: IssuerClient): Promise<{ hasLogout: boolean; algorithms: string[] }>
}

/** A signature with one of these proves its sender to everyone. Never `none` or a shared secret. */
const algorithms: readonly string[] = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]
/** How far the clocks of issuer and server may be apart. */
const toleranceSeconds = 90
/** A logout token is sent immediately. */
const logoutAgeSeconds = 10 * 60
const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'
const scope = 'openid email profile offline_access'
/** Keys are read again for each sign-in; for logout tokens, which anyone can send, at most this often. */
const keysMs = 60_000
const newKeysMs = 2000

/** `issuer`: as the issuer itself writes it. */
type Keys = { issuer: string; keySet: JSONWebKeySet; at: number }

export function makeIssuers(options: { fetch: IssuerFetch; timeoutSeconds: number; now: () => number }): Issuers {
  const keysByIssuer = new LRUCache<string, Keys>({ max: 100 })
  const configure = (client: IssuerClient) => configurationOf(options, client)
  const readKeys = async (client: IssuerClient): Promise<Keys> => {
    const { issuer, jwks_uri } = (await configure(client)).serverMetadata()
    if (jwks_uri === undefined) throw issuerInvalid({})
    const response = await options.fetch(jwks_uri, {
      method: 'GET',
      headers: {},
      body: undefined,
      redirect: 'manual',
    })
    const keySet = (await response.json().catch(() => undefined)) as JSONWebKeySet | undefined
    if (response.status !== 200 || !Array.isArray(keySet?.keys)) throw issuerInvalid({})
    const keys = { issuer, keySet, at: options.now() }
    keysByIssuer.set(client.issuer, keys)
    return keys
  }
  const keysOf = async (client: IssuerClient, maxAgeMs: number) => {
    const known = keysByIssuer.get(client.issuer)
    return known !== undefined && Math.abs(options.now() - known.at) < maxAgeMs ? known : await readKeys(client)
  }
  return {
    authorizationUrl: (client, request) =>
      coded(async () => {
        const url = buildAuthorizationUrl(await configure(client), {
          redirect_uri: request.redirectUri,
          scope,
          state: request.state,
          nonce: request.nonce,
          code_challenge: await calculatePKCECodeChallenge(request.verifier),
          code_challenge_method: 'S256',
          ...(request.mustSignIn ? { max_age: '0' } : {}),
        })
        return { url: url.href }
      }),
    exchange: (client, { nonce, verifier, state, url, maxAgeSeconds }) =>
      coded(async () => {
        const configuration = await configure(client)
        const checks = {
          expectedNonce: nonce,
          expectedState: state,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
          ...(maxAgeSeconds === undefined ? {} : { maxAge: maxAgeSeconds }),
        }
        const tokens = await authorizationCodeGrant(configuration, url, checks)
        const claims = tokens.claims()
        if (claims === undefined) throw tokenInvalid({})
        const userinfo = await userinfoOf(configuration, tokens.access_token, claims.sub)
        const refreshToken = tokens.refresh_token ?? null
        return { issuer: claims.iss, subject: claims.sub, idToken: claims, userinfo, refreshToken }
      }),
    refresh: (client, { refreshToken, subject }) =>
      coded(async () => {
        const configuration = await configure(client)
        const tokens = await refreshTokenGrant(configuration, refreshToken)
        const claims = tokens.claims() ?? null
        if (claims !== null && claims.sub !== subject) throw tokenInvalid({})
        const userinfo = await userinfoOf(configuration, tokens.access_token, subject)
        const { issuer } = configuration.serverMetadata()
        return { issuer, subject, idToken: claims, userinfo, refreshToken: tokens.refresh_token ?? null }
      }),
    readLogout: (client, token) =>
      coded(async () => {
        const read = async (maxAgeMs: number) =>
          readLogout({ client, token, now: options.now(), keys: await keysOf(client, maxAgeMs) })
        // The issuer may have begun to use another key.
        return await read(keysMs).catch((error: unknown) => {
          if (error instanceof JWKSNoMatchingKey) return read(newKeysMs)
          throw error
        })
      }),
    test: (client) =>
      coded(async () => {
        const metadata = (await configure(client)).serverMetadata()
        await readKeys(client)
        const listed = metadata.id_token_signing_alg_values_supported ?? []
        return { hasLogout: metadata.backchannel_logout_supported === true, algorithms: listed }
      }),
  }
}

async function coded<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof JOSEError
      ? logoutRefused({ problem: problemOf(error) }, { cause: error })
      : issuerFailureOf(error)
  }
}

/** Read each time, so that a change at the issuer needs no restart here. */
async function configurationOf(
  options: { fetch: IssuerFetch; timeoutSeconds: number; now: () => number },
  client: IssuerClient,
): Promise<Configuration> {
  const { issuer, clientId, clientSecret } = client
  // The fetch refuses unencrypted addresses unless an administrator allowed them.
  const extensions = [allowInsecureRequests, enableNonRepudiationChecks]
  const settings = { execute: extensions, [customFetch]: options.fetch, timeout: options.timeoutSeconds }
  const found = await discovery(new URL(issuer), clientId, undefined, None(), settings)
  const { supportsPKCE: _, ...metadata } = found.serverMetadata()
  const listed = metadata.id_token_signing_alg_values_supported?.filter((name) => algorithms.includes(name)) ?? []
  const configuration = new Configuration(
    { ...metadata, id_token_signing_alg_values_supported: listed.length === 0 ? ['RS256'] : listed },
    clientId,
    {
      // The library reads the machine’s clock; sessions and states end by the server’s.
      [clockSkew]: Math.round((options.now() - Date.now()) / 1000),
      [clockTolerance]: toleranceSeconds,
    },
    authenticationOf(clientSecret, metadata.token_endpoint_auth_methods_supported),
  )
  configuration[customFetch] = options.fetch
  configuration.timeout = options.timeoutSeconds
  for (const extend of extensions) extend(configuration)
  return configuration
}

function authenticationOf(secret: string | null, methods: readonly string[] | undefined): ClientAuth {
  if (secret === null) return None()
  const isBasic = methods === undefined || methods.includes('client_secret_basic')
  return isBasic ? ClientSecretBasic(secret) : ClientSecretPost(secret)
}

async function userinfoOf(configuration: Configuration, accessToken: string, subject: string): Promise<Claims | null> {
  if (configuration.serverMetadata().userinfo_endpoint === undefined) return null
  return await fetchUserInfo(configuration, accessToken, subject)
}

async function readLogout(given: {
  client: IssuerClient
  token: string
  keys: Keys
  now: number
}): Promise<IssuerLogout> {
  const { client, token, keys, now } = given
  const { payload } = await jwtVerify(token, createLocalJWKSet(keys.keySet), {
    issuer: keys.issuer,
    audience: client.clientId,
    algorithms: [...algorithms],
    clockTolerance: toleranceSeconds,
    maxTokenAge: logoutAgeSeconds,
    requiredClaims: ['iat', 'jti'],
    currentDate: new Date(now),
  })
  const { events, sub, sid, jti } = payload as Claims
  const hasEvent = typeof events === 'object' && events !== null && Object.hasOwn(events, logoutEvent)
  if (!hasEvent) throw logoutRefused({ problem: 'it has no back-channel logout event.' })
  if ('nonce' in payload) throw logoutRefused({ problem: 'it has a nonce, as ID tokens have.' })
  const text = (value: unknown) => (typeof value === 'string' && value !== '' && value.length <= 1000 ? value : null)
  const [subject, session, tokenId] = [text(sub), text(sid), text(jti)]
  if (tokenId === null) throw logoutRefused({ problem: 'its id (`jti`) is not a text.' })
  if (subject === null && session === null) throw logoutRefused({ problem: 'it names neither a sub nor a sid.' })
  const expiresAt = now + 2 * (logoutAgeSeconds + toleranceSeconds) * 1000
  return { issuer: keys.issuer, subject, sid: session, tokenId, expiresAt }
}

function problemOf(error: JOSEError): string {
  if (error instanceof JWTExpired) return 'it has expired.'
  if (error instanceof JWTClaimValidationFailed) return `its claim ${error.claim} is missing or wrong.`
  if (error.code === 'ERR_JOSE_ALG_NOT_ALLOWED') return 'its algorithm isn’t allowed.'
  return 'its signature is wrong, or it is not a signed token.'
}
