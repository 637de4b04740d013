import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { buffer } from 'node:stream/consumers'
import { connectNodeAdapter } from '@connectrpc/connect-node'
import { startGitServer } from '@threadbox/testkit'
import { WebSocketServer } from 'ws'
import type { ArrivedRequest } from './arrived-request.ts'
import { serveCalls } from './calls.ts'
import { passTo } from './pass-to.ts'
import { pseudoRandom, send } from './pseudo-random.ts'

/**
 * Hosts on the internet that want a credential: paths are `/CLIENT/SERVICE/…`, and those of gRPC. Prints `ready`, and for
 * each line that it reads the {@link ArrivedRequest}s since the last.
 */
const [directory = '', address = '', value = ''] = process.argv.slice(2)
const user = 'somebody'
/** What `echo` responds with. */
const page = pseudoRandom(100_000)

type Exchange = {
  request: Http2ServerRequest
  response: Http2ServerResponse
  url: URL
  /** Of the host and the client, so that clients don’t meet. */
  key: string
  /** The path after the service. */
  rest: string
}

const services: Record<string, (exchange: Exchange) => unknown> = {
  /** Responds with the status that is asked for, the digest of what arrived, and a page. */
  echo: async ({ request, response, url }) => {
    const received = createHash('sha256').update(await buffer(request))
    const status = Number(url.searchParams.get('status') ?? '200')
    const isSized = status !== 204 && !url.searchParams.has('chunked')
    const sizes = isSized ? { 'content-length': page.length } : {}
    response.writeHead(status, { 'x-received': received.digest('hex'), ...sizes }).end(status === 204 ? '' : page)
  },
  up: async ({ request, response }) => {
    const received = createHash('sha256')
    let bytes = 0
    for await (const chunk of request as AsyncIterable<Buffer>) {
      received.update(chunk)
      bytes += chunk.length
    }
    response.end(`${bytes} ${received.digest('hex')}`)
  },
  down: async ({ response, url }) => {
    const bytes = Number(url.searchParams.get('bytes'))
    response.setHeader('content-length', bytes)
    await send(response, bytes)
  },
  /** Responds when as many requests as are asked for have arrived. */
  together: ({ response, url, key }) => {
    const here = waiting.get(key) ?? []
    waiting.set(key, [...here, () => response.end(url.searchParams.get('number') ?? '')])
    if (here.length + 1 < Number(url.searchParams.get('of'))) return
    for (const respond of waiting.get(key) ?? []) respond()
    waiting.delete(key)
  },
  /** Sends each event when the one before was acknowledged. */
  events: async ({ response, url, key }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const everyMs = Number(url.searchParams.get('everyMs'))
    for (let number = 0; number < Number(url.searchParams.get('count')); number++) {
      const acknowledged = new Promise<void>((resolve) => waiting.set(key, [resolve]))
      await new Promise((resolve) => setTimeout(resolve, number === 0 ? 0 : everyMs))
      response.write(`id: ${number}\ndata: ${Date.now()}\n\n`)
      await acknowledged
    }
    response.end()
  },
  acknowledge: ({ response, key }) => {
    for (const acknowledge of waiting.get(key) ?? []) acknowledge()
    response.end()
  },
  /** Keeps what is put, and gives it to who gets it: an index of Python packages. */
  files: async ({ request, response, rest }) => {
    if (request.method === 'PUT') files.set(rest, await buffer(request))
    response.end(files.get(rest) ?? '')
  },
  simple: ({ response }) => {
    const links = [...files].map(([name, content]) => {
      const digest = createHash('sha256').update(content).digest('hex')
      return `<a href="../../files/${name}#sha256=${digest}">${name}</a>`
    })
    response.setHeader('content-type', 'text/html')
    response.end(links.join('\n'))
  },
  npm: async ({ request, response, key, rest }) => {
    const [name = '', file] = rest.split('/-/')
    if (request.method === 'PUT') packages.set(key + name, JSON.parse((await buffer(request)).toString()))
    const { _attachments: attachments = {}, ...described } = packages.get(key + name) ?? {}
    if (file === undefined) response.end(JSON.stringify(described))
    else response.end(Buffer.from(attachments[file]?.data ?? '', 'base64'))
  },
  git: ({ request, response, url, rest }) => passTo(new URL(`/${rest}${url.search}`, git.url), { request, response }),
}
type Package = { _attachments?: Record<string, { data: string }> }
const waiting = new Map<string, (() => void)[]>()
const files = new Map<string, Buffer>()
const packages = new Map<string, Package>()
let arrived: ArrivedRequest[] = []

const git = await startGitServer()
git.username = user
git.token = value
for (const name of ['direct', 'brokered']) await git.commit(`team/${name}`, { 'readme.md': 'private words\n' })

const file = (name: string) => readFileSync(path.join(directory, name))
const server = createSecureServer({ allowHTTP1: true, key: file('host.key'), cert: file('host.pem') })
const calls = connectNodeAdapter({
  routes: serveCalls,
  fallback: (request, response) => serve(request as Http2ServerRequest, response as Http2ServerResponse),
})
server.on('request', (request, response) => {
  if (isAllowed(request)) calls(request, response)
  else response.writeHead(401, { 'www-authenticate': 'Basic realm="private"' }).end('who are you?')
})
const sockets = new WebSocketServer({ noServer: true })
server.on('upgrade', (request, socket, head) => {
  if (!isAllowed(request)) return socket.end('HTTP/1.1 401 Unauthorized\r\nconnection: close\r\n\r\n')
  sockets.handleUpgrade(request, socket, head, (opened) => {
    opened.on('message', (data, isBinary) => {
      if (String(data) === 'bye') opened.close(4001, 'bye')
      else opened.send(data, { binary: isBinary })
    })
  })
})
server.listen(443, address, () => console.log('ready'))
createInterface({ input: process.stdin }).on('line', () => {
  console.log(JSON.stringify(arrived))
  arrived = []
})

type Arriving = Pick<Http2ServerRequest, 'headers' | 'httpVersion' | 'method' | 'url'>

function isAllowed(request: Arriving): boolean {
  const { authorization = '', host, ':authority': authority } = request.headers
  const [scheme = '', given = ''] = authorization.split(' ')
  const credential = scheme === 'Basic' ? Buffer.from(given, 'base64').toString() : given
  // Some clients name the port, which means the same.
  const name = (authority ?? host ?? '').replace(/:443$/, '')
  const text = [request.httpVersion, request.method, request.url, scheme, credential].join(' ')
  arrived.push({ at: Date.now(), host: name, text })
  return credential === (scheme === 'Basic' ? `${user}:${value}` : value)
}

function serve(request: Http2ServerRequest, response: Http2ServerResponse): void {
  const url = new URL(request.url, 'https://host')
  const [, client = '', service = '', ...rest] = decodeURIComponent(url.pathname).split('/')
  const host = request.headers[':authority'] ?? request.headers.host
  const exchange = { request, response, url, key: `${host} ${client} `, rest: rest.join('/') }
  response.on('error', () => undefined)
  const found = services[service]
  if (found === undefined) response.writeHead(404).end('nothing here')
  else Promise.resolve(found(exchange)).catch(() => response.stream?.destroy())
}
