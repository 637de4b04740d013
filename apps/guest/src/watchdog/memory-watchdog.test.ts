import { expect, test } from 'vitest'
import { isBeingFreed } from './memory-watchdog.ts'

const limitBytes = 1000
const lastKill = { at: 10_000, usedBytes: 930 }

test('no second process is killed while the memory of the first is being freed', () => {
  expect(isBeingFreed(undefined, { at: 10_050, usedBytes: 930, limitBytes })).toBe(false)
  expect(isBeingFreed(lastKill, { at: 10_050, usedBytes: 930, limitBytes })).toBe(true)
  expect(isBeingFreed(lastKill, { at: 11_999, usedBytes: 925, limitBytes })).toBe(true)
})

test('another process is killed if memory keeps growing, or stays full', () => {
  expect(isBeingFreed(lastKill, { at: 10_050, usedBytes: 970, limitBytes })).toBe(false)
  expect(isBeingFreed(lastKill, { at: 12_000, usedBytes: 930, limitBytes })).toBe(false)
})
