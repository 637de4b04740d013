import { createClient, type ThreadboxClient } from '@threadbox/sdk'
import { askForConfirmation, confirmingFetch } from './confirmation.ts'
import { countingCookies } from './cookie-count.ts'

/**
 * The API client of this page. All its event streams share one WebSocket, which is closed while the page is in the
 * browser’s back/forward cache: cached pages keep their connections open.
 */
export function makePageClient(): ThreadboxClient {
  const client = createClient({
    fetch: confirmingFetch(
      countingCookies((...request) => fetch(...request)),
      askForConfirmation,
    ),
    streamSocket: (url) => new WebSocket(socketAddress(url)),
  })
  addEventListener('pagehide', () => client.suspendStreams())
  addEventListener('pageshow', () => client.resumeStreams())
  return client
}

/** The full address of a WebSocket of the API: not every browser supports relative ones. */
export function socketAddress(url: string): string {
  const address = new URL(url, location.href)
  address.protocol = address.protocol.replace('http', 'ws')
  return address.href
}
