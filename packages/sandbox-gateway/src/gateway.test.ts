import { once } from 'node:events'
import { Agent, createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { gitPort } from '@threadbox/protocol/guest'
import { gatewayPaths } from '@threadbox/protocol/host'
import { expect, test } from 'vitest'
import {
  bootEnded,
  type GatewayUnderTest,
  type GuestBehavior,
  newId,
  startGatewayUnderTest,
} from './gateway.test-utils.ts'

const MiB = 1024 * 1024

async function running(behavior: GuestBehavior) {
  const gateway = await startGatewayUnderTest({ behavior })
  const sandbox = await gateway.admit()
  return { gateway, boot: sandbox, ...sandbox, guest: gateway.url + gatewayPaths.guest(sandbox.sandboxId) }
}

async function codeOf(response: Response) {
  return [response.status, ((await response.json()) as { error: { code: string } }).error.code]
}

test('a request to a sandbox that is unknown or not running is refused with its code', async () => {
  await using gateway = await startGatewayUnderTest()
  const unknown = await fetch(`${gateway.url}${gatewayPaths.guest(newId('s'))}/health`, {
    method: 'POST',
    body: 'x',
  })
  expect(unknown.headers.get('threadbox-error')).toBe('sandbox.not-running')
  expect(await codeOf(unknown)).toEqual([409, 'sandbox.not-running'])
})

test.each([
  '/prewarm',
  '/template',
  '/%74emplate/',
  '/init',
  '//init',
  '/init/',
  '/%69nit',
  '/INIT',
  '/x/../init',
  '/init?a=b',
])('the host-only route %s of the guest is closed to clients, also through its port', async (path) => {
  const asked: string[] = []
  await using gateway = await startGatewayUnderTest({ behavior: (request) => void asked.push(request.url ?? '') })
  const { sandboxId } = await gateway.admit()
  for (const prefix of [gatewayPaths.guest(sandboxId), gatewayPaths.port(sandboxId, 49_983)]) {
    expect(await rawStatus(gateway, prefix + path)).toBe(403)
  }
  expect(asked).toEqual([])
})

/** `fetch` would normalize the path. */
async function rawStatus(gateway: GatewayUnderTest, path: string): Promise<number> {
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
  socket.end(`POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`)
  const [first] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  return Number(first.toString().split(' ')[1])
}

test('an order for another boot is refused before it reaches the sandbox', async () => {
  const asked: string[] = []
  const { gateway, guest, bootId } = await running((request, response) => {
    asked.push(request.url ?? '')
    response.end()
  })
  await using _ = gateway
  const refused = await fetch(`${guest}/health`, { headers: { 'threadbox-boot': newId('b') } })
  expect(await codeOf(refused)).toEqual([409, 'sandbox.other-boot'])
  expect((await fetch(`${guest}/health`, { headers: { 'threadbox-boot': bootId } })).status).toBe(200)
  expect(asked).toEqual(['/health'])
})

test('the guest gets the token of its boot and nothing of the client’s connection or credentials', async () => {
  let seen: IncomingMessage['headers'] = {}
  const { gateway, guest } = await running((request, response) => {
    seen = request.headers
    response.setHeader('set-cookie', ['a=1', 'b=2'])
    response.end()
  })
  await using _ = gateway
  const headers = { 'x-access-token': 'forged', 'threadbox-host-token': 'secret', te: 'trailers', 'x-own': 'kept' }
  const response = await fetch(`${guest}/anything`, { headers })
  expect(seen['x-access-token']).toMatch(/^[0-9a-f]{64}$/)
  expect(seen).toMatchObject({ 'x-own': 'kept' })
  expect(Object.keys(seen)).not.toEqual(expect.arrayContaining(['threadbox-host-token']))
  expect(seen.te).toBeUndefined()
  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
})

test('a response is streamed: what the guest has sent arrives before it sends more', async () => {
  const { gateway, guest } = await running((request, response) => {
    response.write('first')
    request.on('data', (chunk: Buffer) => response.end(chunk))
  })
  await using _ = gateway
  const upstream = httpRequest(`${guest}/stream`, { method: 'POST', headers: { 'transfer-encoding': 'chunked' } })
  upstream.flushHeaders()
  const [answer] = (await once(upstream, 'response')) as [IncomingMessage]
  expect(String((await once(answer, 'data'))[0])).toBe('first')
  upstream.end('second')
  expect(String((await once(answer, 'data'))[0])).toBe('second')
})

test('a reader that stops reading stops the guest from sending', async () => {
  let sent = 0
  const { gateway, guest } = await running((_, response) => {
    const source = new Readable({
      read() {
        sent += MiB
        this.push(Buffer.alloc(MiB))
      },
    })
    source.pipe(response)
    response.on('close', () => source.destroy())
  })
  await using _ = gateway
  const request = httpRequest(`${guest}/flood`, { agent: new Agent() })
  request.end()
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  answer.pause()
  let before = -1
  await expect
    .poll(
      () => {
        const isStill = sent === before
        before = sent
        return isStill
      },
      { interval: 100 },
    )
    .toBe(true)
  // Buffers of four sockets and two pipes; without backpressure this would be gigabytes.
  expect(sent).toBeLessThan(64 * MiB)
  request.destroy()
})

test('when the client disconnects, the guest’s side is closed', async () => {
  const closed = Promise.withResolvers<void>()
  const { gateway, guest } = await running((_, response) => {
    response.write('x')
    response.on('close', () => closed.resolve())
  })
  await using _ = gateway
  const controller = new AbortController()
  await fetch(`${guest}/stream`, { signal: controller.signal })
  controller.abort()
  await closed.promise
})

test('when a boot ends, a request without a response gets its code and an open stream breaks', async () => {
  const { gateway, guest, boot } = await running((request, response) => {
    if (request.url === '/open') response.write('x')
  })
  await using _ = gateway
  const open = await fetch(`${guest}/open`)
  const waiting = fetch(`${guest}/waiting`)
  await expect.poll(() => gateway.guest.listening && connectionsOf(gateway)).toBeGreaterThan(1)
  await gateway.close(boot)
  expect(await codeOf(await waiting)).toEqual([503, bootEnded.code])
  await expect(open.text()).rejects.toThrow()
})

async function connectionsOf(gateway: GatewayUnderTest): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  gateway.guest.getConnections((_, count) => resolve(count))
  return await promise
}

