import { once } from 'node:events'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { connectTo } from './connect-to.ts'
import { makeDirectReach } from './reach-name.ts'
import { endOf, openRelay, publicAddress, sandboxWith, type TestRelay, tcpServer } from './relay.test-utils.ts'

const virtual = '127.200.0.1'
let relay: TestRelay

beforeEach(async () => {
  relay = await openRelay()
  await relay.host.addNames({ names: [{ address: virtual, name: 'db.example.org' }] })
  relay.addresses.set('db.example.org', [publicAddress])
})

afterEach(async () => await relay.close())

test('a connection to an allowed name is relayed in both directions, and each side can end first', async () => {
  const server = tcpServer((socket) => socket.on('data', (bytes) => socket.end(`got ${bytes}`)))
  await relay.route(publicAddress, 5432, server)
  await relay.host.setSandbox(sandboxWith({ names: ['db.example.org:5432'] }))
  const socket = relay.dial({ to: virtual, port: 5432 })
  socket.write('hello')
  expect(await text(socket)).toBe('got hello')
  expect(await endOf(socket)).toBe('ended')
})

test('the host gets name, port, decision and reason of a connection, and nothing that was sent', async () => {
  const server = tcpServer((socket) => socket.on('data', () => socket.end('secret of the server')))
  await relay.route(publicAddress, 5432, server)
  await relay.host.setSandbox(sandboxWith({ names: ['db.example.org:5432'] }))
  const socket = relay.dial({ to: virtual, port: 5432 })
  socket.write('secret of the sandbox')
  await text(socket)
  const unknown = relay.dial({ to: '127.200.0.2', port: 5432 })
  unknown.write('another secret')
  expect(await endOf(unknown)).toBe('reset')
  await relay.eventOf('127.200.0.2')
  const common = { type: 'connection', sandboxId: sandboxWith({}).sandboxId, port: 5432, at: expect.any(Number) }
  expect(relay.events).toEqual([
    { ...common, name: 'db.example.org', decision: 'relayed', reason: null },
    { ...common, name: '127.200.0.2', decision: 'refused', reason: 'address-unknown' },
  ])
})

test('a policy that no longer allows a connection has ended it when the order responds', async () => {
  const server = tcpServer((socket) => socket.write('welcome'))
  await relay.route(publicAddress, 5432, server)
  await relay.host.setSandbox(sandboxWith({ names: ['db.example.org:5432'] }))
  const socket = relay.dial({ to: virtual, port: 5432 })
  const [upstream] = await once(server, 'connection')
  await once(socket, 'data')
  const ends = Promise.all([endOf(socket), endOf(upstream)])
  await relay.host.setSandbox(sandboxWith({ names: ['other.example.org:5432'] }))
  expect(await ends).toEqual(['reset', 'reset'])
})

test('a policy ends connections whose name is still being resolved, without waiting for that', async () => {
  const asked = Promise.withResolvers<void>()
  const slow = await openRelay({
    reach: makeDirectReach({
      resolve: async () => {
        asked.resolve()
        return await new Promise<never>(() => undefined)
      },
      connect: connectTo,
    }),
  })
  try {
    await slow.host.addNames({ names: [{ address: virtual, name: 'db.example.org' }] })
    await slow.host.setSandbox(sandboxWith({ names: ['db.example.org:5432'] }))
    const end = endOf(slow.dial({ to: virtual, port: 5432 }))
    await asked.promise
    await slow.host.setSandbox(sandboxWith({ kind: 'none' }))
    expect(await end).toBe('reset')
  } finally {
    await slow.close()
  }
})

test('an address belongs to the sandbox that got it last; connections of the earlier one end', async () => {
  await relay.route(
    publicAddress,
    5432,
    tcpServer((socket) => socket.write('welcome')),
  )
  await relay.host.setSandbox(sandboxWith({ names: ['db.example.org:5432'] }))
  const socket = relay.dial({ to: virtual, port: 5432 })
  await once(socket, 'data')
  const end = endOf(socket)
  await relay.host.setSandbox(sandboxWith({ sandboxId: 's0000000000000000000b', names: ['db.example.org:5432'] }))
  expect(await end).toBe('reset')
  await once(relay.dial({ to: virtual, port: 5432 }), 'data')
  expect(relay.events.map((event) => event.sandboxId)).toContain('s0000000000000000000b')
})

test('after the host’s full table, only what is in it is allowed, and a removed sandbox reaches nothing', async () => {
  await relay.route(
    publicAddress,
    5432,
    tcpServer((socket) => socket.write('welcome')),
  )
  await relay.host.setSandbox(sandboxWith({ names: ['db.example.org:5432'] }))
  const first = relay.dial({ to: virtual, port: 5432 })
  await once(first, 'data')
  const firstEnd = endOf(first)
  const listed = sandboxWith({ names: ['new.example.org:5432'] })
  relay.addresses.set('new.example.org', [publicAddress])
  await relay.host.replaceAll({ sandboxes: [listed], names: [{ address: '127.200.0.9', name: 'new.example.org' }] })
  expect(await firstEnd).toBe('reset')
  const second = relay.dial({ to: '127.200.0.9', port: 5432 })
  await once(second, 'data')
  const secondEnd = endOf(second)
  await relay.host.removeSandbox({ sandboxId: listed.sandboxId })
  expect(await secondEnd).toBe('reset')
})

