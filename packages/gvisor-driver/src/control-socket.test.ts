import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { callKernel } from './control-socket.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'control-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

/** Calls a kernel that does `respond` with each connection. */
async function call(respond: (socket: Socket) => void, signal = new AbortController().signal) {
  const controlSocket = path.join(directory, 'socket')
  const server = createServer({ allowHalfOpen: true }, respond)
  await new Promise<void>((resolve) => server.listen(controlSocket, resolve))
  try {
    return await callKernel({ controlSocket, method: 'containerManager.Pause', argument: null, maxBytes: 1000, signal })
  } finally {
    server.close()
  }
}

const done = '{"success":true,"err":"","result":{}}'

test('a reply that comes in pieces is read, and the request is one JSON object', async () => {
  let request = ''
  const reply = await call((socket) => {
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => {
      request += chunk
    })
    socket.on('end', () => {
      socket.write(done.slice(0, 7))
      setImmediate(() => socket.end(done.slice(7)))
    })
  })
  expect(reply).toEqual({ outcome: 'done', result: {} })
  expect(JSON.parse(request)).toEqual({ method: 'containerManager.Pause', arg: null })
})

test('an error of the kernel is a refusal with its reason', async () => {
  const reply = await call((socket) => socket.end('{"success":false,"err":"unknown method","result":null}'))
  expect(reply).toEqual({ outcome: 'refused', reason: 'unknown method' })
})

test.each([
  ['closes the connection', (socket: Socket) => socket.destroy(), /closed without a reply|EPIPE|ECONNRESET/],
  ['ends without a reply', (socket: Socket) => socket.end(), /closed without a reply/],
  ['sends something else', (socket: Socket) => socket.end('\u0000\u0001{'), /not one of gVisor/],
  ['sends a part of a reply', (socket: Socket) => socket.end(done.slice(0, -1)), /not one of gVisor/],
  ['sends a reply and more', (socket: Socket) => socket.end(`${done}${done}`), /not one of gVisor/],
  ['sends too much', (socket: Socket) => socket.end(done.padEnd(1001)), /more than 1000 bytes/],
])('a kernel that %s may have done what it was asked', async (_what, respond, reason) => {
  expect(await call(respond)).toEqual({ outcome: 'unclear', reason: expect.stringMatching(reason) })
})

test('a kernel that does not close the connection may have done what it was asked', async () => {
  const controller = new AbortController()
  const reply = await call((socket) => {
    socket.resume().write(done)
    socket.once('end', () => controller.abort())
  }, controller.signal)
  expect(reply).toEqual({ outcome: 'unclear', reason: 'there was no reply in time' })
})

test('a kernel without a socket got nothing', async () => {
  const controlSocket = path.join(directory, 'none')
  const signal = new AbortController().signal
  const reply = await callKernel({ controlSocket, method: 'm', argument: null, maxBytes: 1000, signal })
  expect(reply).toMatchObject({ outcome: 'not-sent', reason: expect.stringContaining('ENOENT') })
})

test('a call that was ended before it began is not sent', async () => {
  const controlSocket = path.join(directory, 'none')
  const reply = await callKernel({
    controlSocket,
    method: 'm',
    argument: null,
    maxBytes: 1,
    signal: AbortSignal.abort(),
  })
  expect(reply).toMatchObject({ outcome: 'not-sent' })
})
