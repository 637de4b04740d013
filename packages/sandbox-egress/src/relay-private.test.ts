import { once } from 'node:events'
import type { Server } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { BrokerPorts } from './egress-servers.ts'
import { endOf, openRelay, publicAddress, sandboxWith, type TestRelay, tcpServer } from './relay.test-utils.ts'

const [virtual, name, port] = ['127.200.0.1', 'db.corp.example', 5432]
const inRange = { name, port, range: '10.1.2.0/24' }
let relay: TestRelay
let server: Server
let ports: BrokerPorts | undefined

beforeEach(async () => {
  relay = await openRelay({
    makeBroker: (given) => {
      ports = given
      return { authority: '', serve: ({ signal }) => once(signal, 'abort').then(), grantsChanged: () => undefined }
    },
  })
  await relay.host.addNames({ names: [{ address: virtual, name }] })
  server = tcpServer((socket) => socket.write('welcome'))
  for (const address of ['10.1.2.3', '10.1.2.4', '10.9.9.9', '127.0.0.1', publicAddress]) {
    await relay.route(address, port, server)
  }
  await relay.route('10.1.2.3', 80, server)
})
afterEach(() => relay.close())

const allow = (given: Parameters<typeof sandboxWith>[0]) => relay.host.setSandbox(sandboxWith(given))
const dial = async (at = port) => {
  const socket = relay.dial({ to: virtual, port: at })
  if (at === 80) socket.write(`GET / HTTP/1.1\r\nHost: ${name}\r\n\r\n`)
  const first = await Promise.race([once(socket, 'data').then(([data]) => `${data}`), endOf(socket)])
  return { socket, first }
}
const reasons = () => relay.events.map(({ decision, reason }) => reason ?? decision)

test.each([
  ['open', []],
  ['allowlist', [`${name}:${port}`]],
] as const)('G2: under %s a name reaches its private address in the range', async (kind, names) => {
  relay.addresses.set(name, ['10.1.2.3', '10.1.2.4'])
  await allow({ kind, names: [...names], privateAddresses: [inRange] })
  expect((await dial()).first).toBe('welcome')
  expect(reasons()).toEqual(['relayed'])
})

test('G2: a private address without a policy that names it is not reached, nor under none', async () => {
  relay.addresses.set(name, ['10.1.2.3'])
  for (const given of [{ names: [] }, { names: [`${name}:22`] }, { kind: 'none' as const }]) {
    await allow({ ...given, privateAddresses: [inRange] })
    const other = sandboxWith({
      sandboxId: 's0000000000000000000b',
      address: '127.0.1.10',
      names: [`x.example:${port}`],
    })
    await relay.host.setSandbox(other)
    expect((await dial()).first).toBe('reset')
  }
  await expect.poll(reasons).toEqual(['not-allowed'])
})

test.each([
  [['10.9.9.9']],
  [['10.1.2.3', '10.9.9.9']],
  [['10.1.2.3', publicAddress]],
  [[publicAddress]],
  [['127.0.0.1']],
  [['10.1.2.3', '::ffff:10.1.2.3']],
])('G2: a name with the addresses %j is refused, and the reason is reported', async (addresses) => {
  relay.addresses.set(name, addresses)
  await allow({ kind: 'open', privateAddresses: [inRange] })
  expect((await dial()).first).toBe('reset')
  await expect.poll(reasons).toEqual(['address-out-of-range'])
})

test('G2: at another port, or without an entry, a name’s private address is not reached', async () => {
  relay.addresses.set(name, ['10.1.2.3'])
  await allow({ kind: 'open', privateAddresses: [inRange] })
  expect((await dial(80)).first).toBe('reset')
  await allow({ names: [`${name}:${port}`] })
  expect((await dial()).first).toBe('reset')
  await expect.poll(reasons).toEqual(['address-private', 'address-private'])
})

test('G2: a changed entry has ended its connections when the order responds', async () => {
  relay.addresses.set(name, ['10.1.2.3'])
  const narrower = { ...inRange, range: '10.1.2.4/32' }
  for (const [before, after] of [
    [[inRange], []],
    [[inRange], [narrower]],
    [[inRange], [{ ...inRange, port: 22 }]],
  ]) {
    await allow({ kind: 'open', privateAddresses: before })
    const { socket } = await dial()
    const other = { name: 'other.corp.example', port: 22, range: '10.7.0.0/16' }
    await allow({ kind: 'open', privateAddresses: [...(before ?? []), other] })
    expect(socket.destroyed).toBe(false)
    const ended = endOf(socket)
    await allow({ kind: 'open', privateAddresses: after })
    expect(await ended).toBe('reset')
  }
  relay.addresses.set(name, [publicAddress])
  await allow({ names: [`${name}:${port}`] })
  const { socket } = await dial()
  const ended = endOf(socket)
  await allow({ names: [`${name}:${port}`], privateAddresses: [inRange] })
  expect(await ended).toBe('reset')
})

test('G2: a host with secrets is connected to in the ranges of the sandbox that asks', async () => {
  relay.addresses.set(name, ['10.1.2.3'])
  await allow({ names: [`${name}:${port}`], brokered: [`${name}:${port}`], privateAddresses: [inRange] })
  const other = sandboxWith({ sandboxId: 's0000000000000000000b', address: '127.0.1.10', names: [`${name}:${port}`] })
  await relay.host.setSandbox(other)
  const open = (sandboxId: string) => ports?.connect({ sandboxId, name, port })
  const socket = await open(sandboxWith({}).sandboxId)
  const [bytes] = socket === undefined ? [] : await once(socket, 'data')
  socket?.destroy()
  expect(String(bytes)).toBe('welcome')
  await expect(open('s0000000000000000000b')).rejects.toMatchObject({ code: 'egress.name-not-reached' })
  await expect(open('s0000000000000000000c')).rejects.toMatchObject({ code: 'egress.name-not-reached' })
})
