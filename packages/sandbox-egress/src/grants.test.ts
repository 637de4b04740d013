import { once } from 'node:events'
import type { Grant } from '@threadbox/protocol/egress'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { BrokeredConnection } from './broker.ts'
import { endOf, openRelay, sandboxWith, type TestRelay } from './relay.test-utils.ts'

const virtual = '127.200.0.1'
const { sandboxId } = sandboxWith({})
const grant: Grant = {
  secretId: 'x1',
  name: 'token',
  placeholder: 'tbx1',
  value: 'real',
  hosts: ['api.example.org'],
  positions: ['header'],
  methods: null,
  pathPrefix: null,
  header: null,
}

let relay: TestRelay
let served: BrokeredConnection[]
/** The values that a broker finds when it is notified of a change. */
let changes: (string[] | undefined)[]

beforeEach(async () => {
  served = []
  changes = []
  relay = await openRelay({
    makeBroker: () => ({
      authority: 'a certificate',
      serve: async (connection) => {
        served.push(connection)
        connection.socket.write('brokered')
        await once(connection.signal, 'abort')
      },
      grantsChanged: (sandboxId) => {
        const known = served.find((connection) => connection.sandboxId === sandboxId)?.grants()
        changes.push(known?.map((each) => each.value))
      },
    }),
  })
  await relay.host.addNames({ names: [{ address: virtual, name: 'api.example.org' }] })
  const names = ['api.example.org', 'api.example.org:8443']
  await relay.host.setSandbox(sandboxWith({ names, brokered: ['api.example.org', 'api.example.org:8443'] }))
})

afterEach(async () => await relay.close())

test('a connection to a name with secrets goes to the broker, which sees the grants that apply', async () => {
  await once(relay.dial({ to: virtual, port: 443 }), 'data')
  expect(served[0]).toMatchObject({ sandboxId, name: 'api.example.org', port: 443 })
  // The server has not sent any since this process started.
  expect(served[0]?.grants()).toBeUndefined()
  await relay.server.setGrants({ sandboxId, revision: 1, grants: [grant] })
  expect(served[0]?.grants()).toEqual([grant])
  expect(await relay.eventOf('api.example.org')).toMatchObject({ decision: 'brokered', reason: null })
})

test('an order that removes or changes a grant responds after the broker has ended what used it', async () => {
  await relay.server.setGrants({ sandboxId, revision: 1, grants: [grant] })
  await once(relay.dial({ to: virtual, port: 443 }), 'data')
  await relay.server.setGrants({ sandboxId, revision: 2, grants: [{ ...grant, value: 'new' }] })
  await relay.server.setGrants({ sandboxId, revision: 3, grants: [] })
  expect(changes).toEqual([undefined, ['new'], []])
})

test('an order with an earlier revision changes nothing, and says which one applies', async () => {
  expect(await relay.server.setGrants({ sandboxId, revision: 5, grants: [grant] })).toEqual({ revision: 5 })
  expect(await relay.server.setGrants({ sandboxId, revision: 4, grants: [] })).toEqual({ revision: 5 })
  await once(relay.dial({ to: virtual, port: 443 }), 'data')
  expect(served[0]?.grants()).toEqual([grant])
})

test('removed grants are unknown again, and their connections have ended', async () => {
  await relay.server.setGrants({ sandboxId, revision: 1, grants: [grant] })
  const socket = relay.dial({ to: virtual, port: 443 })
  await once(socket, 'data')
  const end = endOf(socket)
  await relay.server.removeGrants({ sandboxId })
  expect(await end).toBe('reset')
  expect(served[0]?.grants()).toBeUndefined()
})

test('a name that has no more secrets is relayed, and its brokered connections have ended', async () => {
  const socket = relay.dial({ to: virtual, port: 443 })
  await once(socket, 'data')
  const end = endOf(socket)
  await relay.host.setSandbox(sandboxWith({ names: ['api.example.org'] }))
  expect(await end).toBe('reset')
})

test('a grant doesn’t widen a policy: a name that it doesn’t allow is refused', async () => {
  await relay.host.setSandbox(sandboxWith({ kind: 'none', brokered: ['api.example.org'] }))
  expect(await endOf(relay.dial({ to: virtual, port: 443 }))).toBe('reset')
  expect(served).toEqual([])
})

test('the server learns the certificate of the authority as soon as it listens', async () => {
  const stopping = new AbortController()
  for await (const event of relay.server.events(stopping.signal)) {
    expect(event).toEqual({ type: 'opened', authority: 'a certificate' })
    break
  }
  stopping.abort()
})
