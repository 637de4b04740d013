import type {
  CreatedInvite,
  CreateInvite,
  Invites,
  Join,
  Me,
  People,
  Person,
  ResetLink,
  ResetPassword,
  SignInLink,
  UpdatePerson,
} from '@threadbox/protocol/public'
import type { Connection } from './request.ts'

/** The people of an installation, and the links with which they join. */
export function peopleCalls(connection: Connection) {
  const at = (personId: string, rest = '') => `/people/${encodeURIComponent(personId)}${rest}`
  return {
    list: (signal?: AbortSignal) => connection.json<People>('GET', '/people', { signal }),
    update: (personId: string, request: UpdatePerson) =>
      connection.json<Person>('PATCH', at(personId), { json: request }),
    /** Its path is the only place of the secret. */
    createResetLink: (personId: string) => connection.json<ResetLink>('POST', at(personId, '/reset-link')),
    invites: (signal?: AbortSignal) => connection.json<Invites>('GET', '/invites', { signal }),
    /** Its path is the only place of the secret. */
    invite: (request: CreateInvite) => connection.json<CreatedInvite>('POST', '/invites', { json: request }),
    revokeInvite: (inviteId: string) => connection.json<void>('DELETE', `/invites/${encodeURIComponent(inviteId)}`),
    /** What a link is for, by the secret in its fragment. */
    readLink: (secret: string) => connection.json<SignInLink>('POST', '/auth/link', { json: { secret } }),
    join: (request: Join) => connection.json<Me>('POST', '/auth/join', { json: request }),
    resetPassword: (request: ResetPassword) => connection.json<Me>('POST', '/auth/reset', { json: request }),
  }
}
