import { guestPorts } from '@threadbox/protocol/guest'
import type { Preview } from '@threadbox/protocol/public'
import { LRUCache } from 'lru-cache'
import type { Caller } from '../../platform/http/caller.ts'
import { sha256Of } from '../../platform/secrets/sha256.ts'
import type { System } from '../../platform/system/system.ts'
import { makePassSecret } from './pass-secrets.ts'
import type { PreviewAddress, PreviewNames } from './preview-names.logic.ts'
import { previewNoName, previewOtherName, previewPortReserved } from './previews.errors.ts'
import type { PreviewStore, ValidPass } from './previews.store.ts'

/** How long a browser can take from the response to the page. */
const ticketMs = 60_000
/** After this time, a page has to be opened again. */
export const cookieMs = 7 * 24 * 3600 * 1000
/** How long a pass is considered valid after a lookup: part of the 5 s within which it ends with its session. */
const trustMs = 1000
const labelLength = 10
const labelAlphabet = 'abcdefghijklmnopqrstuvwxyz234567'
/** A browser sends one cookie; more come from pages that try to hide it. */
const maxCandidates = 8

/** The path that a ticket opens, and the cookie to set; undefined if the browser has one that stays valid. */
export type Entered = { path: string; cookie: string | undefined }

/** Access to pages, and how a browser gets it. */
export type Previews = {
  /** Returns a new one-time URL. `host` is the name under which the caller reached the server. */
  open(caller: Caller, target: { threadId: string; port: number; path: string; host: string }): Promise<Preview>
  /** Exchanges a ticket, once. Undefined if it is not one for this address, whatever the reason. */
  enter(ticket: string, visitor: { address: PreviewAddress; cookies: readonly string[] }): Promise<Entered | undefined>
  /** The pass among these cookies that is valid for this address. */
  admit(cookies: readonly string[], address: PreviewAddress): Promise<ValidPass | undefined>
  /** The label of the thread’s previews; assigns one if it has none. */
  labelOf(threadId: string): Promise<string>
  /** Those of these passes that are valid now, without a cache. New requests with the others are refused from then on. */
  stillValid(sha256s: readonly string[]): Promise<Set<string>>
  /** Call it when the thread is gone for good. */
  forget(threadId: string): Promise<void>
}

export function makePreviews(dependencies: { store: PreviewStore; names: PreviewNames; system: System }): Previews {
  const { store, names, system } = dependencies
  const makeLabel = () =>
    Array.from(system.randomBytes(labelLength), (byte) => labelAlphabet[byte % labelAlphabet.length]).join('')
  const known = new LRUCache<string, { pass: ValidPass | undefined; at: number }>({ max: 2000 })
  const lookUp = async (sha256: string) => {
    const now = system.now()
    const recent = known.get(sha256)
    if (recent !== undefined && Math.abs(now - recent.at) < trustMs) return recent.pass
    const [pass] = await store.valid([sha256], now)
    known.set(sha256, { pass, at: now })
    return pass
  }
  const admit: Previews['admit'] = async (cookies, { port, label }) => {
    for (const cookie of cookies.slice(0, maxCandidates)) {
      const pass = await lookUp(sha256Of(cookie))
      if (pass?.kind === 'cookie' && pass.port === port && pass.label === label) return pass
    }
    return undefined
  }
  const labelOf = (threadId: string) => store.labelOf(threadId, { make: makeLabel, now: system.now() })
  return {
    open: async (caller, { threadId, port, path, host }) => {
      if (guestPorts.includes(port)) throw previewPortReserved({ port })
      const now = system.now()
      const obstacle = obstacleOf(caller, names, host)
      const appOrigin = names.appOrigin(host)
      if (obstacle !== undefined) {
        return { url: null, origin: null, appOrigin, expiresAt: now, unavailable: explained(obstacle, appOrigin) }
      }
      await store.removeExpired(now)
      const label = await labelOf(threadId)
      const ticket = makePassSecret(system)
      await store.addPass({
        sha256: sha256Of(ticket),
        kind: 'ticket',
        thread_id: threadId,
        port,
        path,
        user_id: caller.userId,
        session_id: caller.sessionId,
        api_key_id: caller.apiKeyId,
        share_id: null,
        app_origin: caller.sessionId === null ? appOrigin : names.ownOrigin(host),
        created_at: now,
        expires_at: now + ticketMs,
      })
      const origin = names.originOf({ port, label }, host)
      const url = `${origin}/.threadbox/enter?token=${ticket}`
      return { url, origin, appOrigin, expiresAt: now + ticketMs, unavailable: null }
    },
    enter: async (ticket, { address, cookies }) => {
      const now = system.now()
      const pass = await store.takeTicket(sha256Of(ticket), now)
      if (pass === undefined || pass.port !== address.port || pass.label !== address.label) return undefined
      const before = await admit(cookies, address)
      // A second tab of the same session keeps the cookie of the first, on which its open connections depend.
      if (before !== undefined && isSameSession(before, pass)) return { path: pass.path, cookie: undefined }
      const cookie = makePassSecret(system)
      const { label: _label, may_wake: _mayWake, ...row } = pass
      const dates = { created_at: now, expires_at: now + cookieMs }
      await store.addPass({ ...row, ...dates, sha256: sha256Of(cookie), kind: 'cookie', path: '' })
      return { path: pass.path, cookie }
    },
    admit,
    labelOf,
    stillValid: async (sha256s) => {
      const valid = new Set((await store.valid(sha256s, system.now())).map((pass) => pass.sha256))
      for (const sha256 of sha256s) if (!valid.has(sha256)) known.delete(sha256)
      return valid
    },
    forget: (threadId) => store.retireLabel(threadId),
  }
}

/** A program that opens a preview hands the URL to a browser, which needs no frame for it. */
function obstacleOf(caller: Caller, names: PreviewNames, host: string) {
  const obstacle = names.obstacle(host)
  return obstacle === 'other-name' && caller.sessionId === null ? undefined : obstacle
}

function explained(obstacle: 'other-name' | 'no-name', appOrigin: string): NonNullable<Preview['unavailable']> {
  const port = new URL(appOrigin).port || '80'
  const error = obstacle === 'no-name' ? previewNoName({ port }) : previewOtherName({ address: appOrigin })
  return { code: error.code, message: error.message, remedy: error.remedy }
}

function isSameSession(one: ValidPass, other: ValidPass): boolean {
  return (
    one.session_id === other.session_id && one.api_key_id === other.api_key_id && one.app_origin === other.app_origin
  )
}
