import { isThreadboxError } from '@threadbox/errors'
import {
  type AddPasskey,
  type NewPasskeyRequest,
  type Passkey,
  type PasskeyAssertion,
  type PasskeyRequest,
  type Passkeys as PasskeysView,
  type PasskeyTransport,
  passkeyTransports,
} from '@threadbox/protocol/public'
import { isUniqueViolation } from '../../platform/database/database.ts'
import { networkOf } from '../../platform/http/client-address.ts'
import type { System } from '../../platform/system/system.ts'
import type { Audit } from '../audit/audit.ts'
import type { AttemptLimit } from '../users/attempt-limit.ts'
import type { StartSession } from '../users/session-start.ts'
import type { LoggedIn, RequestOrigin, Users } from '../users/users.usecases.ts'
import type { WaysIn } from '../users/ways-in.ts'
import { type Challenges, type ChallengeUse, challengeMs } from './challenges.ts'
import { algorithms, challengeOf, checkAssertion, checkCircumstances, checkRegistration } from './passkey-check.ts'
import {
  passkeyAlreadyAdded,
  passkeyCounterBehind,
  passkeyLimit,
  passkeyNotFound,
  passkeyUnknown,
} from './passkeys.errors.ts'
import type { PasskeyStore } from './passkeys.store.ts'
import type { PasskeyRow } from './passkeys.table.ts'
import type { RelyingParty } from './relying-party.logic.ts'

/** A request with the relying party to which it was sent. */
export type PasskeyOrigin = RequestOrigin & { party: RelyingParty }
type Caller = { userId: string; sessionId: string }
type WithCookie<Value> = { request: Value; setCookie: string }

/** Passkeys: signing in with one, confirming with one, and a person’s own. */
export type Passkeys = {
  /** Throws `auth.too-many-attempts`. */
  signInRequest(origin: PasskeyOrigin): Promise<WithCookie<PasskeyRequest>>
  /** Throws `passkey.*`, `auth.account-disabled`, `auth.too-many-attempts`. */
  signIn(assertion: PasskeyAssertion, origin: PasskeyOrigin): Promise<LoggedIn>
  confirmRequest(userId: string, origin: PasskeyOrigin): Promise<WithCookie<PasskeyRequest>>
  /** Makes the session count as confirmed. Throws as `signIn`. */
  confirm(confirmation: { assertion: PasskeyAssertion; caller: Caller; origin: PasskeyOrigin }): Promise<void>
  list(userId: string): Promise<PasskeysView>
  /** Throws `passkey.limit`. */
  addRequest(userId: string, origin: PasskeyOrigin): Promise<WithCookie<NewPasskeyRequest>>
  /** Throws `passkey.*`. */
  add(userId: string, request: AddPasskey, origin: PasskeyOrigin): Promise<Passkey>
  /** Throws `passkey.not-found`. */
  rename(userId: string, passkeyId: string, name: string): Promise<Passkey>
  /** Throws `passkey.not-found` and `sign-in.last-way`. */
  remove(userId: string, passkeyId: string): Promise<void>
}

export type PasskeysDependencies = {
  store: PasskeyStore
  challenges: Challenges
  waysIn: WaysIn
  users: Pick<Users, 'me' | 'markConfirmed'>
  startSession: StartSession
  attempts: AttemptLimit
  audit: Audit
  system: System
}

const maxPasskeys = 20
/**
 * Refused responses from one network in a window, as for passwords. A request is made by each opening of the sign-in page:
 * a whole office can open it, and no network can fill the table.
 */
const limits = { refused: 30, requests: 300, confirmations: 10 }

