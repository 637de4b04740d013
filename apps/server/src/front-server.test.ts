import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from './application.test-utils.ts'
import { makeFrontServer } from './front-server.ts'

/** Large headers on the real server: what a browser sends after a page planted cookies. */
let server: TestApplication
let owner: TestPerson
let listener: Server
let port: number
const opened: Socket[] = []
beforeEach(async () => {
  server = await makeTestApplication()
  owner = await server.signUpOwner()
  listener = makeFrontServer({ app: server.app, previews: server.previewServer, sockets: server.socketServer })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  port = (listener.address() as AddressInfo).port
})
afterEach(async () => {
  for (const socket of opened.splice(0)) socket.destroy()
  listener.closeAllConnections()
  listener.close()
  await server[Symbol.asyncDispose]()
})

/** As many and as large cookies as Chromium keeps for a domain. */
const planted = Array.from({ length: 180 }, (_, number) => `planted-${number}=${'x'.repeat(4080)}`)

async function get(path: string, headers: Record<string, string>): Promise<IncomingMessage & { body: string }> {
  const request = httpRequest({
    host: '127.0.0.1',
    port,
    path,
    agent: false,
    headers: { host: `localhost:${port}`, ...headers },
  })
  request.end()
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return Object.assign(response, { body: await text(response) })
}

/** A connection that has sent this much of its headers. */
async function sending(bytes: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  opened.push(socket)
  await once(socket, 'connect')
  socket.on('error', () => undefined)
  socket.write(`GET /api/v1/setup HTTP/1.1\r\nhost: localhost:${port}\r\ncookie: a=${'x'.repeat(bytes)}`)
  return socket
}

test('O12: with all cookies that a browser keeps for a domain, the app works and says how many there are', async () => {
  const response = await get('/api/v1/me', { cookie: [...planted, owner.headers.cookie].join('; ') })
  expect([response.statusCode, response.headers['threadbox-cookie-count']]).toEqual([200, '182'])
  const ordinary = await get('/api/v1/me', { cookie: owner.headers.cookie ?? '' })
  expect([ordinary.statusCode, ordinary.headers['threadbox-cookie-count']]).toEqual([200, undefined])
})

test('O12: headers beyond 1 MiB are refused', async () => {
  const response = await get('/api/v1/setup', { cookie: `a=${'x'.repeat(1024 * 1024)}` })
  expect(response.statusCode).toBe(431)
})

test('G9: more than 64 connections with large headers at a time are closed or refused; others are served', async () => {
  const sockets = await Promise.all(Array.from({ length: 80 }, () => sending(100_000)))
  const closed = () => sockets.filter((socket) => socket.destroyed || socket.closed).length
  await expect.poll(closed, { timeout: 10_000 }).toBe(16)
  expect((await get('/api/v1/setup', {})).statusCode).toBe(200)
  const refused = await get('/api/v1/setup', { cookie: `a=${'x'.repeat(100_000)}` }).catch((error) => error)
  expect([503, 'ECONNRESET']).toContain(refused.statusCode ?? refused.code)
  for (const socket of sockets) socket.destroy()
  const works = () => get('/api/v1/setup', { cookie: planted.join('; ') }).then(({ statusCode }) => statusCode, String)
  await expect.poll(works, { timeout: 10_000 }).toBe(200)
})
