import { once } from 'node:events'
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Preview } from '@threadbox/sdk'
import type { TestServer } from '@threadbox/testkit'

export type Answer = { status: number; headers: IncomingHttpHeaders; body: string }

/**
 * A person with a browser, as far as headers go: signed in, under the app’s own hostname, each origin with its cookies.
 */
export type Visitor = {
  /** Opens a preview as the app does; the cookie is kept. */
  open(threadId: string, target: { port: number; path?: string }): Promise<Preview & { origin: string; url: string }>
  /** Follows the one-time address and returns where it leads. */
  enter(preview: { url: string; origin: string }): Promise<Answer>
  ask(url: string, options?: { method?: string; headers?: Record<string, string>; body?: string }): Promise<Answer>
  /** The response as a stream; `send` gets the request to write to. */
  stream(url: string, options?: StreamOptions): Promise<IncomingMessage>
  upgrade(url: string, headers?: Record<string, string>): Promise<{ answer: IncomingMessage; socket: Socket }>
  signOut(): Promise<void>
}
type StreamOptions = {
  method?: string
  headers?: Record<string, string>
  send?: (request: ReturnType<typeof httpRequest>) => Promise<void>
}

/** Headers of a browser that opens a page in a frame of the app. */
export const frameVisit = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'same-site' }
/** Headers of a request from a script of the page. */
export const pageRequest = { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty', 'sec-fetch-site': 'same-origin' }

export async function signIn(server: TestServer): Promise<Visitor> {
  const cookies = new Map<string, Map<string, string>>()
  const begin = (url: string, options: { method?: string; headers?: Record<string, string> }) => {
    const { host, origin, pathname, search } = new URL(url)
    const kept = [...(cookies.get(origin) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ')
    return httpRequest({
      host: '127.0.0.1',
      port: server.port,
      path: pathname + search,
      method: options.method ?? 'GET',
      agent: false,
      headers: { host, ...(kept === '' ? {} : { cookie: kept }), ...options.headers },
    })
  }
  const keep = (url: string, answer: IncomingMessage) => {
    const { origin } = new URL(url)
    const jar = cookies.get(origin) ?? new Map<string, string>()
    for (const cookie of answer.headers['set-cookie'] ?? []) {
      const [name = '', value = ''] = (cookie.split(';')[0] ?? '').split(/=(.*)/s)
      jar.set(name, value)
    }
    cookies.set(origin, jar)
  }
  const stream: Visitor['stream'] = async (url, options = {}) => {
    const request = begin(url, options)
    const answered = once(request, 'response') as Promise<[IncomingMessage]>
    if (options.send === undefined) request.end()
    else await options.send(request)
    const [answer] = await answered
    keep(url, answer)
    return answer
  }
  const ask: Visitor['ask'] = async (url, { body, ...options } = {}) => {
    const answer = await stream(url, { ...options, send: async (request) => void request.end(body) })
    return { status: answer.statusCode ?? 0, headers: answer.headers, body: await text(answer) }
  }
  const call = async (route: string, body: unknown) => {
    const headers = { origin: server.origin, 'content-type': 'application/json' }
    const answer = await ask(`${server.origin}/api/v1${route}`, { method: 'POST', headers, body: JSON.stringify(body) })
    if (answer.status >= 300) throw new Error(`${route} answered ${answer.status}: ${answer.body}`)
    return answer
  }
  const { email, password } = server.owner
  await call('/auth/sign-in', { email, password })
  return {
    ask,
    stream,
    open: async (threadId, target) => JSON.parse((await call(`/threads/${threadId}/previews`, target)).body),
    enter: (preview) => ask(preview.url, { headers: frameVisit }),
    upgrade: async (url, more = {}) => {
      const { origin } = new URL(url)
      const headers = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', origin, ...more }
      const request = begin(url, { headers: { ...headers, 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' } })
      request.end()
      const [answer, socket] = (await Promise.race([
        once(request, 'upgrade'),
        once(request, 'response').then(([refused]) => {
          throw new Error(`refused: ${(refused as IncomingMessage).statusCode}`)
        }),
      ])) as [IncomingMessage, Socket]
      socket.on('error', () => undefined)
      return { answer, socket }
    },
    signOut: async () => {
      await call('/auth/sign-out', {})
    },
  }
}