export function makePasskeys(dependencies: PasskeysDependencies): Passkeys {
  const { store, challenges, waysIn, attempts, audit } = dependencies
  const one = async (userId: string, passkeyId: string) => {
    const row = (await store.list(userId)).find(({ id }) => id === passkeyId)
    if (row === undefined) throw passkeyNotFound({})
    return row
  }
  return {
    signInRequest: async (origin) => {
      await attempts.take(`passkey request ${networkOf(origin.address)}`, limits.requests)
      const { challenge, setCookie } = await challenges.make(signInUse, origin)
      return { request: assertionRequest({ challenge, party: origin.party, allowed: [] }), setCookie }
    },
    signIn: (assertion, origin) => signIn(dependencies, assertion, origin),
    confirmRequest: async (userId, origin) => {
      const { challenge, setCookie } = await challenges.make({ purpose: 'confirm', userId }, origin)
      const allowed = (await store.list(userId)).filter(({ host }) => host === origin.party.id)
      return { request: assertionRequest({ challenge, party: origin.party, allowed }), setCookie }
    },
    confirm: (confirmation) => confirm(dependencies, confirmation),
    list: async (userId) => ({ passkeys: (await store.list(userId)).map(present) }),
    addRequest: async (userId, origin) => {
      const own = await store.list(userId)
      if (own.length >= maxPasskeys) throw passkeyLimit({ limit: maxPasskeys })
      const { name, email } = await dependencies.users.me(userId)
      const { challenge, setCookie } = await challenges.make({ purpose: 'add', userId }, origin)
      const person = { id: userId, name, email }
      return { request: newPasskeyRequest({ challenge, party: origin.party, person, own }), setCookie }
    },
    add: (userId, request, origin) => add(dependencies, { userId, request, origin }),
    rename: async (userId, passkeyId, name) => {
      await store.rename(userId, passkeyId, name)
      return present(await one(userId, passkeyId))
    },
    remove: async (userId, passkeyId) => {
      const { name, host } = await one(userId, passkeyId)
      const isRemoved = await waysIn.remove(userId, () => store.remove(userId, passkeyId))
      if (!isRemoved) throw passkeyNotFound({})
      await audit.record({ userId, action: 'passkey-removed', subject: passkeyId, before: { name, host } })
    },
  }
}

const signInUse: ChallengeUse = { purpose: 'sign-in', userId: null }

async function signIn(
  dependencies: PasskeysDependencies,
  assertion: PasskeyAssertion,
  origin: PasskeyOrigin,
): Promise<LoggedIn> {
  const { users, attempts, audit } = dependencies
  const attempt = await attempts.take(`address ${networkOf(origin.address)}`, limits.refused)
  const { user_id: userId } = await verified(dependencies, { assertion, use: signInUse, origin }).catch(
    async (error: unknown) => {
      const details = { reason: isThreadboxError(error) ? error.code : 'failed' }
      await audit.record({ userId: null, action: 'passkey-login-refused', subject: null, details })
      throw error
    },
  )
  const { setCookies } = await dependencies.startSession(userId, origin)
  await attempts.giveBack(attempt)
  await audit.record({ userId, action: 'passkey-logged-in', subject: userId })
  return { me: await users.me(userId), setCookies }
}

async function confirm(
  dependencies: PasskeysDependencies,
  { assertion, caller, origin }: { assertion: PasskeyAssertion; caller: Caller; origin: PasskeyOrigin },
): Promise<void> {
  const { attempts, audit, users } = dependencies
  const { userId, sessionId } = caller
  const key = `passkey confirmation ${userId}`
  await attempts.take(key, limits.confirmations)
  await verified(dependencies, { assertion, use: { purpose: 'confirm', userId }, origin }).catch(
    async (error: unknown) => {
      const details = { reason: isThreadboxError(error) ? error.code : 'failed' }
      await audit.record({ userId, action: 'confirmation-refused', subject: sessionId, details })
      throw error
    },
  )
  await attempts.clear(key)
  await users.markConfirmed({ userId, sessionId }, 'passkey')
}

/**
 * The passkey of a valid assertion, whose use is recorded. Of a known person only their own passkeys count. The challenge is
 * used up first, whatever comes of the rest.
 */
