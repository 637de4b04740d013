import { once } from 'node:events'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { guestErrorHeader } from '@threadbox/protocol/guest'
import { makeLogger } from '@threadbox/telemetry'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fileServerSecretHeader, makeFilesServer } from './files-server.ts'

const directory = tmpdir()
let server: ReturnType<typeof makeFilesServer>
let port: number
beforeEach(async () => {
  const logger = makeLogger({ process: 'guest', level: 'silent' })
  server = makeFilesServer({ base: { home: directory, workdir: directory }, secret: 'known', logger })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as { port: number }).port
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

/** A connection on which a test writes raw bytes. */
function open() {
  const socket = connect(port, '127.0.0.1')
  let received = ''
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString()
  })
  const isClosed = new Promise((resolve) => socket.once('close', resolve))
  const head = (method: string, length: number) =>
    `${method} /files?path=${encodeURIComponent(directory)} HTTP/1.1\r\nhost: guest\r\n` +
    `${fileServerSecretHeader}: known\r\ncontent-type: application/octet-stream\r\ncontent-length: ${length}\r\n\r\n`
  const answers = () => received.match(/HTTP\/1\.1 \d+/g) ?? []
  return { socket, head, answers, isClosed }
}

test('a client refused before it has sent everything can send the rest and gets the reason, and the connection serves the next request', async () => {
  const { socket, head, answers } = open()
  socket.write(head('POST', 4))
  await expect.poll(answers).toEqual(['HTTP/1.1 400'])
  socket.write('late')
  socket.write(head('POST', 1))
  await expect.poll(answers).toEqual(['HTTP/1.1 400', 'HTTP/1.1 400'])
  socket.destroy()
})

test('a client that keeps sending without end after a refusal is cut off', async () => {
  const { socket, head, answers, isClosed } = open()
  socket.on('error', () => undefined)
  socket.write(head('POST', 1024 ** 4))
  await expect.poll(answers).toEqual(['HTTP/1.1 400'])
  const chunk = Buffer.alloc(1024 * 1024)
  for (let sent = 0; sent < 64 && !socket.destroyed; sent += 1) {
    if (!socket.write(chunk)) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), isClosed])
  }
  await isClosed
})

test('a refusal has its code in a header, beside the message in E2B’s form', async () => {
  const headers = { [fileServerSecretHeader]: 'known' }
  const ask = (path: string) => fetch(`http://127.0.0.1:${port}/files?path=${encodeURIComponent(path)}`, { headers })
  const refused = await ask(directory)
  expect(refused.headers.get(guestErrorHeader)).toBe('file.path-is-directory')
  expect(await refused.json()).toEqual({ code: 400, message: `${directory} cannot be used: it is a directory.` })
  expect((await ask('/dev/null')).headers.get(guestErrorHeader)).toBe('file.path-invalid')
})
