import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { connectZmtp } from './zmtp.ts'

let directory: string
let server: Server
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'zmtp-'))
  server = createServer().listen(join(directory, 'socket'))
  await once(server, 'listening')
})
afterEach(() => {
  server.close()
  rmSync(directory, { recursive: true, force: true })
})

function connect(signal: AbortSignal) {
  const path = join(directory, 'socket')
  return connectZmtp({ path, type: 'DEALER', signal, onMessage: () => undefined, onClose: () => undefined })
}

async function peerOf() {
  const [peer]: Socket[] = await once(server, 'connection')
  return peer as Socket
}

/** A greeting and the command `READY`, without properties. */
const handshake = Buffer.from([0xff, ...Buffer.alloc(63), 4, 6, 5, ...Buffer.from('READY')])

test('an abort closes the connection to a program that stays silent', async () => {
  const aborting = new AbortController()
  const connecting = connect(aborting.signal)
  const peer = await peerOf()
  const closed = once(peer.resume(), 'close')
  aborting.abort(new Error('too late'))
  await expect(connecting).rejects.toThrow('too late')
  await closed
})

test('a signal that has aborted makes no connection', async () => {
  await expect(connect(AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late')
})

test('an abort after the handshake leaves the connection open', async () => {
  const aborting = new AbortController()
  const connecting = connect(aborting.signal)
  const peer = await peerOf()
  let heard = ''
  peer.on('data', (data) => {
    heard += String(data)
  })
  peer.write(handshake)
  const socket = await connecting
  aborting.abort()
  socket.send([Buffer.from('sent later')])
  await expect.poll(() => heard).toContain('sent later')
  socket.close()
})
