import type {
  Belongings,
  HandOver,
  OfferOwnership,
  OpenThreadRequest,
  OwnershipOffer,
  PersonalNames,
  ThreadOpening,
} from '@threadbox/protocol/public'
import type { Connection } from './request.ts'

/** People who leave, a new owner, and what stays personal. */
export function leavingCalls(connection: Connection) {
  const person = (id: string, rest: string) => `/people/${encodeURIComponent(id)}${rest}`
  const thread = (id: string, rest: string) => `/threads/${encodeURIComponent(id)}${rest}`
  return {
    belongings: (personId: string, signal?: AbortSignal) =>
      connection.json<Belongings>('GET', person(personId, '/belongings'), { signal }),
    ownBelongings: (signal?: AbortSignal) => connection.json<Belongings>('GET', '/me/belongings', { signal }),
    handOver: (personId: string, request: HandOver) =>
      connection.json<Belongings>('POST', person(personId, '/hand-over'), { json: request }),
    /** This can’t be undone. */
    erase: (personId: string) => connection.json<Belongings>('POST', person(personId, '/erase')),
    /** Erases one’s own account. This can’t be undone. */
    eraseOwn: () => connection.json<Belongings>('POST', '/me/erase'),
    /** The address of a zip with everything that is one’s own. */
    exportUrl: () => connection.url('/me/export'),
    ownershipOffer: (signal?: AbortSignal) => connection.json<OwnershipOffer>('GET', '/ownership-offer', { signal }),
    offerOwnership: (request: OfferOwnership) =>
      connection.json<OwnershipOffer>('PUT', '/ownership-offer', { json: request }),
    endOwnershipOffer: () => connection.json<void>('DELETE', '/ownership-offer'),
    acceptOwnership: () => connection.json<void>('POST', '/ownership-offer/accept'),
    personalUses: (threadId: string, signal?: AbortSignal) =>
      connection.json<PersonalNames>('GET', thread(threadId, '/personal-uses'), { signal }),
    personalUsesIn: (workspaceId: string, signal?: AbortSignal) =>
      connection.json<PersonalNames>('GET', `/workspaces/${encodeURIComponent(workspaceId)}/personal-uses`, { signal }),
    handOverThread: (threadId: string, request: HandOver) =>
      connection.json<PersonalNames>('POST', thread(threadId, '/hand-over'), { json: request }),
    openThread: (threadId: string, request: OpenThreadRequest) =>
      connection.json<ThreadOpening>('POST', thread(threadId, '/openings'), { json: request }),
  }
}
