import type { Preview } from '@threadbox/protocol/public'
import type { Connection } from './request.ts'

/** Pages of sandboxes, each on an origin of its own. */
export function previewCalls(connection: Connection) {
  return {
    /** Opens what listens on a port. The address in the answer may be used once. */
    open: (threadId: string, request: { port: number; path?: string }, signal?: AbortSignal) =>
      connection.json<Preview>('POST', `/threads/${encodeURIComponent(threadId)}/previews`, { json: request, signal }),
  }
}
