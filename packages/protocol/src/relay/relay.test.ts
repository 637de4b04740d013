import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import {
  Agent,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type RequestListener,
  type RequestOptions,
  Server,
  type ServerResponse,
} from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { connectForRelay, passBody } from './index.ts'

const MiB = 1024 * 1024
const largeBytes = 32 * MiB

let directory: string
const servers: TcpServer[] = []
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'threadbox-relay-'))
})
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.close()
    if (server instanceof Server) server.closeAllConnections()
  }
  await rm(directory, { recursive: true, force: true })
})

/** One hop, like the host daemon’s gateway or the server’s previews. */
function makeProxy(target: { port: number } | { path: string }, options: { signal?: AbortSignal } = {}) {
  const passed: Promise<void>[] = []
  class Connections extends Agent {
    override createConnection(): Socket {
      return connectForRelay(target)
    }
  }
  const agent = new Connections({ keepAlive: true })
  const server = createServer((request, response) => {
    const upstream = httpRequest({ agent, method: request.method ?? 'GET', path: request.url ?? '/' })
    upstream.on('error', () => response.destroy())
    upstream.once('response', (incoming) => {
      response.writeHead(incoming.statusCode ?? 502, incoming.rawHeaders)
      response.flushHeaders()
      const body = passBody({ incoming, response, ...options })
      body.catch(() => undefined)
      passed.push(body)
    })
    response.once('close', () => {
      if (!response.writableFinished) upstream.destroy()
    })
    request.pipe(upstream)
  })
  return { server, passed }
}

async function listen(server: TcpServer, at: number | string = 0): Promise<{ port: number }> {
  servers.push(server)
  server.listen(at)
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port }
}

/** A service behind a hop on a unix socket and one on TCP, as behind host daemon and server. */
async function behindTwoHops(service: RequestListener, options: { signal?: AbortSignal } = {}) {
  const { port } = await listen(createServer(service))
  const inner = makeProxy({ port })
  const socketPath = path.join(directory, 'socket')
  await listen(inner.server, socketPath)
  const outer = makeProxy({ path: socketPath }, options)
  const at = await listen(outer.server)
  return { port: at.port, inner, outer }
}

async function ask(options: RequestOptions): Promise<IncomingMessage> {
  const [answer] = (await once(httpRequest(options).end(), 'response')) as [IncomingMessage]
  return answer
}

