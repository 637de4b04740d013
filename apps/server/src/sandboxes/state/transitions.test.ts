import { defaultSandboxLimits } from '@threadbox/domain'
import { makeLogger } from '@threadbox/telemetry'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openMigrated } from '../../migrated.test-utils.ts'
import { type OpenDatabase, tablesOf } from '../../platform/database/database.ts'
import { makeEvents } from '../../platform/events/events.ts'
import type { ThreadLog } from '../../threads/public.ts'
import type { SandboxEvents } from '../sandboxes.events.ts'
import type { Sandbox } from './sandbox.models.ts'
import { newSandbox } from './sandbox-rows.ts'
import { makeSandboxStore, type SandboxStore } from './sandboxes.store.ts'
import type { SandboxTables } from './sandboxes.table.ts'
import { makeTransition, recordInPlace, type Transition } from './transitions.ts'

const now = 1_800_000_000_000
const end = { bootId: 'boot', cause: 'killed-outside', at: now, detail: '' } as const
let open: OpenDatabase
let store: SandboxStore
let transition: Transition
let told: string[]
beforeEach(async () => {
  open = await openMigrated()
  store = makeSandboxStore(tablesOf<SandboxTables>(open.database))
  told = []
  transition = makeTransition({
    store,
    activity: { forget: () => void told.push('usage forgotten') },
    recorder: { record: async (_, { code }) => void told.push(`line ${code}`) },
    events: makeEvents<SandboxEvents>(makeLogger({ process: 'test', level: 'silent' })),
    announce: async () => void told.push('announced'),
    log: { append: async () => void told.push('notice') } as unknown as ThreadLog,
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

test('of two who saw the same state one changes it; of the other nothing is stored, and nothing follows', async () => {
  const row = await put({ state: 'active', boot_id: 'boot', has_run: 1 })
  const [paused, ended] = await Promise.all([
    transition(row, { type: 'pause-requested', reason: { cause: 'idle' } }),
    transition(row, { type: 'boot-ended', end }),
  ])
  expect([paused?.state, ended?.state]).toEqual(['pausing', undefined])
  expect(await present()).toMatchObject({ state: 'pausing', boot_id: 'boot', cause: null })
  expect(told).toEqual(['announced'])
})

test('what happened to an earlier boot changes nothing of a later one in the same state, nor what is stored beside it', async () => {
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
  told.length = 0
  const restarted = { cause: 'restarted', manifestJson: '{"of":"the earlier boot"}' } as const
  expect(await transition(earlier, { type: 'boot-ended', end: restarted })).toBeUndefined()
  expect(await present()).toEqual(later)
  expect(await store.memory('sandbox')).toBeUndefined()
  expect(told).toEqual([])
})

test('an order is recorded on the row that somebody else changed meanwhile, and takes nothing of that change back', async () => {
  const row = await put({ state: 'active', boot_id: 'boot', has_run: 1 })
  let meanwhile: Sandbox | undefined
  const change: SandboxStore['change'] = async (...order) => {
    meanwhile ??= await transition(row, { type: 'boot-ended', end })
    return await store.change(...order)
  }
  const slow = { findById: store.findById, change }
  await recordInPlace(slow, row.id, { type: 'rewind-ordered', keepId: 'keep', cause: 'rewound' })
  const intent = { kind: 'rewind', keepId: 'keep', cause: 'rewound' }
  expect(await present()).toEqual({ ...meanwhile, intent })
  expect(meanwhile?.state).toBe('cold')
})

test('of a sandbox that is gone nothing is recorded', async () => {
  const rewound = { cause: 'rewound', problem: '', manifestJson: '{"then":1}' } as const
  await recordInPlace(store, 'gone', { type: 'rewind-answered', rewound })
  expect(await store.all()).toEqual([])
  expect(await store.memory('gone')).toBeUndefined()
})