test('a client that is still sending gets the refusal, not a broken connection', async () => {
  await using gateway = await startGatewayUnderTest()
  const body = Buffer.alloc(4 * MiB)
  const response = await fetch(`${gateway.url}${gatewayPaths.guest(newId('s'))}/files`, { method: 'POST', body })
  expect(await codeOf(response)).toEqual([409, 'sandbox.not-running'])
})

test('a port without a listener is an error of its own', async () => {
  await using gateway = await startGatewayUnderTest()
  const { sandboxId } = await gateway.admit()
  expect(await codeOf(await fetch(gateway.url + gatewayPaths.port(sandboxId, 1)))).toEqual([503, 'sandbox.port-closed'])
})

test('O12: the port where git asks for credentials inside is closed to clients, and no tunnel is opened to it', async () => {
  await using gateway = await startGatewayUnderTest()
  const dug: string[] = []
  gateway.guest.on('upgrade', (request, socket: Socket) => {
    dug.push(request.url ?? '')
    socket.end('HTTP/1.1 502 No\r\ncontent-length: 0\r\n\r\n')
  })
  const { sandboxId } = await gateway.admit()
  const url = gateway.url + gatewayPaths.port(sandboxId, gitPort)
  expect(await codeOf(await fetch(url))).toEqual([503, 'sandbox.port-closed'])
  expect(await codeOf(await fetch(url, { method: 'POST', body: 'x' }))).toEqual([503, 'sandbox.port-closed'])
  const upgrade = httpRequest(url, { headers: { connection: 'Upgrade', upgrade: 'websocket' }, agent: new Agent() })
  upgrade.end()
  const [answer] = (await once(upgrade, 'response')) as [IncomingMessage]
  expect(answer.statusCode).toBe(503)
  expect(dug).toEqual([])
})

test.each([
  {
    name: 'switches protocols without being asked',
    head: '101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: x',
  },
  { name: 'has status 099', head: '099 Low\r\ncontent-length: 0' },
  { name: 'has two lengths', head: '200 OK\r\ncontent-length: 0\r\ncontent-length: 5' },
  { name: 'has a header of 100 KiB', head: `200 OK\r\nx: ${'x'.repeat(100 * 1024)}` },
])('C9: a response that $name is an error of the sandbox', async ({ head }) => {
  const { gateway, guest } = await running((request) => request.socket.write(`HTTP/1.1 ${head}\r\n\r\n`))
  await using _gateway = gateway
  expect(await codeOf(await fetch(`${guest}/x`))).toEqual([502, 'sandbox.guest-unreachable'])
})

