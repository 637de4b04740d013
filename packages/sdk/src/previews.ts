import type {
  CreatedShareLink,
  CreateShareLinkRequest,
  Preview,
  PreviewCheck,
  ShareLinks,
} from '@threadbox/protocol/public'
import type { Connection } from './request.ts'

/** Previews of sandbox services, each on its own origin. */
export function previewCalls(connection: Connection) {
  const at = (threadId: string) => `/threads/${encodeURIComponent(threadId)}`
  return {
    /** Opens a preview of a port. The address in the response works once. */
    open: (threadId: string, request: { port: number; path?: string }, signal?: AbortSignal) =>
      connection.json<Preview>('POST', `${at(threadId)}/previews`, { json: request, signal }),
    /** Gets what the app loads into a frame to check whether this browser can show previews. */
    check: (signal?: AbortSignal) => connection.json<PreviewCheck>('GET', '/previews/check', { signal }),
    /** Creates a public link to the preview of one service. Its address is returned only this once. */
    share: (threadId: string, service: string, request: CreateShareLinkRequest) =>
      connection.json<CreatedShareLink>('POST', `${at(threadId)}/services/${encodeURIComponent(service)}/share-links`, {
        json: request,
      }),
    shareLinks: (threadId: string, signal?: AbortSignal) =>
      connection.json<ShareLinks>('GET', `${at(threadId)}/share-links`, { signal }),
    /** Revokes a link. Visitors are disconnected within five seconds. */
    endShareLink: (threadId: string, linkId: string) =>
      connection.json<void>('DELETE', `${at(threadId)}/share-links/${encodeURIComponent(linkId)}`),
  }
}
