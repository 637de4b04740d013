import { isErrorOf, isThreadboxError } from '@threadbox/errors'
import { networkOf } from '../../platform/http/client-address.ts'
import { isSameSecret } from '../../platform/secrets/is-same-secret.ts'
import type { SecretBox } from '../../platform/secrets/secret-box.ts'
import { sha256Of } from '../../platform/secrets/sha256.ts'
import type { System } from '../../platform/system/system.ts'
import type { Audit } from '../audit/audit.ts'
import type { AttemptLimit } from '../users/attempt-limit.ts'
import type { OutsideSignIn } from '../users/outside-sign-in.ts'
import type { RequestOrigin, Users } from '../users/users.usecases.ts'
import { issuerMixedUp } from './issuer.errors.ts'
import type { IssuerAnswer, Issuers, SignInChecks } from './issuer.ts'
import type { LoginCookie } from './login-cookie.ts'
import { identityOther, providerNotFound, returnRefused, stateForeign, stateUnknown } from './oidc.errors.ts'
import type { OidcStore } from './oidc.store.ts'
import type { OidcIdentityRow, OidcProviderRow, OidcStateRow } from './oidc.table.ts'
import type { Admission } from './oidc-admission.ts'
import { settingsOf } from './oidc-providers.logic.ts'
import { addressesOf, clientOf } from './oidc-providers.usecases.ts'
import type { OidcSessionStore } from './oidc-sessions.store.ts'
import type { Purpose } from './purpose.ts'

/** `appOrigin`: the app’s own address, to which the provider sends the browser back. */
export type StartOrder = { providerId: string; returnTo?: string | undefined; purpose: Purpose; appOrigin: string }

/** Signing in at a provider: the browser leaves with `start` and comes back with `finish`. */
export type OidcSignIn = {
  /** Throws `sign-in.provider-not-found`, `sign-in.return-refused`, `auth.too-many-attempts`, and what issuers throw. */
  start(order: StartOrder, origin: RequestOrigin): Promise<{ url: string; setCookies: string[] }>
  /** Where the browser goes next: to the page it wanted, or to the sign-in page with the code of what was refused. */
  finish(response: FinishOrder, origin: RequestOrigin): Promise<{ location: string; setCookies: string[] }>
}
export type FinishOrder = { providerId: string; query: URLSearchParams }

export type SignInDependencies = {
  store: OidcStore
  sessions: Pick<OidcSessionStore, 'insert'>
  issuers: Pick<Issuers, 'authorizationUrl' | 'exchange'>
  admission: Admission
  people: Pick<OutsideSignIn, 'signIn'>
  users: Pick<Users, 'markConfirmed'>
  /** Whether the session that started to connect or to confirm still exists. */
  holds(session: { userId: string; sessionId: string }): Promise<boolean>
  cookie: LoginCookie
  attempts: AttemptLimit
  secretBox: SecretBox
  audit: Pick<Audit, 'record'>
  system: System
}

/** Time to sign in at the provider. */
export const stateLifetimeMs = 10 * 60_000
/** Starts from one network in a window: a whole office signs in in the morning. Each asks the issuer. */
const maxStarts = 300

export function makeOidcSignIn(dependencies: SignInDependencies): OidcSignIn {
  return {
    start: (order, origin) => start(dependencies, order, origin),
    finish: (response, origin) => finish(dependencies, response, origin),
  }
}

async function start(
  dependencies: SignInDependencies,
  order: StartOrder,
  origin: RequestOrigin,
): Promise<{ url: string; setCookies: string[] }> {
  const { store, issuers, cookie, attempts, secretBox, system } = dependencies
  await attempts.take(`provider ${networkOf(origin.address)}`, maxStarts)
  const provider = await store.providers.find(order.providerId)
  if (provider === undefined) throw providerNotFound({})
  const returnTo = ownPath(order.returnTo ?? '/')
  const random = () => Buffer.from(system.randomBytes(32)).toString('base64url')
  const [state, browser] = [random(), random()]
  const checks: SignInChecks = { nonce: random(), verifier: random() }
  const redirectUri = addressesOf(provider.id, order.appOrigin).callback
  const client = clientOf(provider, secretBox)
  const mustSignIn = order.purpose.kind === 'confirm'
  const { url } = await issuers.authorizationUrl(client, { ...checks, state, redirectUri, mustSignIn })
  const now = system.now()
  await store.states.removeExpired(now)
  await store.states.insert({
    state_sha256: sha256Of(state),
    cookie_sha256: sha256Of(browser),
    provider_id: provider.id,
    sealed_checks: secretBox.seal(JSON.stringify(checks)),
    purpose_json: JSON.stringify(order.purpose),
    redirect_uri: redirectUri,
    return_to: returnTo,
    expires_at: now + stateLifetimeMs,
  })
  return { url, setCookies: [cookie.set(browser)] }
}

