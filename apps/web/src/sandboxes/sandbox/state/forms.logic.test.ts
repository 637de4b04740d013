import { describe, expect, test } from 'vitest'
import { fieldOfMoment, holdEnd, holdProblem, momentOfField } from './hold.logic.ts'
import { limitText, readLimit } from './limits.logic.ts'
import { installationValue, policyText, readPolicy } from './policy.logic.ts'
import { hour, noon, sandboxOf } from './sandbox.test-utils.ts'
import { shouldWakeOnTyping } from './wake-ahead.logic.ts'

const GiB = 1024 ** 3
const context = { usedDiskBytes: 3 * GiB }

describe('limits of a thread', () => {
  test('G7: sizes are parsed as people write them, and never below the current use', () => {
    expect(readLimit('memoryBytes', '8 GiB', context)).toEqual({ value: 8 * GiB })
    expect(readLimit('cpus', '1,5', context)).toEqual({ value: 1.5 })
    expect(readLimit('diskBytes', '2 GiB', context)).toEqual({ problem: { kind: 'in-use', usedBytes: 3 * GiB } })
    expect(readLimit('diskBytes', '2 GiB', { usedDiskBytes: null })).toEqual({ value: 2 * GiB })
  })

  test('invalid values are rejected with the range or an example', () => {
    expect(readLimit('memoryBytes', '1 MiB', context)).toMatchObject({ problem: { kind: 'range', minimum: '256 MiB' } })
    expect(readLimit('processes', '100.5', context)).toMatchObject({ problem: { kind: 'unreadable' } })
    expect(readLimit('cpus', '', context)).toMatchObject({ problem: { kind: 'unreadable', example: '2' } })
    expect(limitText('memoryBytes', 4 * GiB)).toBe('4 GiB')
  })
})

describe('the policy of a thread', () => {
  const policy = {
    idlePauseMinutes: 30,
    hotHours: 8,
    hotKeep: 'guaranteed' as const,
    maxServices: 10,
    maxAwakeHours: 24,
    retentionDays: null,
  }

  test('A1: keeping files forever is an empty field, and an empty field requests it', () => {
    expect(policyText(policy, 'retentionDays')).toBe('')
    expect(readPolicy('retentionDays', '')).toEqual({ change: { retentionDays: 0 } })
    expect(readPolicy('retentionDays', '30')).toEqual({ change: { retentionDays: 30 } })
  })

  test('other fields cannot be empty; null requests the installation’s value', () => {
    expect(readPolicy('idlePauseMinutes', ' ')).toEqual({ problem: 'unreadable' })
    expect(readPolicy('idlePauseMinutes', '0')).toEqual({ problem: 'range' })
    expect(readPolicy('idlePauseMinutes', '1.5')).toEqual({ problem: 'unreadable' })
    expect(readPolicy('hotHours', '0,5')).toEqual({ change: { hotHours: 0.5 } })
    expect(installationValue('hotKeep')).toEqual({ hotKeep: null })
  })
})

describe('a hold', () => {
  test('always ends, within seven days', () => {
    expect(holdEnd(4, noon)).toBe(noon + 4 * hour)
    expect(holdProblem(noon - 1, noon)).toBe('past')
    expect(holdProblem(Number.NaN, noon)).toBe('past')
    expect(holdProblem(noon + 8 * 24 * hour, noon)).toBe('far')
    expect(holdProblem(noon + hour, noon)).toBeUndefined()
  })

  test('the field for its end returns the time that was set', () => {
    expect(momentOfField(fieldOfMoment(noon))).toBe(noon)
  })
})

describe('waking on typing', () => {
  const paused = sandboxOf('paused')

  test('O3: typing a message wakes a paused sandbox before it is sent', () => {
    expect(shouldWakeOnTyping(paused, 'wh')).toBe(true)
    expect(shouldWakeOnTyping(paused, '/run ls')).toBe(true)
  })

  test('O3: nothing else does: an empty field, a slip, a command that needs no sandbox, another state', () => {
    expect(['', ' ', 'w', '/', '/he', '/status', '/pause'].filter((text) => shouldWakeOnTyping(paused, text))).toEqual(
      [],
    )
    const others = ['fresh', 'starting', 'active', 'pausing', 'waking', 'cold', 'archived', 'error'] as const
    expect(others.filter((state) => shouldWakeOnTyping(sandboxOf(state), 'hello'))).toEqual([])
    expect(shouldWakeOnTyping({ ...paused, waiting: { position: 1, places: 2 } }, 'hello')).toBe(false)
  })
})