test('of a sandbox that opens too many connections, further ones are refused, and those of others are not', async () => {
  await relay.route(
    publicAddress,
    22,
    tcpServer((socket) => socket.write('welcome')),
  )
  await relay.host.setSandbox(sandboxWith({ names: ['db.example.org:22'] }))
  const other = { sandboxId: 's0000000000000000000b', address: '127.0.1.10', names: ['db.example.org:22'] }
  await relay.host.setSandbox(sandboxWith(other))
  const open = Array.from({ length: 512 }, () => relay.dial({ to: virtual, port: 22 }))
  await Promise.all(open.map((socket) => once(socket, 'data')))
  expect(await endOf(relay.dial({ to: virtual, port: 22 }))).toBe('reset')
  await expect.poll(() => relay.events.map((event) => event.reason)).toContain('too-many-connections')
  await once(relay.dial({ to: virtual, port: 22, from: other.address }), 'data')
  open[0]?.resetAndDestroy()
  await expect
    .poll(async () => {
      const socket = relay.dial({ to: virtual, port: 22 })
      return await Promise.race([
        once(socket, 'data').then(
          () => 'open',
          () => 'reset',
        ),
        endOf(socket),
      ])
    })
    .toBe('open')
})

test('nothing is read for a held sandbox, neither from it nor for it, and its time doesn’t run', async () => {
  const short = await openRelay({ firstBytesMs: 200 })
  try {
    await short.host.addNames({ names: [{ address: virtual, name: 'db.example.org' }] })
    short.addresses.set('db.example.org', [publicAddress])
    const server = tcpServer((socket) => socket.write('welcome'))
    await short.route(publicAddress, 5432, server)
    await short.host.setSandbox(sandboxWith({ names: ['db.example.org:5432', 'db.example.org'] }))
    const socket = short.dial({ to: virtual, port: 5432 })
    const [upstream] = await once(server, 'connection')
    await once(socket, 'data')
    await short.host.hold({ sandboxId: sandboxWith({}).sandboxId, isHeld: true })
    const silent = short.dial({ to: virtual, port: 443 })
    await once(silent, 'connect')
    const silentEnd = endOf(silent)
    const [toClient, toServer] = [countOf(socket), countOf(upstream)]
    const size = 64 * 1024 * 1024
    upstream.write(Buffer.alloc(size))
    socket.write(Buffer.alloc(size))
    await delay(500)
    expect(toServer.bytes + toClient.bytes).toBe(0)
    expect(silent.closed).toBe(false)
    await short.host.hold({ sandboxId: sandboxWith({}).sandboxId, isHeld: false })
    await expect.poll(() => [toClient.bytes, toServer.bytes]).toEqual([size, size])
    expect(await silentEnd).toBe('reset')
  } finally {
    await short.close()
  }
})

test('a side that doesn’t read stops the other one, and gets everything once it reads', async () => {
  const server = tcpServer((socket) => socket.pause())
  await relay.route(publicAddress, 5432, server)
  await relay.host.setSandbox(sandboxWith({ names: ['db.example.org:5432'] }))
  const socket = relay.dial({ to: virtual, port: 5432 })
  const [upstream] = await once(server, 'connection')
  const piece = Buffer.alloc(1024 * 1024)
  let accepted = 0
  const writing = (async () => {
    while (accepted < 128) {
      const { promise, resolve } = Promise.withResolvers<void>()
      socket.write(piece, () => resolve())
      await promise
      accepted += 1
    }
  })()
  const now = () => accepted
  await expect.poll(async () => now() > 0 && now() === (await delay(200).then(now))).toBe(true)
  // The kernel holds some megabytes of each of four sockets.
  expect(accepted).toBeLessThan(64)
  const received = countOf(upstream)
  upstream.resume()
  await writing
  socket.end()
  await once(upstream, 'end')
  expect(received.bytes).toBe(128 * piece.length)
})

test('a side that has ended still receives; after the other has ended too, the connection is closed', async () => {
  const server = tcpServer((socket) => {
    socket.once('end', () => {
      socket.write('after')
      socket.end(' the end')
    })
    socket.resume()
  })
  await relay.route(publicAddress, 5432, server)
  await relay.host.setSandbox(sandboxWith({ names: ['db.example.org:5432'] }))
  const socket = relay.dial({ to: virtual, port: 5432 })
  socket.end('request')
  expect(await text(socket)).toBe('after the end')
  expect(socket.errored).toBe(null)
})

test('a connection that one side breaks is broken for the other', async () => {
  const server = tcpServer((socket) => socket.once('data', () => socket.resetAndDestroy()))
  await relay.route(publicAddress, 5432, server)
  await relay.host.setSandbox(sandboxWith({ names: ['db.example.org:5432'] }))
  const socket = relay.dial({ to: virtual, port: 5432 })
  socket.write('x')
  expect(await endOf(socket)).toBe('reset')
})

test('mail ports are refused under every policy', async () => {
  await relay.host.setSandbox(sandboxWith({ names: ['db.example.org:587'] }))
  expect(await endOf(relay.dial({ to: virtual, port: 587 }))).toBe('reset')
  expect(await relay.eventOf('db.example.org')).toMatchObject({ reason: 'not-allowed', port: 587 })
})

test('many equal events are one, and a sandbox that makes many different ones is heard of 100 times a second', async () => {
  const flooded = await openRelay({ clock: () => 1000 })
  try {
    await flooded.host.setSandbox(sandboxWith({}))
    const dial = async (to: string) => await endOf(flooded.dial({ to, port: 443 }))
    await Promise.all(Array.from({ length: 20 }, () => dial('127.201.0.0')))
    await Promise.all(Array.from({ length: 150 }, (_, index) => dial(`127.202.0.${index}`)))
    await expect.poll(() => flooded.events.length).toBe(100)
    expect(flooded.events.filter((event) => event.name === '127.201.0.0')).toHaveLength(1)
  } finally {
    await flooded.close()
  }
})

function countOf(socket: Socket): { bytes: number } {
  const count = { bytes: 0 }
  socket.on('data', (bytes: Buffer) => {
    count.bytes += bytes.length
  })
  return count
}
