import { defaultSandboxLimits } from '@threadbox/domain'
import { makeLogger } from '@threadbox/telemetry'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openMigrated } from '../../migrated.test-utils.ts'
import { type OpenDatabase, tablesOf } from '../../platform/database/database.ts'
import { makeEvents } from '../../platform/events/events.ts'
import type { ThreadLog } from '../../threads/public.ts'
import type { SandboxEvents } from '../sandboxes.events.ts'
import type { Sandbox } from './sandbox.logic.ts'
import { newSandbox } from './sandbox-rows.ts'
import { makeSandboxStore, type SandboxStore } from './sandboxes.store.ts'
import type { SandboxTables } from './sandboxes.table.ts'
import { makeTransition, recordInPlace, type Transition } from './transitions.ts'

const now = 1_800_000_000_000
const end = { bootId: 'boot', cause: 'killed-outside', at: now, detail: '' } as const
let open: OpenDatabase
let store: SandboxStore
let transition: Transition
let effects: string[]
beforeEach(async () => {
  open = await openMigrated()
  store = makeSandboxStore(tablesOf<SandboxTables>(open.database))
  effects = []
  transition = makeTransition({
    store,
    activity: { forget: () => void effects.push('usage forgotten') },
    recorder: { record: async (_, { code }) => void effects.push(`line ${code}`) },
    events: makeEvents<SandboxEvents>(makeLogger({ process: 'test', level: 'silent' })),
    announce: async () => void effects.push('announced'),
    log: { append: async () => void effects.push('notice') } as unknown as ThreadLog,
    lastTurnId: async () => 'turn',
    system: { now: () => now, newId: (kind) => `${kind}-new`, randomBytes: (count) => new Uint8Array(count) },
  })
})
afterEach(() => open.close())

async function put(values: Partial<Sandbox>): Promise<Sandbox> {
  const fresh = newSandbox({ id: 'sandbox', threadId: 'thread', now: now - 1000, limits: defaultSandboxLimits })
  return await store.insertIfMissing({ ...fresh, ...values })
}
const present = async () => await store.find('thread')

test('of two events for the same state, one is applied; the other stores nothing and has no effects', async () => {
  const row = await put({ state: 'active', boot_id: 'boot', has_run: 1 })
  const [paused, ended] = await Promise.all([
    transition(row, { type: 'pause-requested', reason: { cause: 'idle' } }),
    transition(row, { type: 'boot-ended', end }),
  ])
  expect([paused?.state, ended?.state]).toEqual(['pausing', undefined])
  expect(await present()).toMatchObject({ state: 'pausing', boot_id: 'boot', cause: null })
  expect(effects).toEqual(['announced'])
})

test('an event of an earlier boot changes nothing of a later one in the same state, nor what is stored beside it', async () => {
  const earlier = await put({ state: 'active', boot_id: 'boot', has_run: 1 })
  await transition(earlier, { type: 'boot-ended', end })
  await transition((await present()) as Sandbox, {
    type: 'start-requested',
    bootId: 'boot-2',
    limits: defaultSandboxLimits,
  })
  const ready = { type: 'boot-ready', restoredFrom: null, lost: null, startedAt: now } as const
  const later = await transition((await present()) as Sandbox, ready)
  expect(later).toMatchObject({ state: 'active', boot_id: 'boot-2' })
  effects.length = 0
  const restarted = { cause: 'restarted', manifestJson: '{"of":"the earlier boot"}' } as const
  expect(await transition(earlier, { type: 'boot-ended', end: restarted })).toBeUndefined()
  expect(await present()).toEqual(later)
  expect(await store.memory('sandbox')).toBeUndefined()
  expect(effects).toEqual([])
})

test('an order is recorded on a row that changes concurrently, and that change stays', async () => {
  const row = await put({ state: 'active', boot_id: 'boot', has_run: 1 })
  let concurrent: Sandbox | undefined
  const change: SandboxStore['change'] = async (...order) => {
    concurrent ??= await transition(row, { type: 'boot-ended', end })
    return await store.change(...order)
  }
  const slow = { findById: store.findById, change }
  await recordInPlace(slow, row.id, { type: 'rewind-ordered', keepId: 'keep', cause: 'rewound' })
  const intent = { kind: 'rewind', keepId: 'keep', cause: 'rewound' }
  expect(await present()).toEqual({ ...concurrent, intent })
  expect(concurrent?.state).toBe('cold')
})

test('nothing is recorded for a sandbox that is gone', async () => {
  const rewound = { cause: 'rewound', problem: '', manifestJson: '{"then":1}' } as const
  await recordInPlace(store, 'gone', { type: 'rewind-answered', rewound })
  expect(await store.all()).toEqual([])
  expect(await store.memory('gone')).toBeUndefined()
})
