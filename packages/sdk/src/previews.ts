import type {
  CreatedShareLink,
  CreateShareLinkRequest,
  Preview,
  PreviewCheck,
  ShareLinks,
} from '@threadbox/protocol/public'
import type { Connection } from './request.ts'

/** Pages of sandboxes, each on an origin of its own. */
export function previewCalls(connection: Connection) {
  const at = (threadId: string) => `/threads/${encodeURIComponent(threadId)}`
  return {
    /** Opens what listens on a port. The address in the answer may be used once. */
    open: (threadId: string, request: { port: number; path?: string }, signal?: AbortSignal) =>
      connection.json<Preview>('POST', `${at(threadId)}/previews`, { json: request, signal }),
    /** For a page of the app: what to load into a frame to find out whether this browser can show previews. */
    check: (signal?: AbortSignal) => connection.json<PreviewCheck>('GET', '/previews/check', { signal }),
    /** A link by which anybody sees the pages of one service. Its address is told this once. */
    share: (threadId: string, service: string, request: CreateShareLinkRequest) =>
      connection.json<CreatedShareLink>('POST', `${at(threadId)}/services/${encodeURIComponent(service)}/share-links`, {
        json: request,
      }),
    shareLinks: (threadId: string, signal?: AbortSignal) =>
      connection.json<ShareLinks>('GET', `${at(threadId)}/share-links`, { signal }),
    /** Who came by it is cut off within five seconds. */
    endShareLink: (threadId: string, linkId: string) =>
      connection.json<void>('DELETE', `${at(threadId)}/share-links/${encodeURIComponent(linkId)}`),
  }
}
