import type {
  AddPasskey,
  Me,
  NewPasskeyRequest,
  Passkey,
  PasskeyRequest,
  PasskeySignIn,
  Passkeys,
} from '@threadbox/protocol/public'
import type { Connection } from './request.ts'

/** Passkeys, in a browser: each call that uses or adds one needs a request that the same browser asked for before. */
export function passkeyCalls(connection: Connection) {
  const at = (passkeyId: string) => `/passkeys/${encodeURIComponent(passkeyId)}`
  return {
    /** What the browser needs to sign in with a passkey. */
    signInRequest: () => connection.json<PasskeyRequest>('POST', '/auth/passkey/request'),
    signIn: (request: PasskeySignIn) => connection.json<Me>('POST', '/auth/passkey', { json: request }),
    /** What the browser needs for `account.confirm` with a passkey. */
    confirmRequest: () => connection.json<PasskeyRequest>('POST', '/auth/confirm/request'),
    list: (signal?: AbortSignal) => connection.json<Passkeys>('GET', '/passkeys', { signal }),
    /** What the browser needs to make a passkey. */
    addRequest: () => connection.json<NewPasskeyRequest>('POST', '/passkeys/request'),
    add: (request: AddPasskey) => connection.json<Passkey>('POST', '/passkeys', { json: request }),
    rename: (passkeyId: string, name: string) => connection.json<Passkey>('PATCH', at(passkeyId), { json: { name } }),
    remove: (passkeyId: string) => connection.json<void>('DELETE', at(passkeyId)),
  }
}
