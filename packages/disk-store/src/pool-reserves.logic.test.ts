import { expect, test } from 'vitest'
import { disksLimitBytes } from './pool-reserves.logic.ts'

const MiB = 1024 * 1024
const tableRoom = { freeBytes: 10_000 * MiB, copies: 1, stepBytes: 0 }

test('all disks may hold their budget while more is free', () => {
  const limit = disksLimitBytes({
    budgetBytes: 900 * MiB,
    heldBytes: 100 * MiB,
    spareBytes: 800 * MiB,
    tables: tableRoom,
  })
  expect(limit).toBe(900 * MiB)
})

test('space that no quota counts lowers the limit by as much', () => {
  const limit = disksLimitBytes({
    budgetBytes: 900 * MiB,
    heldBytes: 100 * MiB,
    spareBytes: 300 * MiB,
    tables: tableRoom,
  })
  expect(limit).toBe(400 * MiB)
})

test('where each table is stored twice, what is free counts half', () => {
  const tables = { ...tableRoom, copies: 2 }
  const limit = disksLimitBytes({ budgetBytes: 900 * MiB, heldBytes: 100 * MiB, spareBytes: 300 * MiB, tables })
  expect(limit).toBe(250 * MiB)
})

test('the next step of the tables stays free', () => {
  const tables = { ...tableRoom, stepBytes: 50 * MiB }
  const limit = disksLimitBytes({ budgetBytes: 900 * MiB, heldBytes: 100 * MiB, spareBytes: 300 * MiB, tables })
  expect(limit).toBe(350 * MiB)
})

test('the limit is what the disks hold when the reserve, or the room for tables, is used up', () => {
  const held = { budgetBytes: 900 * MiB, heldBytes: 100 * MiB }
  expect(disksLimitBytes({ ...held, spareBytes: -50 * MiB, tables: tableRoom })).toBe(100 * MiB)
  const tables = { ...tableRoom, freeBytes: 20 * MiB }
  expect(disksLimitBytes({ ...held, spareBytes: 700 * MiB, tables })).toBe(100 * MiB)
})

test('the limit is never so low that the deletion of files could not be recorded', () => {
  expect(disksLimitBytes({ budgetBytes: 16 * MiB, heldBytes: 0, spareBytes: 0, tables: tableRoom })).toBe(16 * MiB)
})
