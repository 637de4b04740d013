import { defaultSandboxLimits, nextSandboxState, sandboxEvents, sandboxStates } from '@threadbox/domain'
import { stopped } from '@threadbox/testkit/host-stand-in'
import { expect, test } from 'vitest'
import { apply, type LifecycleEvent, type Sandbox } from './sandbox.logic.ts'
import { newSandbox } from './sandbox-rows.ts'

const facts = { now: 2000, reportId: 'report', entryId: 'entry' }
const fresh = newSandbox({ id: 'sandbox', threadId: 'thread', now: 1000, limits: defaultSandboxLimits })
const row = (more: Partial<Sandbox>): Sandbox => ({ ...fresh, has_run: 1, ...more })
const end = { bootId: 'boot', cause: 'killed-outside' as const, at: 1500, detail: 'killed' }
const rewound = { cause: 'rewound' as const, problem: '', manifestJson: null }
const problem = { code: 'x.y', message: 'it did not' }
const limits = defaultSandboxLimits

const events: { [Type in LifecycleEvent['type']]: Extract<LifecycleEvent, { type: Type }> } = {
  'start-requested': { type: 'start-requested', bootId: 'boot', limits },
  'boot-ready': { type: 'boot-ready', restoredFrom: null, lost: null, startedAt: 1900 },
  'boot-failed': { type: 'boot-failed', problem },
  'start-refused': { type: 'start-refused' },
  'start-withdrawn': { type: 'start-withdrawn' },
  'wake-requested': { type: 'wake-requested' },
  'wake-finished': { type: 'wake-finished', from: 'memory', startedAt: 1900 },
  'wake-failed': { type: 'wake-failed', cause: { code: 'memory-missing', detail: '' } },
  'wake-refused': { type: 'wake-refused', problem },
  'boot-ended': { type: 'boot-ended', end },
  'memory-dropped': { type: 'memory-dropped', end },
  'pause-requested': { type: 'pause-requested', reason: { cause: 'person' } },
  'pause-finished': {
    type: 'pause-finished',
    paused: { sandbox: stopped('sandbox'), manifest: null, manifestProblem: '', stallMs: 1, durationMs: 2 },
  },
  'pause-failed': { type: 'pause-failed', why: 'turn-began' },
  'rewound-awake': { type: 'rewound-awake', bootId: 'boot-then', rewound },
  'rewound-cold': { type: 'rewound-cold', rewound },
  'forked-awake': { type: 'forked-awake', bootId: 'boot' },
  'forked-cold': { type: 'forked-cold', cause: 'forked', problem: '' },
  archived: { type: 'archived', bytes: 5 },
  restored: { type: 'restored', durationMs: 7 },
  'delete-requested': { type: 'delete-requested', cause: null },
}

test('a sandbox gets the state that the lifecycle table has for an event; an event without one is not applied', () => {
  expect(Object.keys(events).sort()).toEqual([...sandboxEvents].sort())
  for (const state of sandboxStates) {
    for (const type of sandboxEvents) {
      const applied = apply(row({ state }), events[type], facts)
      expect(applied?.row.state, `${state}: ${type}`).toBe(nextSandboxState(state, type))
      if (applied === undefined) continue
      expect(applied.row, `${state}: ${type}`).toEqual({ ...row({ state }), ...applied.changed })
      const isAnnounced = applied.effects.some((effect) => effect.type === 'announce')
      expect(isAnnounced, `${state}: ${type}`).toBe(!type.startsWith('forked'))
    }
  }
})

test('columns that are written beside the state are not written with it', () => {
  const asleep = row({ state: 'active', boot_id: 'boot', held_until: 9000, own_limits_json: '{"cpus":1}' })
  const changed = apply(asleep, events['pause-requested'], facts)?.changed ?? {}
  expect(Object.keys(changed).sort()).toEqual(['detail', 'pause_cause', 'since', 'state'])
})

test('R3: a sandbox in error is cold after a rewind without memory, and active after one with memory', () => {
  const failed = row({ state: 'error', intent: { kind: 'rewind', keepId: 'keep', cause: 'rewound' } })
  const cold = apply(failed, events['rewound-cold'], facts)
  expect(cold?.row).toMatchObject({ state: 'cold', boot_id: null, intent: null, cause: { code: 'rewound' } })
  const awake = apply(failed, events['rewound-awake'], facts)
  expect(awake?.row).toMatchObject({ state: 'active', boot_id: 'boot-then', intent: null, cause: null, wake: null })
  expect(awake?.effects).toEqual([{ type: 'announce', isSoon: false }])
  expect(awake?.memory).toEqual({ manifest_json: null, rescue_json: null })
})

test('a boot that this server ended is not reported as stopped, and a rewind stays ordered until the host responds', () => {
  const rewinding = { kind: 'rewind', keepId: 'keep', cause: 'rewind-undone' } as const
  const ended = apply(row({ state: 'active', boot_id: 'boot', intent: rewinding }), events['boot-ended'], facts)
  expect(ended?.row).toMatchObject({ state: 'cold', cause: { code: 'rewind-undone' }, intent: rewinding })
  expect(ended?.effects.map(({ type }) => type)).toEqual(['announce', 'log', 'release-capacity'])
  const demoting = { kind: 'demote', reason: 'budget' } as const
  const dropped = apply(row({ state: 'paused', paused_at: 7, intent: demoting }), events['memory-dropped'], facts)
  const cause = { code: 'memory-given-up', detail: 'Its disk space was needed.', pausedAt: 7 }
  expect(dropped?.row).toMatchObject({ state: 'cold', cause, intent: null })
  const accident = apply(row({ state: 'paused', paused_at: 7 }), events['memory-dropped'], facts)
  expect(accident?.effects).toContainEqual({ type: 'report-stopped', end })
})
