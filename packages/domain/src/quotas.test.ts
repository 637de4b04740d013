import { describe, expect, it } from 'vitest'
import { limitsFrom, memberLimits, noLimits, type QuotaSources } from './quotas.ts'

const sources = (more: Partial<QuotaSources> = {}): QuotaSources => ({
  preset: memberLimits,
  assigned: {},
  granted: [],
  own: {},
  ...more,
})

describe('limits of a person', () => {
  it('are those of the preset, except where another is assigned, also a higher one or none', () => {
    expect(limitsFrom(sources())).toEqual(memberLimits)
    expect(limitsFrom(sources({ assigned: { concurrentRuns: 1, modelMicroUsdPerMonth: null } }))).toEqual({
      ...memberLimits,
      concurrentRuns: 1,
      modelMicroUsdPerMonth: null,
    })
  })

  it('are raised by a grant and never lowered by one', () => {
    const granted = [
      { quota: 'modelMicroUsdPerMonth', limit: 2 },
      { quota: 'concurrentRuns', limit: 9 },
    ] as const
    expect(limitsFrom(sources({ granted }))).toEqual({ ...memberLimits, concurrentRuns: 9 })
    expect(limitsFrom(sources({ preset: noLimits, granted }))).toEqual(noLimits)
    expect(limitsFrom(sources({ granted: [{ quota: 'concurrentRuns', limit: null }] })).concurrentRuns).toBeNull()
  })

  it('are lowered by the person, and not raised', () => {
    expect(limitsFrom(sources({ own: { modelMicroUsdPerMonth: 90_000_000, concurrentRuns: 1 } }))).toEqual({
      ...memberLimits,
      concurrentRuns: 1,
    })
    expect(limitsFrom(sources({ preset: noLimits, own: { concurrentRuns: 0 } })).concurrentRuns).toBe(0)
  })
})
