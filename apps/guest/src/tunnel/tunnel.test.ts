import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { guestPaths, guestPorts, tunnelProtocol } from '@threadbox/protocol/guest'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startTestGuest, type TestGuest, testToken } from '../guest.test-utils.ts'

let guest: TestGuest
const services: Server[] = []
beforeEach(async () => {
  guest = await startTestGuest()
  await guest.handshake()
})
afterEach(async () => {
  for (const service of services.splice(0)) service.close()
  await guest[Symbol.asyncDispose]()
})

async function serve(address: string): Promise<number> {
  const service = createServer((request, response) => void request.pipe(response))
  services.push(service)
  service.listen(0, address)
  await once(service, 'listening')
  return (service.address() as AddressInfo).port
}

type Dug = { status: number | undefined; socket: Socket | undefined }
function dig(path: string, headers: Record<string, string> = {}): Promise<Dug> {
  const { promise, resolve, reject } = Promise.withResolvers<Dug>()
  const request = httpRequest(guest.url + path, {
    headers: { connection: 'Upgrade', upgrade: tunnelProtocol, 'x-access-token': testToken, ...headers },
    agent: false,
  })
  request.once('upgrade', (response: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.unshift(head)
    resolve({ status: response.statusCode, socket })
  })
  request.once('response', (response) => {
    response.resume()
    resolve({ status: response.statusCode, socket: undefined })
  })
  request.once('error', reject)
  request.end()
  return promise
}

test.each(['127.0.0.1', '::1'])(
  'O4: a service that listens on %s only is reached, with its data unchanged',
  async (address) => {
    const { socket } = await dig(guestPaths.tunnel(await serve(address)))
    expect(socket).toBeDefined()
    socket?.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello')
    const answer = String(Buffer.concat((await socket?.toArray()) ?? []))
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*hello/)
  },
)

test('a port without a listener, an invalid port, and another protocol open nothing', async () => {
  const port = await serve('127.0.0.1')
  services.pop()?.close()
  expect(await dig(guestPaths.tunnel(port))).toEqual({ status: 502, socket: undefined })
  expect((await dig('/tunnel/0')).status).toBe(404)
  expect((await dig('/tunnel/65536')).status).toBe(404)
  expect((await dig(guestPaths.tunnel(port), { upgrade: 'websocket' })).status).toBe(404)
})

test('O12: ports of the guest itself are not reachable through a tunnel', async () => {
  for (const port of guestPorts) expect((await dig(guestPaths.tunnel(port))).status).toBe(404)
})

test('O12: without the token of the boot there is no tunnel', async () => {
  const port = await serve('127.0.0.1')
  expect((await dig(guestPaths.tunnel(port), { 'x-access-token': 'wrong' })).status).toBe(401)
})

test('a tunnel ends with the service and with the gateway', async () => {
  const service = createTcpServer((socket) => void socket.end('bye'))
  services.push(service)
  service.listen(0, '127.0.0.1')
  await once(service, 'listening')
  const { port } = service.address() as AddressInfo
  const first = await dig(guestPaths.tunnel(port))
  expect(String(Buffer.concat((await first.socket?.toArray()) ?? []))).toBe('bye')

  const silent = createTcpServer()
  services.push(silent)
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const accepted = once(silent, 'connection') as Promise<[Socket]>
  const second = await dig(guestPaths.tunnel((silent.address() as AddressInfo).port))
  const [inner] = await accepted
  inner.on('error', () => undefined)
  const closed = once(inner, 'close')
  inner.resume()
  second.socket?.destroy()
  await closed
})
