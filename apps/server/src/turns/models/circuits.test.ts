import { expect, it } from 'vitest'
import { makeCircuits } from './circuits.ts'

it('three failures within a minute open the circuit of that model for a minute, then it is tried again', () => {
  let now = 0
  const circuits = makeCircuits(() => now)
  for (const at of [0, 30_000, 61_000]) {
    now = at
    circuits.failed('a')
    expect(circuits.isOpen('a')).toBe(false)
  }
  now = 62_000
  circuits.failed('a')
  expect([circuits.isOpen('a'), circuits.isOpen('b')]).toEqual([true, false])
  now += 59_999
  expect(circuits.isOpen('a')).toBe(true)
  now += 1
  expect(circuits.isOpen('a')).toBe(false)
  circuits.failed('a')
  expect(circuits.isOpen('a')).toBe(false)
  circuits.succeeded('a')
  circuits.failed('a')
  circuits.failed('a')
  expect(circuits.isOpen('a')).toBe(false)
  circuits.failed('a')
  expect(circuits.isOpen('a')).toBe(true)
  circuits.succeeded('a')
  expect(circuits.isOpen('a')).toBe(false)
})
