import type { QuotaState } from '@threadbox/sdk'
import { expect, test } from 'vitest'
import { isDismissed, nearLimits, withDismissed } from './near-limits.ts'

const state = (values: Partial<QuotaState>): QuotaState => ({
  quota: 'modelMicroUsdPerMonth',
  used: 0,
  limit: 100,
  assigned: 100,
  own: null,
  resetsAt: 1000,
  ...values,
})

test('a limit is near from 80 % on, and never without a limit or a reset', () => {
  const states = [state({ used: 79 }), state({ used: 80 }), state({ used: 120 })]
  expect(nearLimits(states).map(({ used }) => used)).toEqual([80, 120])
  expect(nearLimits([state({ used: 5, limit: null }), state({ used: 100, resetsAt: null })])).toEqual([])
  expect(nearLimits([state({ used: 0, limit: 0 })])).toHaveLength(1)
})

test('what stays used until something is deleted is near too, and announced again when nothing is left', () => {
  const near = state({ quota: 'sandboxes', used: 160, limit: 200, resetsAt: null })
  expect(nearLimits([near, { ...near, used: 159 }])).toEqual([near])
  const stored = withDismissed(null, { all: [near], state: near })
  expect(isDismissed(stored, { ...near, used: 199 })).toBe(true)
  expect(isDismissed(stored, { ...near, used: 200 })).toBe(false)
  expect(isDismissed(stored, { ...near, used: 170, limit: 210 })).toBe(false)
})

test('a notice is dismissed for one month, beside others', () => {
  const [money, runs] = [state({}), state({ quota: 'concurrentRuns' })]
  const first = withDismissed(null, { all: [money, runs], state: money })
  expect([isDismissed(first, money), isDismissed(first, runs)]).toEqual([true, false])
  const both = withDismissed(first, { all: [money, runs], state: runs })
  expect([isDismissed(both, money), isDismissed(both, runs)]).toEqual([true, true])
  const next = { ...money, resetsAt: 2000 }
  expect(isDismissed(both, next)).toBe(false)
  expect(isDismissed(withDismissed(both, { all: [next], state: next }), money)).toBe(false)
})