test('O4: a service that only listens inside is reached through the guest, as HTTP and as WebSocket', async () => {
  await using gateway = await startGatewayUnderTest()
  const inside = createServer((request, response) => void request.pipe(response))
  inside.on('upgrade', (_request, socket: Socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\nhello')
    socket.pipe(socket)
  })
  inside.listen(0, '127.0.0.1')
  await once(inside, 'listening')
  const { port } = inside.address() as AddressInfo
  const asked: [string | undefined, unknown][] = []
  gateway.guest.on('upgrade', (request, socket: Socket) => {
    asked.push([request.url, request.headers['x-access-token'] !== undefined])
    const service = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: threadbox-tunnel\r\n\r\n')
    socket.pipe(service).pipe(socket)
  })
  const { sandboxId } = await gateway.admit()
  const url = gateway.url + gatewayPaths.port(sandboxId, port)
  const body = 'x'.repeat(MiB)
  expect(await (await fetch(url, { method: 'POST', body })).text()).toBe(body)
  const upgraded = httpRequest(url, { headers: { connection: 'Upgrade', upgrade: 'websocket' }, agent: new Agent() })
  upgraded.end()
  const [, socket, head] = (await once(upgraded, 'upgrade')) as [IncomingMessage, Socket, Buffer]
  let text = head.toString()
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  socket.write(' you')
  await expect.poll(() => text).toBe('hello you')
  expect(asked).toEqual([
    [`/tunnel/${port}`, true],
    [`/tunnel/${port}`, true],
  ])
  socket.destroy()
  inside.close()
})

test('O12: a client cannot open a tunnel, and a sandbox cannot impersonate the gateway', async () => {
  const { gateway, guest } = await running((_, response) => {
    response.setHeader('threadbox-error', 'sandbox.paused')
    response.end()
  })
  await using _ = gateway
  expect(await rawStatus(gateway, `${new URL(guest).pathname}/%74unnel/8000`)).toBe(403)
  expect((await fetch(`${guest}/x`)).headers.get('threadbox-error')).toBeNull()
})

test('a WebSocket is accepted by the service, carries both ways, and ends with the boot', async () => {
  await using gateway = await startGatewayUnderTest({
    behavior: (_: unknown, response: ServerResponse) => response.end(),
  })
  gateway.guest.on('upgrade', (request, socket: Socket) => {
    if (request.url === '/refused') return void socket.end('HTTP/1.1 401 No\r\ncontent-length: 2\r\n\r\nno')
    socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\nhello')
    socket.on('data', (chunk: Buffer) => socket.write(chunk))
    socket.on('error', () => socket.destroy())
  })
  const boot = await gateway.admit()
  const { sandboxId } = boot
  const open = (path: string) => {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
    const target = gatewayPaths.port(sandboxId, 49_983) + path
    socket.write(`GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n`)
    return socket
  }
  const refused = open('/refused')
  expect(String((await once(refused, 'data'))[0])).toMatch(/^HTTP\/1.1 401/)
  const socket = open('/socket')
  let text = ''
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  await expect.poll(() => text).toMatch(/101[\s\S]*hello$/)
  socket.write('ping')
  await expect.poll(() => text).toMatch(/helloping$/)
  socket.on('error', () => undefined)
  const closed = once(socket, 'close')
  await Promise.all([closed, gateway.close(boot)])
})

test('O11: a request to a service counts as activity with its port, one that is marked as background does not', async () => {
  const marks: unknown[] = []
  const { gateway, sandboxId, guest } = await running((request, response) => {
    marks.push(request.headers['threadbox-background'])
    response.end('ok')
  })
  await using _ = gateway
  const service = `${gateway.url}${gatewayPaths.port(sandboxId, 49_983)}/`
  const background = { headers: { 'threadbox-background': '1' } }
  await fetch(service, background)
  await fetch(`${guest}/health`, background)
  await fetch(`${guest}/health`)
  await fetch(service)
  await fetch(service)
  const activity = () => gateway.events.filter((event) => event.type === 'activity')
  await expect.poll(activity).toHaveLength(2)
  expect(activity()).toMatchObject([
    { sandboxId, reason: 'guest' },
    { sandboxId, reason: 'request', detail: '49983' },
  ])
  expect(new Set(marks)).toEqual(new Set([undefined]))
})

test('the first cell of a boot is reported, over either protocol; no other request is', async () => {
  const cells: [string, Record<string, string>?][] = [
    ['guest/threadbox.guest.v1.Runs/StartCell'],
    ['guest/threadbox.guest.v1.Runs/Read', { 'threadbox-cell': '1' }],
    ['code/execute?a=b'],
  ]
  for (const [cell, headers] of cells) {
    const { gateway, sandboxId, guest } = await running((_, response) => void response.end('ok'))
    await using _ = gateway
    const post = (path: string, more: Record<string, string> = {}) =>
      fetch(guest.replace(/guest$/, path), { method: 'POST', headers: more }).catch(() => undefined)
    await post('guest/threadbox.guest.v1.Runs/StartCommand')
    await post('guest/threadbox.guest.v1.Runs/Read')
    await post('code/contexts')
    await post('port/8000/execute')
    const python = () => gateway.events.filter(({ type }) => type === 'python-used')
    expect(python()).toEqual([])
    for (let count = 0; count < 3; count++) await post(cell, headers)
    await expect.poll(python).toEqual([{ type: 'python-used', sandboxId }])
    await fetch(`${guest}/health`)
    expect(python()).toHaveLength(1)
  }
})
