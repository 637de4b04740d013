import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { widenSendBuffer } from './send-buffer.ts'

/** What Linux gives a socket without being asked (`net.core.wmem_default` of every distribution). */
const defaultBytes = 212_992

test('a unix socket holds more than its default, and what passes meanwhile stays whole', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'threadbox-socket-'))
  const server = createServer().listen(path.join(directory, 'socket'))
  await once(server, 'listening')
  try {
    const client = connect(path.join(directory, 'socket'))
    const [socket] = (await once(server, 'connection')) as [Socket]
    const content = Buffer.alloc(8 * 1024 * 1024, 'threadbox ')
    socket.write(content.subarray(0, content.length / 2))
    const received = buffer(client)
    expect(await widenSendBuffer(socket)).toBeGreaterThan(defaultBytes)
    socket.end(content.subarray(content.length / 2))
    expect((await received).equals(content)).toBe(true)
  } finally {
    server.close()
    await rm(directory, { recursive: true, force: true })
  }
})
