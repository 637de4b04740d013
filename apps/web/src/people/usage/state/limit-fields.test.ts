import { describe, expect, it } from 'vitest'
import { fieldOf, fieldsOf, limitOf, limitsOf, wrongField } from './limit-fields.ts'

describe('fields of limits', () => {
  it('show money in dollars and counts as they are, and no limit as empty', () => {
    const limits = {
      modelMicroUsdPerMonth: 12_500_000,
      awakeSandboxes: 4,
      concurrentRuns: null,
      sandboxes: 200,
      diskBytes: 2.5 * 1024 ** 3,
      apiRequestsPerSecond: 50,
    }
    expect(fieldsOf(limits)).toEqual({
      modelMicroUsdPerMonth: '12.5',
      awakeSandboxes: '4',
      concurrentRuns: '',
      sandboxes: '200',
      diskBytes: '2.5',
      apiRequestsPerSecond: '50',
    })
    expect(limitsOf(fieldsOf(limits))).toEqual(limits)
  })

  it('accept a comma and reject what is no limit', () => {
    expect(limitOf('modelMicroUsdPerMonth', ' 0,5 ')).toBe(500_000)
    for (const text of ['-1', '1e3', '1.5.5', 'five', '0.0000001']) {
      expect(limitOf('modelMicroUsdPerMonth', text)).toBeUndefined()
    }
    expect(limitOf('diskBytes', '0,25')).toBe(256 * 1024 ** 2)
    expect(limitOf('diskBytes', '999999999')).toBeUndefined()
    expect(fieldOf('diskBytes', 1_000_000_000)).toBe('0.931323')
    expect(limitOf('concurrentRuns', '1.5')).toBeUndefined()
    expect(wrongField({ ...fieldsOf({}), modelMicroUsdPerMonth: '1', concurrentRuns: 'x' })).toBe('concurrentRuns')
  })
})
