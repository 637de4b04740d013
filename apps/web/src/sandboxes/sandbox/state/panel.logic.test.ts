import type { LifecyclePolicy, SandboxView } from '@threadbox/sdk'
import { describe, expect, test } from 'vitest'
import { asleepPhrase, awakePhrases, nextPhrases } from './panel.logic.ts'
import { awakeFor, hour, noon, sandboxOf } from './sandbox.test-utils.ts'

const policy: LifecyclePolicy = {
  idlePauseMinutes: 30,
  hotHours: 8,
  hotKeep: 'guaranteed',
  maxServices: 10,
  maxAwakeHours: 24,
  retentionDays: null,
}
const next = (sandbox: SandboxView) => nextPhrases(sandbox, { policy, now: noon })
const keys = (sandbox: SandboxView) => next(sandbox).map(({ key }) => key)
const asleep = (
  state: 'paused' | 'cold',
  values: Partial<NonNullable<SandboxView['asleep']>>,
  more: Partial<SandboxView> = {},
) => sandboxOf(state, { asleep: { memory: 'saved', memoryUntil: null, removedAt: null, ...values }, ...more })

describe('what happens next', () => {
  test('C4: an idle sandbox says when it pauses and that nothing is lost', () => {
    expect(next(awakeFor([], { pauseAt: noon + hour }))).toEqual([
      { key: 'next-pause', values: { at: { deadline: noon + hour } } },
      { key: 'memory-kept-on-pause' },
    ])
  })

  test('a turn, work and a hold each say how long the sandbox stays awake, and when it is paused in any case', () => {
    const latestPauseAt = noon + 24 * hour
    expect(keys(awakeFor([{ reason: 'turn', detail: '' }], { latestPauseAt }))).toEqual([
      'next-turn',
      'next-latest-pause',
    ])
    expect(next(awakeFor([{ reason: 'cpu', detail: 'make' }]))).toEqual([
      { key: 'next-work', values: { time: { duration: 30 * 60_000 } } },
    ])
    expect(keys(awakeFor([{ reason: 'hold', detail: '' }], { heldUntil: noon + hour }))).toEqual(['next-hold'])
  })

  test('A2: memory is promised until the guaranteed time, and after it for as long as there is space', () => {
    expect(next(asleep('paused', { memoryUntil: noon + hour }))).toEqual([
      { key: 'memory-kept-until', values: { at: { deadline: noon + hour } } },
      { key: 'message-wakes' },
    ])
    expect(keys(asleep('paused', { memoryUntil: noon - 1 }))).toEqual(['memory-kept-while-room', 'message-wakes'])
  })

  test('A3: a cold sandbox does not mention memory, and a removal is announced', () => {
    expect(keys(asleep('cold', { memory: 'none' }))).toEqual(['files-kept', 'message-starts'])
    expect(keys(asleep('cold', { memory: 'none', removedAt: noon + hour }))).toEqual([
      'files-kept',
      'next-removal',
      'message-starts',
    ])
  })

  test('G7: a thread that waits for memory sees its position and that nothing is dropped', () => {
    expect(keys(sandboxOf('paused', { waiting: { position: 1, places: 12 } }))).toEqual(['waits-next', 'next-waiting'])
  })

  test.each(['fresh', 'starting', 'pausing', 'waking', 'archived', 'error', 'deleting'] as const)(
    'C3: %s has a sentence of its own',
    (state) => {
      expect(keys(sandboxOf(state))).toEqual([`next-${state}`])
    },
  )
})

describe('why', () => {
  test('every reason is named, not only the first', () => {
    const reasons = awakePhrases(
      awakeFor([
        { reason: 'cpu', detail: 'python train.py' },
        { reason: 'terminal', detail: '' },
      ]),
    )
    expect(reasons.map(({ key }) => key)).toEqual(['why-cpu', 'why-terminal'])
    expect(awakePhrases(sandboxOf('paused'))).toEqual([])
  })

  test('a paused sandbox says why, from its own detail or from the log', () => {
    const line = { id: 'l', at: noon, code: 'paused.person', params: {}, reportId: null }
    const idle = sandboxOf('paused', { detail: { code: 'paused.idle', params: { minutes: 30 } } })
    expect(asleepPhrase(idle)).toEqual({ key: 'cause-idle', values: { time: { duration: 30 * 60_000 } } })
    expect(asleepPhrase(sandboxOf('paused'), [line])).toEqual({ key: 'cause-person' })
    expect(asleepPhrase(sandboxOf('paused'), [{ ...line, code: 'paused.new-reason' }])).toBeUndefined()
    expect(asleepPhrase(sandboxOf('active'), [line])).toBeUndefined()
  })
})
