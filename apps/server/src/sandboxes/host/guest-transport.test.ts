import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create, toBinary } from '@bufbuild/protobuf'
import { Code, ConnectError, createClient } from '@connectrpc/connect'
import { process, runs } from '@threadbox/protocol/guest'
import { errorHeader } from '@threadbox/protocol/host'
import { expect, test } from 'vitest'
import { makeGuestQuestions } from '../lifecycle/guest-manifest.ts'
import { reachSandbox } from '../state/awake-sandbox.ts'
import { guestMessageLimits } from './guest-transport.ts'
import { makeHostClient } from './host-client.ts'

const mebibyte = 1024 * 1024
const target = { sandboxId: 's1', bootId: 'b1' }

/** The gateway in front of a guest that responds as the test says. */
async function makeHostileGuest(
  respond: (response: ServerResponse) => unknown,
  { guestTimeoutMs }: { guestTimeoutMs?: number } = {},
) {
  const directory = await mkdtemp(join(tmpdir(), 'threadbox-guest-'))
  const socketPath = join(directory, 'host.sock')
  let closed = Promise.resolve<unknown>(undefined)
  const server = createServer((request, response) => {
    closed = once(response, 'close')
    request.resume()
    request.once('end', () => respond(response))
  })
  server.listen(socketPath)
  await once(server, 'listening')
  const host = makeHostClient({
    socketPath,
    gatewaySocketPath: socketPath,
    ...(guestTimeoutMs !== undefined && { guestTimeoutMs }),
  })
  return {
    host,
    /** Resolves when the connection of the last response is closed. */
    whenClosed: () => closed,
    [Symbol.asyncDispose]: async () => {
      await host.close()
      server.closeAllConnections()
      server.close()
      await rm(directory, { recursive: true })
    },
  }
}

const unary = { 'content-type': 'application/proto' }
const stream = { 'content-type': 'application/connect+proto' }

function pump(response: ServerResponse, part: Uint8Array): void {
  const more = () => {
    while (!response.destroyed && response.write(part));
  }
  response.on('drain', more)
  more()
}

function envelope(bytes: number, content: Uint8Array = new Uint8Array()): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt32BE(bytes, 1)
  return Buffer.concat([head, content])
}

async function all<One>(messages: AsyncIterable<One>): Promise<One[]> {
  const found: One[] = []
  for await (const message of messages) found.push(message)
  return found
}

const tooLarge = { code: 'guest.response-too-large', details: { limitMebibytes: 1 } }

test.each<{ name: string; respond(response: ServerResponse): unknown }>([
  {
    name: 'claims to be 2 GiB long',
    respond: (response) => response.writeHead(200, { ...unary, 'content-length': 2 ** 31 }).write('x'),
  },
  {
    name: 'never ends',
    respond: (response) => pump(response.writeHead(200, unary), new Uint8Array(65_536)),
  },
  {
    name: 'is an error that never ends',
    respond: (response) =>
      pump(response.writeHead(500, { 'content-type': 'application/json' }), Buffer.from(' '.repeat(65_536))),
  },
])('C9: a response of a guest that $name is refused, and its connection closed', async ({ respond }) => {
  await using guest = await makeHostileGuest(respond)
  const client = createClient(process.Process, guest.host.transport(target))
  await expect(client.list({})).rejects.toMatchObject(tooLarge)
  await guest.whenClosed()
})

test('C9: a message of a stream that claims to be 4 GiB long is refused, and its connection closed', async () => {
  await using guest = await makeHostileGuest((response) => response.writeHead(200, stream).write(envelope(2 ** 32 - 1)))
  const client = createClient(runs.Runs, guest.host.transport(target))
  await expect(all(client.read({ key: 'k' }))).rejects.toMatchObject(tooLarge)
  await guest.whenClosed()
})

test('each service has the limit that its honest messages need', async () => {
  const event = { case: 'output' as const, value: { offset: 0n, data: new Uint8Array(2 * mebibyte) } }
  const message = toBinary(runs.ReadResponseSchema, create(runs.ReadResponseSchema, { event }))
  await using guest = await makeHostileGuest((response) => {
    const end = Buffer.concat([Buffer.from([2, 0, 0, 0, 2]), Buffer.from('{}')])
    response.writeHead(200, stream).end(Buffer.concat([envelope(message.length, message), end]))
  })
  const { host } = guest
  const client = createClient(runs.Runs, host.transport(target, guestMessageLimits.run))
  expect(await all(client.read({ key: 'k' }))).toMatchObject([{ event: { case: 'output' } }])
  await expect(all(createClient(runs.Runs, host.transport(target)).read({ key: 'k' }))).rejects.toMatchObject(tooLarge)
})

