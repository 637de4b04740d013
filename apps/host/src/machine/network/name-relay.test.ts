import { waitAtMost } from '@threadbox/concurrency'
import type { EgressApi, EgressEvent, RelayTable } from '@threadbox/protocol/egress'
import { makeLogger } from '@threadbox/telemetry'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SandboxesStore } from '../state/sandboxes.store.ts'
import { openStateDatabase } from '../state/state-database.ts'
import { makeVirtualNamesStore } from '../state/virtual-names.store.ts'
import { makeNameRelay } from './name-relay.ts'

const logger = makeLogger({ process: 'test', level: 'silent' })
const list = { kind: 'allowlist', names: ['a.org'] } as const
const range = '198.19.0.0/18'
let stopping: AbortController
let egress: ReturnType<typeof makeEgress>
let relay: ReturnType<typeof makeNameRelay>

beforeEach(() => {
  stopping = new AbortController()
  egress = makeEgress()
  const sandboxes = { list: async () => [{ placeId: 'place', sandboxId: 'owner' }] } as unknown as SandboxesStore
  const names = makeVirtualNamesStore(openStateDatabase(':memory:'))
  relay = makeNameRelay({ egress: egress.api, sandboxes, names, replace: egress.kill, logger, clock: () => 0 })
})
afterEach(() => stopping.abort())

test('a process that has started gets everything that was ordered before', async () => {
  await relay.setSandbox({ sandboxId: 'place', address: '198.18.0.6', egress: list })
  await relay.setSandbox({ sandboxId: 'other', address: '198.18.0.10', egress: { kind: 'open' } })
  expect(await relay.addressFor({ name: 'a.org', isListed: true, range })).toBeUndefined()
  void relay.follow(stopping.signal)
  await expect.poll(() => egress.tables).toHaveLength(1)
  const sandbox = {
    sandboxId: 'owner',
    address: '198.18.0.6',
    kind: 'allowlist',
    names: ['a.org'],
    brokered: [],
    privateAddresses: [],
  }
  expect(egress.tables).toEqual([{ sandboxes: [sandbox], names: [{ address: '198.19.0.1', name: 'a.org' }] }])
  egress.kill()
  await expect.poll(() => egress.tables).toHaveLength(2)
  expect(egress.tables[1]).toEqual(egress.tables[0])
})

test('the process knows an address before it is used, and a sandbox only while a policy needs it', async () => {
  void relay.follow(stopping.signal)
  await expect.poll(() => egress.tables).toHaveLength(1)
  await expect.poll(() => relay.addressFor({ name: 'a.org', isListed: true, range })).toBe('198.19.0.1')
  await relay.addressFor({ name: 'a.org', isListed: true, range })
  await relay.hold({ sandboxId: 'place', isHeld: true })
  await relay.removeSandbox('place')
  await relay.setSandbox({ sandboxId: 'place', address: '198.18.0.6', egress: list })
  await relay.hold({ sandboxId: 'place', isHeld: true })
  await relay.removeSandbox('place')
  expect(egress.orders).toEqual(['addNames 198.19.0.1', 'setSandbox owner', 'hold owner true', 'removeSandbox owner'])
})

test('one order sends the names that are asked for at the same time', async () => {
  void relay.follow(stopping.signal)
  await expect.poll(() => egress.tables).toHaveLength(1)
  const addressOf = (name: string) => relay.addressFor({ name, isListed: false, range })
  expect(await Promise.all(['a.org', 'b.org', 'c.org'].map(addressOf))).toEqual([
    '198.19.0.1',
    '198.19.0.2',
    '198.19.0.3',
  ])
  expect(egress.orders.join(' ').match(/198\.19\.0\.\d/g)).toHaveLength(3)
  expect(egress.orders.length).toBeLessThan(3)
})

test('a process that does not carry out an order is ended, and the next one gets the order', async () => {
  void relay.follow(stopping.signal)
  await expect.poll(() => egress.tables).toHaveLength(1)
  egress.fail()
  await relay.setSandbox({ sandboxId: 'place', address: '198.18.0.6', egress: list })
  await expect.poll(() => egress.tables).toHaveLength(2)
  expect(egress.tables[1]?.sandboxes).toMatchObject([{ sandboxId: 'owner' }])
})

test('a connection that the policy refused is reported for the sandbox, and one that failed is not', async () => {
  const refused: object[] = []
  relay.onRefused((what) => refused.push(what))
  await relay.setSandbox({ sandboxId: 'place', address: '198.18.0.6', egress: list })
  const event = { type: 'connection', sandboxId: 'owner', name: 'a.org', port: 22, decision: 'refused', at: 0 } as const
  egress.report({ ...event, sandboxId: 'unknown', reason: 'not-allowed' }, { ...event, reason: 'unreachable' })
  egress.report({ ...event, reason: 'not-allowed' }, { ...event, reason: 'address-out-of-range' })
  void relay.follow(stopping.signal)
  await expect
    .poll(() => refused)
    .toEqual([
      { sandboxId: 'place', name: 'a.org', port: 22, reason: 'policy' },
      { sandboxId: 'place', name: 'a.org', port: 22, reason: 'address-out-of-range' },
    ])
})

/** The orders of an egress process, which serves again immediately after it was killed. */
function makeEgress() {
  const tables: RelayTable[] = []
  const orders: string[] = []
  const reports: EgressEvent[] = []
  let run = new AbortController()
  let fails = false
  const carryOut = async (order: string) => {
    if (fails) throw new Error('it does not respond')
    orders.push(order)
  }
  const follow = async function* (): AsyncGenerator<EgressEvent> {
    const { signal } = run
    yield { type: 'opened' }
    yield* reports.splice(0)
    while (!signal.aborted) await waitAtMost(1000, { signal })
  }
  const api: EgressApi = {
    events: () => follow(),
    replaceAll: async (table) => void tables.push(table),
    setSandbox: ({ sandboxId }) => carryOut(`setSandbox ${sandboxId}`),
    removeSandbox: ({ sandboxId }) => carryOut(`removeSandbox ${sandboxId}`),
    addNames: ({ names }) => carryOut(`addNames ${names.map(({ address }) => address).join(' ')}`),
    hold: ({ sandboxId, isHeld }) => carryOut(`hold ${sandboxId} ${isHeld}`),
  }
  const kill = () => {
    run.abort()
    run = new AbortController()
    fails = false
  }
  const fail = () => {
    fails = true
  }
  return { api, tables, orders, kill, fail, report: (...events: EgressEvent[]) => void reports.push(...events) }
}
