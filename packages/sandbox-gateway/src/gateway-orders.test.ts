import { once } from 'node:events'
import { toWireError } from '@threadbox/errors'
import { bootMismatch } from '@threadbox/protocol/gateway'
import { gatewayPaths } from '@threadbox/protocol/host'
import { expect, test } from 'vitest'
import { type GatewayUnderTest, startGatewayUnderTest } from './gateway.test-utils.ts'

const reason = bootMismatch({ sandboxId: 's', bootId: 'b', currentBootId: 'c' })

async function codeOf(gateway: GatewayUnderTest, sandboxId: string): Promise<string> {
  const response = await fetch(`${gateway.url}${gatewayPaths.guest(sandboxId)}/health`)
  return response.status === 200 ? 'ok' : ((await response.json()) as { error: { code: string } }).error.code
}

function initOf(accessToken: string) {
  return {
    accessToken,
    timestampMs: 0,
    hostname: 'box',
    bootId: 'b',
    envVars: {},
    defaultUser: 'user',
    defaultWorkdir: '/home/user',
    limits: { memoryBytes: 1, processes: 1 },
    entropy: '',
    origin: 'booted' as const,
    directories: [],
  }
}

test('C2: a gateway that has just started refuses requests until it knows which boots exist, instead of denying them', async () => {
  await using gateway = await startGatewayUnderTest({ isInformed: false })
  const { sandboxId } = await gateway.admit()
  expect(await codeOf(gateway, sandboxId)).toBe('gateway.unreachable')
  await gateway.orders.replaceAdmissions({ boots: [], refusals: [] })
  expect(await codeOf(gateway, sandboxId)).toBe('sandbox.not-running')
})

test('a closed boot has no connection left, and its reason is the error until the next boot', async () => {
  await using gateway = await startGatewayUnderTest({ behavior: (_, response) => void response.write('x') })
  const boot = await gateway.admit()
  const open = await fetch(`${gateway.url}${gatewayPaths.guest(boot.sandboxId)}/stream`)
  const broken = expect(open.text()).rejects.toThrow()
  await gateway.orders.close({ ...boot, reason: toWireError(reason), refuses: true })
  await broken
  const { promise, resolve } = Promise.withResolvers<number>()
  gateway.guest.getConnections((_, count) => resolve(count))
  expect(await promise).toBe(0)
  expect(await codeOf(gateway, boot.sandboxId)).toBe(reason.code)
  await gateway.orders.setRefusal({ sandboxId: boot.sandboxId, reason: null })
  expect(await codeOf(gateway, boot.sandboxId)).toBe('sandbox.not-running')
})

test('C2: told all boots again, a gateway keeps the streams of those it has and ends the others', async () => {
  await using gateway = await startGatewayUnderTest({
    behavior: (request, response) => {
      response.write('first ')
      request.socket.once('close', () => undefined)
      gateway.guest.once('go on', () => response.end('second'))
    },
  })
  const [kept, missing] = [await gateway.admit(), await gateway.admit()]
  const open = ({ sandboxId }: { sandboxId: string }) => fetch(`${gateway.url}${gatewayPaths.guest(sandboxId)}/stream`)
  const [stays, ends] = await Promise.all([open(kept), open(missing)])
  const broken = expect(ends.text()).rejects.toThrow()
  await gateway.orders.replaceAdmissions({ boots: [{ ...kept, ...gateway.guestAddress }], refusals: [] })
  await broken
  gateway.guest.emit('go on')
  gateway.guest.emit('go on')
  expect(await stays.text()).toBe('first second')
})

test('the host’s own request to a guest ends with its boot', async () => {
  const asked = Promise.withResolvers<void>()
  await using gateway = await startGatewayUnderTest({ behavior: () => asked.resolve() })
  const boot = await gateway.admit()
  const failed = expect(gateway.orders.activity({ guest: gateway.guestAddress })).rejects.toMatchObject({
    code: 'gateway.guest-failed',
  })
  await asked.promise
  await gateway.close(boot)
  await failed
})

test.each([
  ['not JSON', 'nonsense'],
  ['of another form', '{"runningKeys": 7}'],
])('a response of a guest that is %s never reaches the host', async (_, text) => {
  await using gateway = await startGatewayUnderTest({ behavior: (_request, response) => void response.end(text) })
  const error = await gateway.orders.activity({ guest: gateway.guestAddress }).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'gateway.guest-failed' })
})

test('a handshake with a guest that does not listen yet ends when the host cancels it', async () => {
  await using gateway = await startGatewayUnderTest()
  gateway.guest.close()
  await once(gateway.guest, 'close')
  const { address, accessToken } = gateway.guestAddress
  const cancel = new AbortController()
  const greeting = gateway.orders.greet({ address, init: initOf(accessToken) }, cancel.signal)
  cancel.abort()
  await expect(greeting).rejects.toThrow()
})

test('a request to no sandbox, and an order that does not exist, are refused with their code', async () => {
  await using gateway = await startGatewayUnderTest()
  const response = await fetch(`${gateway.url}/v1/host`)
  expect(await response.json()).toMatchObject({ error: { code: 'gateway.path-unknown' } })
})
