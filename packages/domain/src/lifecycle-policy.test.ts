import { describe, expect, test } from 'vitest'
import {
  type AwakeFacts,
  chooseDemotions,
  clockJumpMs,
  decideAsleep,
  decideAwake,
  defaultLifecyclePolicy,
  type LifecyclePolicy,
} from './lifecycle-policy.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const start = 1_800_000_000_000

const policy = (more: Partial<LifecyclePolicy> = {}): LifecyclePolicy => ({ ...defaultLifecyclePolicy, ...more })
const awake = (more: Partial<AwakeFacts> = {}): AwakeFacts => ({
  now: start,
  usedAt: start,
  awakeSince: start,
  heldUntil: null,
  hasTurn: false,
  isTransferring: false,
  activities: [],
  isAnnounced: false,
  notBefore: 0,
  ...more,
})

describe('C4: what keeps a sandbox awake', () => {
  const idle = start - 2 * hour
  const rows: [string, Partial<AwakeFacts>, { action: string; reasons: string[] }][] = [
    ['nothing for longer than the idle time', {}, { action: 'pause-idle', reasons: [] }],
    ['a running turn', { hasTurn: true }, { action: 'none', reasons: ['turn'] }],
    [
      'a process that computes',
      { activities: [{ reason: 'cpu', at: start, detail: 'train.py' }] },
      { action: 'none', reasons: ['cpu'] },
    ],
    [
      'somebody typing',
      { activities: [{ reason: 'terminal', at: start, detail: '' }] },
      { action: 'none', reasons: ['terminal'] },
    ],
    [
      'a person asking a service',
      { activities: [{ reason: 'request', at: start, detail: '8501' }] },
      { action: 'none', reasons: ['request'] },
    ],
    ['a hold', { heldUntil: start + 1 }, { action: 'none', reasons: ['hold'] }],
    ['a hold that is over', { heldUntil: start - hour }, { action: 'pause-idle', reasons: [] }],
    ['a file on its way', { isTransferring: true }, { action: 'none', reasons: [] }],
    ['a use that was not long ago', { usedAt: start - 29 * minute }, { action: 'none', reasons: [] }],
    [
      'work that ended less than the idle time ago',
      { activities: [{ reason: 'cpu', at: start - 29 * minute, detail: '' }] },
      { action: 'none', reasons: [] },
    ],
    [
      'work that ended longer ago',
      { activities: [{ reason: 'cpu', at: start - 31 * minute, detail: '' }] },
      { action: 'pause-idle', reasons: [] },
    ],
    ['a host that was just reached', { notBefore: start + minute }, { action: 'none', reasons: [] }],
  ]
  test.each(rows)('%s', (_, facts, expected) => {
    const decision = decideAwake(awake({ usedAt: idle, awakeSince: idle, ...facts }), policy())
    expect(decision.action).toBe(expected.action)
    expect(decision.reasons.map(({ reason }) => reason)).toEqual(expected.reasons)
    expect(decision.pauseAt === null).toBe(expected.reasons.length > 0 || facts.isTransferring === true)
  })

  test('the idle time begins when the last work ended, and the next check is at its end', () => {
    const decision = decideAwake(
      awake({ activities: [{ reason: 'cpu', at: start - 2 * minute, detail: '' }], usedAt: 0 }),
      policy(),
    )
    expect(decision.pauseAt).toBe(start + 28 * minute)
    expect(decision.nextLookAt).toBe(start + 28 * minute)
    const working = decideAwake(awake({ activities: [{ reason: 'cpu', at: start - 20_000, detail: 'a' }] }), policy())
    expect(working.nextLookAt).toBe(start + 40_000)
  })
})

describe('C4: the longest time awake', () => {
  const working = { activities: [{ reason: 'cpu' as const, at: start, detail: 'train.py' }] }
  const since = (hours: number) => awake({ awakeSince: start - hours * hour, ...working })

  test('work is paused at the limit, announced an hour before, and only once', () => {
    expect(decideAwake(since(22.9), policy()).action).toBe('none')
    expect(decideAwake(since(23), policy()).action).toBe('announce-limit')
    expect(decideAwake({ ...since(23), isAnnounced: true }, policy()).action).toBe('none')
    expect(decideAwake(since(24), policy())).toMatchObject({ action: 'pause-limit', latestPauseAt: start })
  })
  test('the limit never interrupts a turn, and a hold moves it', () => {
    expect(decideAwake({ ...since(30), hasTurn: true }, policy()).action).toBe('none')
    const held = decideAwake({ ...since(30), heldUntil: start + 5 * hour, isAnnounced: true }, policy())
    expect(held).toMatchObject({ action: 'none', latestPauseAt: start + 5 * hour })
  })
  test('an idle sandbox is not announced: it pauses long before', () => {
    const idle = awake({ awakeSince: start - 23.2 * hour, usedAt: start - 10 * minute })
    expect(decideAwake(idle, policy()).action).toBe('none')
  })
  test('a short limit is announced halfway', () => {
    const facts = awake({ awakeSince: start - 3 * minute, ...working })
    expect(decideAwake(facts, policy({ maxAwakeHours: 0.1 })).action).toBe('announce-limit')
  })
})

