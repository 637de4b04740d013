import { createHmac } from 'node:crypto'
import type { Devices } from './device-cookie.ts'
import { type Login, sessionCookie } from './login.ts'
import { accountDisabled, authRequired } from './users.errors.ts'
import type { UserStore } from './users.store.ts'

/** `setCookies`: values of `Set-Cookie`. */
export type StartedSession = { sessionId: string; setCookies: string[] }

/**
 * Starts the same session as a password does, for a person who has proved in another way who they are. Always a new
 * one, whatever the browser had before. Throws `auth.account-disabled`.
 */
export type StartSession = (userId: string, origin: { headers: Headers; address: string }) => Promise<StartedSession>

export function makeStartSession(options: {
  login: Login
  store: Pick<UserStore, 'person' | 'endSession'>
  devices: Devices
  cookie: { name: string; isSecure: boolean }
}): StartSession {
  const { login, store, devices, cookie } = options
  const enabled = async (userId: string) => {
    const person = await store.person(userId)
    if (person === undefined) throw authRequired({})
    if (person.disabledAt !== null) throw accountDisabled({})
    return person
  }
  return async (userId, origin) => {
    const { email } = await enabled(userId)
    const { internalAdapter, secret } = await login.$context
    const { id, token } = await internalAdapter.createSession(userId, false, {
      ipAddress: origin.address,
      userAgent: origin.headers.get('user-agent') ?? '',
    })
    // Disabling ends the sessions that exist: one that was made in the meantime ends here.
    await enabled(userId).catch(async (error: unknown) => {
      await store.endSession(userId, id)
      throw error
    })
    const signature = createHmac('sha256', secret).update(token).digest('base64')
    const value = encodeURIComponent(`${token}.${signature}`)
    return { sessionId: id, setCookies: [sessionCookie({ ...cookie, value }), devices.cookieFor(email)] }
  }
}
