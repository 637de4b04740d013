import { createStore } from 'zustand/vanilla'

/** Set by the server on responses to requests that carry more cookies than threadbox and ordinary pages need. */
const header = 'threadbox-cookie-count'

/** How many cookies the browser sends to the server, if that is too many; otherwise null. */
export const cookieCount = createStore<{ count: number | null }>(() => ({ count: null }))

/** Wraps `fetch`: keeps `cookieCount` up to date. Only responses to a signed-in person say something about it. */
export function countingCookies(fetchOnce: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await fetchOnce(input, init)
    const count = Number(response.headers.get(header) ?? 0)
    if (response.status !== 401) cookieCount.setState({ count: count > 0 ? count : null })
    return response
  }
}
