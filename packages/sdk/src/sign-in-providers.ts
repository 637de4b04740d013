import type {
  ConnectIdentity,
  CreateSignInProvider,
  Identities,
  SignInButtons,
  SignInProvider,
  SignInProviders,
  StartedProviderSignIn,
  StartProviderSignIn,
  TestedSignInProvider,
  UpdateSignInProvider,
} from '@threadbox/protocol/public'
import type { Connection } from './request.ts'

/** Signing in elsewhere, and what the owner sets for it. */
export function signInCalls(connection: Connection) {
  const at = (providerId: string, rest = '') => `/sign-in-providers/${encodeURIComponent(providerId)}${rest}`
  return {
    /** The buttons of the sign-in page. `problem`: the code with which a provider’s sign-in came back. */
    buttons: (options: { problem?: string | undefined; signal?: AbortSignal } = {}) =>
      connection.json<SignInButtons>('GET', '/auth/providers', {
        query: { problem: options.problem },
        signal: options.signal,
      }),
    /** Returns the address to open in the same browser. */
    start: (request: StartProviderSignIn) =>
      connection.json<StartedProviderSignIn>('POST', '/auth/providers/start', { json: request }),
    identities: (signal?: AbortSignal) => connection.json<Identities>('GET', '/auth/identities', { signal }),
    connect: (request: ConnectIdentity) =>
      connection.json<StartedProviderSignIn>('POST', '/auth/identities', { json: request }),
    /** Returns the address to open in the same browser. The session counts as confirmed when the person comes back. */
    confirm: (request: ConnectIdentity) =>
      connection.json<StartedProviderSignIn>('POST', '/auth/confirm/provider', { json: request }),
    disconnect: (identityId: string) =>
      connection.json<void>('DELETE', `/auth/identities/${encodeURIComponent(identityId)}`),
    providers: (signal?: AbortSignal) => connection.json<SignInProviders>('GET', '/sign-in-providers', { signal }),
    create: (request: CreateSignInProvider) =>
      connection.json<SignInProvider>('POST', '/sign-in-providers', { json: request }),
    update: (providerId: string, request: UpdateSignInProvider) =>
      connection.json<SignInProvider>('PATCH', at(providerId), { json: request }),
    remove: (providerId: string) => connection.json<void>('DELETE', at(providerId)),
    test: (providerId: string) => connection.json<TestedSignInProvider>('POST', at(providerId, '/test')),
  }
}