async function finish(
  dependencies: SignInDependencies,
  { providerId, query }: FinishOrder,
  origin: RequestOrigin,
): Promise<{ location: string; setCookies: string[] }> {
  const { cookie, audit } = dependencies
  const visit = { row: undefined as OidcStateRow | undefined }
  const work = async () => {
    const provider = await dependencies.store.providers.find(providerId)
    if (provider === undefined) throw providerNotFound({})
    visit.row = await takeState(dependencies, query.get('state') ?? '', origin)
    return await signIn(dependencies, { provider, row: visit.row, query }, origin)
  }
  try {
    return await work()
  } catch (error) {
    if (!isThreadboxError(error) || error.kind === 'internal') throw error
    const details = { provider: providerId.slice(0, 64), code: error.code }
    await audit.record({ userId: null, action: 'login-refused', subject: null, details })
    // A foreign browser keeps the cookie of its own sign-in.
    const isForeign = isErrorOf(stateForeign, error)
    return { location: pageFor(visit.row, error.code), setCookies: isForeign ? [] : [cookie.clear()] }
  }
}

/** A state works once, and only in the browser that started: another one doesn’t even use it up. */
async function takeState(
  { store, cookie, system }: SignInDependencies,
  state: string,
  { headers }: RequestOrigin,
): Promise<OidcStateRow> {
  const sha256 = sha256Of(state)
  const row = await store.states.find(sha256, system.now())
  if (row === undefined) throw stateUnknown({})
  const own = cookie.read(headers.get('cookie')).some((value) => isSameSecret(sha256Of(value), row.cookie_sha256))
  if (!own) throw stateForeign({})
  if (!(await store.states.use(sha256))) throw stateUnknown({})
  return row
}

async function signIn(
  dependencies: SignInDependencies,
  { provider, row, query }: { provider: OidcProviderRow; row: OidcStateRow; query: URLSearchParams },
  origin: RequestOrigin,
): Promise<{ location: string; setCookies: string[] }> {
  const { issuers, admission, cookie, secretBox, audit } = dependencies
  if (row.provider_id !== provider.id) throw issuerMixedUp({})
  const purpose = JSON.parse(row.purpose_json) as Purpose
  const isOfSession = purpose.kind === 'connect' || purpose.kind === 'confirm'
  if (isOfSession && !(await dependencies.holds(purpose))) throw stateUnknown({})
  const checks = JSON.parse(secretBox.open(row.sealed_checks)) as SignInChecks
  const url = new URL(row.redirect_uri)
  url.search = query.toString()
  const maxAgeSeconds = purpose.kind === 'confirm' ? stateLifetimeMs / 1000 : undefined
  const response = { ...checks, state: query.get('state') ?? '', url, maxAgeSeconds }
  const answer = await issuers.exchange(clientOf(provider, secretBox), response)
  if (purpose.kind === 'confirm') {
    const known = await dependencies.store.identities.find(answer.issuer, answer.subject)
    if (known?.user_id !== purpose.userId) throw identityOther({})
    await dependencies.users.markConfirmed(purpose, 'provider')
    return { location: row.return_to, setCookies: [cookie.clear()] }
  }
  const identity = await admission.admit({ provider, answer, purpose })
  if (purpose.kind === 'connect') return { location: row.return_to, setCookies: [cookie.clear()] }
  const { sessionId, setCookies } = await dependencies.people.signIn(identity.user_id, origin)
  await keepSession(dependencies, { sessionId, identity, answer, provider })
  const details = { provider: provider.name }
  await audit.record({ userId: identity.user_id, action: 'logged-in', subject: identity.user_id, details })
  return { location: row.return_to, setCookies: [...setCookies, cookie.clear()] }
}

/** Before the browser gets the session’s cookie: without this row the provider would never be asked again. */
async function keepSession(
  { sessions, secretBox, system }: SignInDependencies,
  given: { sessionId: string; identity: OidcIdentityRow; answer: IssuerAnswer; provider: OidcProviderRow },
): Promise<void> {
  const { sessionId, identity, answer, provider } = given
  const sid = answer.idToken?.sid
  const now = system.now()
  await sessions.insert({
    session_id: sessionId,
    identity_id: identity.id,
    provider_sid: typeof sid === 'string' && sid !== '' ? sid.slice(0, 1000) : null,
    sealed_refresh: answer.refreshToken === null ? null : secretBox.seal(answer.refreshToken),
    checked_at: now,
    due_at: now + settingsOf(provider).recheckHours * 3_600_000,
  })
}

/** Throws `sign-in.return-refused` for everything but a page of the app. */
function ownPath(path: string): string {
  const base = 'http://app.invalid'
  if (!path.startsWith('/') || !URL.canParse(path, base)) throw returnRefused({})
  const url = new URL(path, base)
  if (url.origin !== base) throw returnRefused({})
  return `${url.pathname}${url.search}${url.hash}`
}

function pageFor(row: OidcStateRow | undefined, code: string): string {
  const kind = row === undefined ? 'sign-in' : (JSON.parse(row.purpose_json) as Purpose).kind
  if (row === undefined || (kind !== 'connect' && kind !== 'confirm')) {
    return `/login?problem=${encodeURIComponent(code)}`
  }
  // That page shows why a provider refused.
  const url = new URL(kind === 'confirm' ? '/settings/you' : row.return_to, 'http://app.invalid')
  url.searchParams.set('problem', code)
  return `${url.pathname}${url.search}${url.hash}`
}
