import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { endOf, openRelay, publicAddress, sandboxWith, type TestRelay, tcpServer } from './relay.test-utils.ts'

const virtual = '127.200.0.1'
let relay: TestRelay

beforeEach(async () => {
  relay = await openRelay()
  await relay.host.addName({ address: virtual, name: 'db.example.org' })
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