describe('A2, A3: memory of a sleeping sandbox', () => {
  const paused = (hours: number) => ({
    now: start,
    usedAt: start - hours * hour,
    pausedAt: start - hours * hour,
    holdsWork: false,
    retentionAnnouncedAt: null,
    archiveDays: null,
    isCold: false,
  })
  test('is kept for the guaranteed time and longer, unless the policy is strict', () => {
    expect(decideAsleep(paused(7), policy())).toMatchObject({ action: 'none', memoryUntil: start + hour })
    expect(decideAsleep(paused(100), policy()).action).toBe('none')
    expect(decideAsleep(paused(7), policy({ hotKeep: 'strict' }))).toMatchObject({
      action: 'none',
      nextLookAt: start + hour,
    })
    expect(decideAsleep(paused(8), policy({ hotKeep: 'strict' })).action).toBe('demote')
  })
  test('is kept if the sandbox was paused in the middle of work', () => {
    expect(decideAsleep({ ...paused(100), holdsWork: true }, policy({ hotKeep: 'strict' })).action).toBe('none')
  })
  test('is discarded when all memory exceeds the budget: the oldest beyond its guaranteed time, only as much as needed', () => {
    const memory = (sandboxId: string, hours: number, more = {}) => ({
      sandboxId,
      pausedAt: start - hours * hour,
      bytes: 100,
      policy: policy(),
      holdsWork: false,
      ...more,
    })
    const saved = [memory('new', 1), memory('old', 20), memory('older', 30), memory('working', 90, { holdsWork: true })]
    const choose = (usedBytes: number) => chooseDemotions(saved, { now: start, usedBytes, budgetBytes: 1000 })
    expect(choose(1000)).toEqual([])
    expect(choose(1050)).toEqual(['older'])
    expect(choose(1150)).toEqual(['older', 'old'])
    expect(choose(5000)).toEqual(['older', 'old', 'working'])
  })
})

describe('A1, O11: files of an unused sandbox', () => {
  const unused = (days: number, retentionAnnouncedAt: number | null = null) => ({
    now: start,
    usedAt: start - days * day,
    pausedAt: null,
    holdsWork: false,
    retentionAnnouncedAt,
    archiveDays: null,
    isCold: true,
  })
  test('are kept forever by default', () => {
    expect(decideAsleep(unused(5000), policy())).toMatchObject({
      action: 'none',
      removedAt: null,
      nextLookAt: Infinity,
    })
  })
  test('are deleted only after their deletion was announced for a week', () => {
    const thirty = policy({ retentionDays: 30 })
    expect(decideAsleep(unused(22), thirty)).toMatchObject({ action: 'none', removedAt: start + 8 * day })
    expect(decideAsleep(unused(23), thirty).action).toBe('announce-removal')
    expect(decideAsleep(unused(30, start - 7 * day), thirty).action).toBe('remove')
    expect(decideAsleep(unused(29.9, start - 6.9 * day), thirty).action).toBe('none')
  })
  test('are kept for the whole notice period if the server was down at the time of the announcement', () => {
    const decision = decideAsleep(unused(90), policy({ retentionDays: 30 }))
    expect(decision).toMatchObject({ action: 'announce-removal', removedAt: start + 7 * day })
    expect(decideAsleep(unused(90, start - day), policy({ retentionDays: 30 })).action).toBe('none')
  })
})

describe('A1: the archive', () => {
  const cold = (days: number) => ({
    now: start,
    usedAt: start - days * day,
    pausedAt: null,
    holdsWork: false,
    retentionAnnouncedAt: null,
    archiveDays: 30,
    isCold: true,
  })
  test('takes a cold sandbox after as many days without use, and never one with work in memory', () => {
    expect(decideAsleep(cold(29), policy())).toMatchObject({ action: 'none', nextLookAt: start + day })
    expect(decideAsleep(cold(30), policy()).action).toBe('archive')
    expect(decideAsleep({ ...cold(5000), archiveDays: null }, policy()).action).toBe('none')
    expect(decideAsleep({ ...cold(5000), isCold: false }, policy()).action).toBe('none')
    const paused = { ...cold(30), isCold: false, pausedAt: start - day }
    expect(decideAsleep(paused, policy({ hotHours: 24 })).action).toBe('demote')
    expect(decideAsleep(paused, policy({ hotHours: 25 })).action).toBe('none')
    expect(decideAsleep({ ...paused, holdsWork: true }, policy()).action).toBe('none')
  })
  test('does not take what is to be deleted, which is announced first', () => {
    const facts = { ...cold(40), retentionAnnouncedAt: null }
    expect(decideAsleep(facts, policy({ retentionDays: 30 })).action).toBe('announce-removal')
  })
})

describe('a changed clock', () => {
  const at = (wallMs: number, uptimeMs: number) => ({ wallMs, uptimeMs })
  test.each([
    ['runs on', at(start + hour, hour), 0],
    ['drifts by seconds', at(start + hour + 5000, hour), 0],
    ['was set forward', at(start + day, hour), day - hour],
    ['was set back', at(start - day, hour), -day - hour],
  ])('%s', (_, after, jump) => {
    expect(clockJumpMs(at(start, 0), after)).toBe(jump)
  })
})