async function verified(
  { store, challenges, audit, system }: PasskeysDependencies,
  { assertion, use, origin }: { assertion: PasskeyAssertion; use: ChallengeUse; origin: PasskeyOrigin },
): Promise<PasskeyRow> {
  const { party } = origin
  const challenge = challengeOf(assertion)
  await challenges.take(challenge, { use, origin })
  checkCircumstances(assertion, party)
  const row = await store.find(assertion.id)
  if (row === undefined || row.host !== party.id) throw passkeyUnknown({})
  if (use.userId !== null && use.userId !== row.user_id) throw passkeyUnknown({})
  const { userHandle } = assertion.response
  if (userHandle != null && userHandle !== handleOf(row.user_id)) throw passkeyUnknown({})
  const credential = { id: row.credential_id, publicKey: row.public_key }
  const { counter } = await checkAssertion(assertion, { challenge, party, credential })
  const isAhead = counter > row.counter || (counter === 0 && row.counter === 0)
  if (!isAhead || !(await store.use(row.id, { counter, at: system.now() }))) {
    const details = { counted: counter, known: row.counter }
    await audit.record({ userId: row.user_id, action: 'passkey-counter-behind', subject: row.id, details })
    throw passkeyCounterBehind({})
  }
  return row
}

async function add(
  { store, challenges, audit, system }: PasskeysDependencies,
  { userId, request, origin }: { userId: string; request: AddPasskey; origin: PasskeyOrigin },
): Promise<Passkey> {
  const { name, registration } = request
  const challenge = challengeOf(registration)
  await challenges.take(challenge, { use: { purpose: 'add', userId }, origin })
  const { credentialId, publicKey, counter } = await checkRegistration(registration, {
    challenge,
    party: origin.party,
  })
  if ((await store.list(userId)).length >= maxPasskeys) throw passkeyLimit({ limit: maxPasskeys })
  const row: PasskeyRow = {
    id: system.newId('passkey'),
    user_id: userId,
    credential_id: credentialId,
    public_key: publicKey,
    counter,
    transports_json: JSON.stringify((registration.response.transports ?? []).filter(isTransport)),
    name: name.trim(),
    host: origin.party.id,
    created_at: system.now(),
    last_used_at: null,
  }
  await store.insert(row).catch((error: unknown) => {
    throw isUniqueViolation(error) ? passkeyAlreadyAdded({}, { cause: error }) : error
  })
  await audit.record({ userId, action: 'passkey-added', subject: row.id, after: { name: row.name, host: row.host } })
  return present(row)
}

function assertionRequest(given: {
  challenge: string
  party: RelyingParty
  allowed: readonly PasskeyRow[]
}): PasskeyRequest {
  return {
    challenge: given.challenge,
    rpId: given.party.id,
    timeout: challengeMs,
    userVerification: 'required',
    allowCredentials: given.allowed.map(descriptorOf),
  }
}

function newPasskeyRequest(given: {
  challenge: string
  party: RelyingParty
  person: { id: string; name: string; email: string }
  own: readonly PasskeyRow[]
}): NewPasskeyRequest {
  const { challenge, party, person, own } = given
  return {
    challenge,
    rp: { id: party.id, name: 'threadbox' },
    user: { id: handleOf(person.id), name: person.email, displayName: person.name },
    pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
    timeout: challengeMs,
    excludeCredentials: own.filter(({ host }) => host === party.id).map(descriptorOf),
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    attestation: 'none',
  }
}

/** The user handle: the person’s id, which says nothing about them. */
function handleOf(userId: string): string {
  return Buffer.from(userId).toString('base64url')
}

function descriptorOf({ credential_id, transports_json }: PasskeyRow) {
  const transports = (JSON.parse(transports_json) as string[]).filter(isTransport)
  return { id: credential_id, type: 'public-key' as const, transports }
}

function isTransport(value: string): value is PasskeyTransport {
  return (passkeyTransports as readonly string[]).includes(value)
}

function present({ id, name, host, created_at, last_used_at }: PasskeyRow): Passkey {
  return { id, name, host, createdAt: created_at, lastUsedAt: last_used_at }
}