function sha256(bytes: Buffer | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

test('a large response passes two hops unchanged, and the next one comes over the same connection', async () => {
  const body = randomBytes(largeBytes)
  const { port } = await behindTwoHops((request, response) => {
    if (request.url === '/small') return void response.end('small')
    response.writeHead(200, { 'content-length': body.length })
    response.end(body)
  })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const sockets = new Set<Socket>()
  for (const url of ['/large', '/small', '/large', '/small']) {
    const answer = await ask({ port, agent, path: url })
    sockets.add(answer.socket)
    const received = Buffer.concat(await answer.toArray())
    if (url === '/small') expect(String(received)).toBe('small')
    else expect(sha256(received)).toBe(sha256(body))
  }
  expect(sockets.size).toBe(1)
  agent.destroy()
})

test('a reader that stops reading stops the service, and gets the rest when it continues', async () => {
  const total = 128
  const piece = randomBytes(MiB)
  let sent = 0
  const { port } = await behindTwoHops((_, response) => {
    response.writeHead(200, { 'content-length': total * MiB })
    const source = new Readable({ read: () => void source.push(sent++ < total ? piece : null) })
    source.pipe(response)
  })
  const answer = await ask({ port, agent: false, path: '/' })
  answer.pause()
  let before = -1
  const isStill = () => {
    const was = before
    before = sent
    return sent === was
  }
  await expect.poll(isStill, { interval: 100 }).toBe(true)
  // Kernel buffers of three connections, some MiB each, and one piece per hop.
  expect(sent).toBeLessThan(64)
  const [expected, received] = [createHash('sha256'), createHash('sha256')]
  for (let index = 0; index < total; index += 1) expected.update(piece)
  for await (const part of answer) received.update(part as Buffer)
  expect(received.digest('hex')).toBe(expected.digest('hex'))
})

test('each byte of a large response is passed on when it arrives', async () => {
  const sending = Promise.withResolvers<ServerResponse>()
  const { port } = await behindTwoHops((_, response) => {
    response.writeHead(200, { 'content-length': largeBytes })
    response.write('first')
    sending.resolve(response)
  })
  const answer = await ask({ port, agent: false, path: '/' })
  const service = await sending.promise
  expect(String((await once(answer, 'data'))[0])).toBe('first')
  for (const words of ['second', 'third']) {
    service.write(words)
    expect(String((await once(answer, 'data'))[0])).toBe(words)
  }
  answer.destroy()
})

test('a response that breaks off also breaks off for its reader', async () => {
  const { port, inner, outer } = await behindTwoHops((_, response) => {
    response.writeHead(200, { 'content-length': largeBytes })
    response.write(randomBytes(8 * MiB), () => response.destroy())
  })
  const answer = await ask({ port, agent: false, path: '/' })
  await expect(text(answer)).rejects.toThrow('aborted')
  await expect(inner.passed[0]).rejects.toThrow('aborted')
  await expect(outer.passed[0]).rejects.toThrow('aborted')
})

test('a reader that leaves ends the response of the service, and the signal cuts one that stopped reading', async () => {
  const closed: Promise<unknown>[] = []
  const cut = new AbortController()
  const { port, outer } = await behindTwoHops(
    (_, response) => {
      closed.push(once(response, 'close'))
      response.writeHead(200, { 'content-length': largeBytes })
      response.write(randomBytes(largeBytes - 1))
    },
    { signal: cut.signal },
  )
  const leaving = await ask({ port, agent: false, path: '/' })
  leaving.destroy()
  await closed[0]
  const stopped = await ask({ port, agent: false, path: '/' })
  stopped.pause()
  const gone = once(stopped.socket, 'close')
  cut.abort()
  await expect(outer.passed[1]).rejects.toThrow('aborted')
  stopped.on('error', () => undefined).resume()
  await Promise.all([gone, closed[1]])
})

test('a large length without a body (HEAD, 304) ends the response with its head', async () => {
  const { port } = await behindTwoHops((request, response) => {
    response.writeHead(request.url === '/kept' ? 304 : 200, { 'content-length': largeBytes })
    response.end()
  })
  for (const asked of [{ method: 'HEAD' }, { path: '/kept' }]) {
    const answer = await ask({ port, agent: false, path: '/', ...asked })
    expect(answer.headers['content-length']).toBe(String(largeBytes))
    expect(await text(answer)).toBe('')
  }
})

test('bytes beyond the announced length do not become the next response', async () => {
  const forged = 'HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nforged'
  const body = randomBytes(largeBytes)
  const service = createTcpServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', (head) => {
      if (!String(head).startsWith('GET /large')) return socket.end('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nreal')
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n`)
      socket.write(Buffer.concat([body, Buffer.from(forged)]))
    })
  })
  const proxy = makeProxy(await listen(service))
  const { port } = await listen(proxy.server)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const answer = await ask({ port, agent, path: '/large' })
  expect(sha256(Buffer.concat(await answer.toArray()))).toBe(sha256(body))
  expect(await text(await ask({ port, agent, path: '/next' }))).toBe('real')
  agent.destroy()
})

test('a small response leaves its connection for the next', async () => {
  const proxy = makeProxy(
    await listen(createServer((request, response) => void response.end(String(request.socket.remotePort)))),
  )
  const { port } = await listen(proxy.server)
  const from = async () => await text(await ask({ port, agent: false, path: '/' }))
  expect(await from()).toBe(await from())
})
