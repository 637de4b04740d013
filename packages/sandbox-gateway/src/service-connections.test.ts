import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { gatewayPaths } from '@threadbox/protocol/host'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { OpenBoot } from './admitted-boots.ts'
import { makeBootUses } from './boot-uses.ts'
import { type GatewayUnderTest, startGatewayUnderTest } from './gateway.test-utils.ts'
import { ServiceConnections } from './service-connections.ts'

let gateway: GatewayUnderTest
let sandbox: { sandboxId: string; bootId: string }
const services: TcpServer[] = []
beforeEach(async () => {
  gateway = await startGatewayUnderTest()
  sandbox = await gateway.admit()
})
afterEach(async () => {
  for (const service of services.splice(0)) service.close()
  await gateway[Symbol.asyncDispose]()
})

/** Serves at every address of this machine, including the sandbox's; returns the address behind the gateway. */
async function serve(service: TcpServer): Promise<string> {
  services.push(service)
  service.listen(0)
  await once(service, 'listening')
  return gateway.url + gatewayPaths.port(sandbox.sandboxId, (service.address() as AddressInfo).port)
}

/** Responds to each request with the number of earlier ones on its connection, and counts connections. */
function countingService(): { service: Server; connections: Socket[] } {
  const connections: Socket[] = []
  const counts = new WeakMap<Socket, number>()
  const service = createServer((request, response) => {
    const before = counts.get(request.socket) ?? 0
    counts.set(request.socket, before + 1)
    request.resume().on('end', () => response.end(String(before)))
  })
  service.on('connection', (socket) => connections.push(socket))
  return { service, connections }
}

test('O4: requests to a service share one connection, one after another', async () => {
  const { service, connections } = countingService()
  const url = await serve(service)
  const answers: string[] = []
  for (let index = 0; index < 4; index += 1) answers.push(await (await fetch(url)).text())
  // One, unless the machine slept for longer in between than an unused one is kept.
  expect(connections.length).toBeLessThan(4)
  expect(answers).toContain('1')
})

test('what cannot be sent twice gets its own connection', async () => {
  const { service, connections } = countingService()
  const url = await serve(service)
  await (await fetch(url)).text()
  expect(await (await fetch(url, { method: 'POST', body: 'x' })).text()).toBe('0')
  expect(await (await fetch(url, { method: 'DELETE' })).text()).toBe('0')
  expect(connections).toHaveLength(3)
})

/** Responds to the first request of each connection; the test decides about the second. */
async function serveOnce(second: (socket: Socket) => void): Promise<{ url: string; seconds: () => number }> {
  let seconds = 0
  const service = createTcpServer((socket) => {
    let requests = 0
    socket.on('error', () => undefined)
    socket.on('data', () => {
      requests += 1
      if (requests === 1) return void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
      seconds += 1
      second(socket)
    })
  })
  return { url: await serve(service), seconds: () => seconds }
}

test('a request that meets a connection being closed is sent again over a new one', async () => {
  const { url, seconds } = await serveOnce((socket) => socket.destroy())
  for (let index = 0; index < 4; index += 1) expect(await (await fetch(url)).text()).toBe('ok')
  expect(seconds()).toBeGreaterThan(0)
})

test('a request to which the service has begun to respond is not sent again', async () => {
  const { url, seconds } = await serveOnce((socket) => socket.end('HTTP/1.1 200 OK\r\ncont'))
  expect(await (await fetch(url)).text()).toBe('ok')
  expect((await fetch(url)).status).toBe(503)
  expect(seconds()).toBe(1)
})

function loopbackBoot(): OpenBoot {
  const names = { bootId: '', sandboxId: '', accessToken: '' }
  const { signal: ended } = new AbortController()
  const uses = makeBootUses({ ended, onWanted: () => undefined })
  return { ...names, address: '127.0.0.1', ended, connections: new Set(), uses }
}

test('a service that serves one connection at a time comes to the next one', async () => {
  const waiting: Socket[] = []
  const next = () => {
    const current = waiting[0]
    current?.once('close', () => {
      waiting.shift()
      next()
    })
    current?.on('data', () => current.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'))
  }
  const service = createTcpServer((socket) => {
    socket.on('error', () => undefined)
    if (waiting.push(socket) === 1) next()
  })
  await serve(service)
  const { port } = service.address() as AddressInfo
  // Without yielding this would never finish.
  const connections = new ServiceConnections(loopbackBoot(), { idleMs: 0, yieldAfterMs: 20 })
  const ask = async () => {
    const request = httpRequest({ host: '127.0.0.1', port, agent: connections }).end()
    request.once('socket', () => connections.yieldTo(request, port))
    const [answer] = (await once(request, 'response')) as [IncomingMessage]
    return await text(answer)
  }
  expect(await Promise.all([ask(), ask(), ask()])).toEqual(['ok', 'ok', 'ok'])
  connections.destroy()
})

test('O4: a response that takes longer than an unused connection is kept still arrives', async () => {
  const service = createServer((_, response) => {
    setTimeout(() => response.write('first '), 100)
    setTimeout(() => response.end('second'), 200)
  })
  await serve(service)
  const { port } = service.address() as AddressInfo
  const connections = new ServiceConnections(loopbackBoot(), { idleMs: 20, yieldAfterMs: 20 })
  const request = httpRequest({ host: '127.0.0.1', port, agent: connections }).end()
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  expect(await text(answer)).toBe('first second')
})

test('C8: kept connections end with the boot', async () => {
  const { service, connections } = countingService()
  const url = await serve(service)
  await (await fetch(url)).text()
  const [kept] = connections
  expect(kept?.destroyed).toBe(false)
  const closed = once(kept as Socket, 'close')
  await Promise.all([closed, gateway.close(sandbox)])
})
