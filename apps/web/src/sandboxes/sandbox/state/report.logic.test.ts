import type { SurvivalItem, SurvivalReport } from '@threadbox/sdk'
import { describe, expect, test } from 'vitest'
import {
  countOf,
  exchangedWithMemory,
  groupsOf,
  isMemoryKept,
  isOpenByDefault,
  kindsOf,
  linePartsOf,
  rebuildable,
} from './report.logic.ts'

const none = { kept: 0, rescued: 0, restarted: 0, lost: 0, unchecked: 0 }
const item = (kind: SurvivalItem['kind'], outcome: SurvivalItem['outcome'], name: string): SurvivalItem => ({
  kind,
  name,
  outcome,
  reason: outcome === 'kept' ? '' : 'A reason.',
  detail: '',
  restartId: null,
})
const report = (values: Partial<SurvivalReport> = {}): SurvivalReport => ({
  id: 'r',
  threadId: 't',
  from: 'memory',
  cause: null,
  pausedAt: 0,
  wokenAt: 1,
  checkedAt: 1,
  wakeMs: 400,
  status: 'complete',
  counts: {},
  items: [],
  ...values,
})

test('a rewind is distinguished from its undo, and from a sleep', () => {
  const words = (['memory', 'disk'] as const).flatMap((from) =>
    ['rewound', 'rewind-undone', 'restarted'].map((code) => exchangedWithMemory({ from, cause: { code, detail: '' } })),
  )
  expect(words).toEqual(['rewound', 'rewind-undone', undefined, undefined, undefined, undefined])
})

describe('the line of a wake', () => {
  test('counts kept items by kind', () => {
    const counts = { process: { ...none, kept: 3 }, service: { ...none, kept: 2 }, variable: { ...none, kept: 41 } }
    expect(linePartsOf(report({ counts }))).toEqual([
      {
        outcome: 'kept',
        counts: [
          { kind: 'process', count: 3 },
          { kind: 'service', count: 2 },
          { kind: 'variable', count: 41 },
        ],
      },
    ])
  })

  test('G10: counts every loss in one number, of whatever kind', () => {
    const counts = {
      variable: { ...none, rescued: 38, lost: 2 },
      file: { ...none, kept: 900, lost: 1 },
      port: { ...none, unchecked: 1 },
    }
    expect(linePartsOf(report({ from: 'disk', counts }))).toEqual([
      { outcome: 'rescued', counts: [{ kind: 'variable', count: 38 }] },
      { outcome: 'lost', counts: [{ kind: null, count: 3 }] },
      { outcome: 'unchecked', counts: [{ kind: null, count: 1 }] },
    ])
  })

  test('leaves out kinds without items', () => {
    expect(linePartsOf(report())).toEqual([])
    expect(linePartsOf(report({ counts: { process: none } }))).toEqual([])
  })

  test('derives from its source whether memory was kept', () => {
    expect((['frozen', 'memory'] as const).map((from) => isMemoryKept({ from }))).toEqual([true, true])
    expect((['disk', 'snapshot', 'new'] as const).map((from) => isMemoryKept({ from }))).toEqual([false, false, false])
  })
})

describe('the card of a wake', () => {
  const lossy = report({
    from: 'disk',
    counts: {
      process: { ...none, lost: 1 },
      variable: { ...none, kept: 0, rescued: 1, lost: 1 },
      file: { ...none, kept: 1200 },
    },
    items: [
      item('file', 'kept', '/home/user/a'),
      item('variable', 'rescued', 'trips'),
      item('process', 'lost', 'python training.py'),
      item('variable', 'lost', 'conn'),
    ],
  })

  test('losses come first and kept items last', () => {
    expect(groupsOf(lossy).map(({ outcome, count }) => [outcome, count])).toEqual([
      ['lost', 2],
      ['rescued', 1],
      ['kept', 1200],
    ])
  })

  test('a list that the report cut shows how many more there were', () => {
    const kept = groupsOf(lossy).at(-1)
    expect(kept?.unlisted).toBe(1199)
    expect(kept && kindsOf(lossy, kept)).toEqual([{ kind: 'file', count: 1200, items: [lossy.items[0]] }])
  })

  test('a kind that was counted and not listed is still shown', () => {
    const bare = report({ counts: { package: { ...none, kept: 42 } } })
    const [kept] = groupsOf(bare)
    expect(kept && kindsOf(bare, kept)).toEqual([{ kind: 'package', count: 42, items: [] }])
  })

  test('an item that the counts omit is counted', () => {
    expect(groupsOf(report({ items: [item('variable', 'lost', 'x')] }))).toMatchObject([{ outcome: 'lost', count: 1 }])
  })

  test('is open by default only if it is the newest, complete, and something was lost', () => {
    expect(isOpenByDefault(lossy, true)).toBe(true)
    expect(isOpenByDefault(lossy, false)).toBe(false)
    expect(isOpenByDefault({ ...lossy, status: 'checking' }, true)).toBe(false)
    expect(isOpenByDefault(report({ counts: { process: { ...none, kept: 1 } } }), true)).toBe(false)
  })

  test('offers to rebuild losses that an agent can rebuild', () => {
    expect(rebuildable(lossy).map(({ name }) => name)).toEqual(['python training.py', 'conn'])
    expect(countOf(lossy, 'lost')).toBe(2)
  })
})