test('the text of a guest’s error is cut, and its code stays', async () => {
  await using guest = await makeHostileGuest((response) =>
    response
      .writeHead(404, { 'content-type': 'application/json' })
      .end(JSON.stringify({ code: 'not_found', message: 'x'.repeat(900_000) })),
  )
  const error = await createClient(process.Process, guest.host.transport(target))
    .list({})
    .catch((failure: unknown) => failure)
  expect(error).toBeInstanceOf(ConnectError)
  expect((error as ConnectError).code).toBe(Code.NotFound)
  expect((error as ConnectError).rawMessage).toBe(`${'x'.repeat(2000)}…`)
})

test('a compressed response is refused, because the request accepts none', async () => {
  await using guest = await makeHostileGuest((response) =>
    response.writeHead(200, { ...unary, 'content-encoding': 'gzip' }).end('x'),
  )
  await expect(createClient(process.Process, guest.host.transport(target)).list({})).rejects.toThrow(
    /unsupported response encoding "gzip"/,
  )
})

test('C9: only the beginning of an error about a file is read', async () => {
  await using guest = await makeHostileGuest((response) =>
    pump(response.writeHead(400), Buffer.from('x'.repeat(65_536))),
  )
  const sandbox = reachSandbox(guest.host, target, () => ({ [Symbol.dispose]: () => undefined }))
  await expect(sandbox.openFile('/home/user/a')).rejects.toMatchObject({
    code: 'file.refused',
    details: { path: '/home/user/a', problem: 'status 400' },
  })
  await guest.whenClosed()
})

test('C9: a manifest that never ends is refused, and its connection closed', async () => {
  await using guest = await makeHostileGuest((response) =>
    pump(response.writeHead(200), Buffer.from(' '.repeat(65_536))),
  )
  const asked = { hashKey: '00', signal: AbortSignal.timeout(30_000) }
  await expect(makeGuestQuestions(guest.host).quickManifest(target, asked)).rejects.toThrow(/it is too long/)
  await guest.whenClosed()
})

const notHeld = () => ({ [Symbol.dispose]: () => undefined })

test('C9: a guest that never responds, or a byte at a time, is an error of the sandbox and not of the host', async () => {
  const drip = (response: ServerResponse) => {
    response.writeHead(200, unary)
    const timer = setInterval(() => response.write('x'), 5)
    response.once('close', () => clearInterval(timer))
  }
  for (const respond of [() => undefined, drip]) {
    await using guest = await makeHostileGuest(respond, { guestTimeoutMs: 100 })
    const call = createClient(process.Process, guest.host.transport(target)).list({})
    await expect(call).rejects.toMatchObject({ code: 'guest.not-responding', details: { seconds: 1 } })
  }
  await using guest = await makeHostileGuest(() => undefined, { guestTimeoutMs: 100 })
  const opened = reachSandbox(guest.host, target, notHeld).openFile('/home/user/a')
  await expect(opened).rejects.toMatchObject({ code: 'guest.not-responding', details: { seconds: 1 } })
})

test.each([
  { status: 204, headers: {} },
  { status: 302, headers: { location: 'http://169.254.169.254/', 'set-cookie': 'a=b' } },
  { status: 206, headers: {} },
  { status: 206, headers: { 'content-range': 'bytes x' } },
])('C9: a guest that returns a file with status $status and $headers is refused', async ({ status, headers }) => {
  await using guest = await makeHostileGuest((response) => response.writeHead(status, headers).end())
  const opened = reachSandbox(guest.host, target, notHeld).openFile('/home/user/a')
  await expect(opened).rejects.toMatchObject({ code: 'guest.answer-unknown' })
})

test('C9: a guest’s error about a file cannot be one of the server’s own', async () => {
  const error = { code: 'auth.session-required', kind: 'unauthenticated', message: 'Sign in.', remedy: '', details: {} }
  const respond = (marked: boolean) => (response: ServerResponse) =>
    response.writeHead(401, marked ? { [errorHeader]: error.code } : {}).end(JSON.stringify({ error }))
  await using guest = await makeHostileGuest(respond(false))
  const sandbox = reachSandbox(guest.host, target, notHeld)
  await expect(sandbox.openFile('/home/user/a')).rejects.toMatchObject({ code: 'file.refused' })
  await expect(sandbox.upload('/home/user/a', new Uint8Array())).rejects.toMatchObject({ code: 'file.refused' })
  await using gateway = await makeHostileGuest(respond(true))
  const opened = reachSandbox(gateway.host, target, notHeld).openFile('/home/user/a')
  await expect(opened).rejects.toMatchObject({ code: 'auth.session-required' })
})

test('C9: a manifest of a million things that are no processes is refused immediately', async () => {
  const manifest = `{"version":1,"processes":[{}${',{}'.repeat(1e6)}]}`
  await using guest = await makeHostileGuest((response) => response.end(manifest))
  const asked = { hashKey: '00', signal: AbortSignal.timeout(30_000) }
  await expect(makeGuestQuestions(guest.host).manifest(target, asked)).rejects.toThrow(/too many entries/)
})
