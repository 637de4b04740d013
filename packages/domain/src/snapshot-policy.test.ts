import { expect, test } from 'vitest'
import {
  canPinMore,
  chooseMemoryRemovals,
  chooseSnapshotRemovals,
  type KeptSnapshot,
  maxMemorySnapshotBytes,
} from './snapshot-policy.ts'

const wide = { perThread: 100, bytesPerThread: 1e12, bytes: 1e12 }

function made(threadId: string, count: number, writtenBytes = 10): KeptSnapshot[] {
  return Array.from({ length: count }, (_, index) => ({ id: `${threadId}${index}`, threadId, writtenBytes }))
}

const idsOf = (options: Parameters<typeof chooseSnapshotRemovals>[0]) =>
  chooseSnapshotRemovals(options).map(({ id }) => id)

test('nothing is removed within all limits, and an empty list is accepted', () => {
  expect(idsOf({ snapshots: [], limits: wide })).toEqual([])
  expect(idsOf({ snapshots: made('a', 3), limits: { perThread: 3, bytesPerThread: 30, bytes: 30 } })).toEqual([])
})

test('beyond the number per thread the oldest are removed', () => {
  const snapshots = made('a', 4)
  expect(idsOf({ snapshots, limits: { ...wide, perThread: 2 } })).toEqual(['a0', 'a1'])
})

test('with a limit of 0 the newest is removed too', () => {
  expect(idsOf({ snapshots: made('a', 2), limits: { ...wide, perThread: 0 } })).toEqual(['a0', 'a1'])
})

test('beyond the bytes per thread the oldest are removed, never the newest', () => {
  const limits = { ...wide, bytesPerThread: 25 }
  expect(idsOf({ snapshots: [...made('a', 4), ...made('b', 2)], limits })).toEqual(['a0', 'a1'])
  expect(idsOf({ snapshots: made('a', 3, 1000), limits })).toEqual(['a0', 'a1'])
  expect(idsOf({ snapshots: made('a', 1, 1000), limits })).toEqual([])
})

test('beyond the bytes of the installation the oldest of all threads are removed, never the newest of a thread', () => {
  const [[first, second], [third, fourth, fifth]] = [made('a', 2), made('b', 3)]
  const snapshots = [first, third, second, fourth, fifth].flatMap((one) => one ?? [])
  expect(idsOf({ snapshots, limits: { ...wide, bytes: 35 } })).toEqual(['a0', 'b0'])
  expect(idsOf({ snapshots, limits: { ...wide, bytes: 0 } })).toEqual(['a0', 'b0', 'b1'])
})

test('an almost full disk keeps no snapshot, so that deleting files on it frees space', () => {
  const snapshots = [...made('a', 3), ...made('b', 2)]
  expect(idsOf({ snapshots, limits: wide, diskShares: new Map([['a', 0.76]]) })).toEqual(['a0', 'a1', 'a2'])
  expect(idsOf({ snapshots, limits: wide, diskShares: new Map([['a', 0.5]]) })).toEqual([])
})

const memories = (threadId: string, count: number, memoryBytes = 10) =>
  Array.from({ length: count }, (_, index) => ({ id: `${threadId}${index}`, threadId, memoryBytes }))
const goneOf = (options: Parameters<typeof chooseMemoryRemovals>[0]) =>
  chooseMemoryRemovals(options).map(({ id }) => id)

test('the newest memory of each thread is kept up to the number; with a limit of 0 all is removed', () => {
  const all = [...memories('a', 3), ...memories('b', 1)]
  expect(goneOf({ memories: all, limits: { perThread: 2, bytes: 100 } })).toEqual(['a0'])
  expect(goneOf({ memories: all, limits: { perThread: 0, bytes: 100 } })).toEqual(['a0', 'a1', 'a2', 'b0'])
})

test('beyond the bytes of memory the oldest of all threads are removed, also the only one of a thread', () => {
  const all = [...memories('a', 1), ...memories('b', 3)]
  expect(goneOf({ memories: all, limits: { perThread: 9, bytes: 30 } })).toEqual(['a0'])
  expect(goneOf({ memories: all, limits: { perThread: 9, bytes: 29 } })).toEqual(['a0', 'b0'])
})

test('no memory older than the first that does not fit is kept', () => {
  const all = [...memories('a', 1, 5), ...memories('a', 2, 20).map((one) => ({ ...one, id: `late${one.id}` }))]
  expect(goneOf({ memories: all, limits: { perThread: 9, bytes: 30 } })).toEqual(['a0', 'latea0'])
})

test('one image can use at most a quarter of the total', () => {
  expect(maxMemorySnapshotBytes({ perThread: 3, bytes: 400 })).toBe(100)
  expect(maxMemorySnapshotBytes({ perThread: 0, bytes: 400 })).toBe(0)
})

const pinned = (...ids: string[]) => ({ pinnedIds: new Set(ids) })

test('a pinned snapshot stays beyond each limit and on an almost full disk, and does not count in number', () => {
  const snapshots = made('a', 4)
  expect(idsOf({ snapshots, limits: { ...wide, perThread: 2 }, ...pinned('a0') })).toEqual(['a1'])
  expect(idsOf({ snapshots, limits: { ...wide, perThread: 0 }, ...pinned('a0') })).toEqual(['a1', 'a2', 'a3'])
  expect(idsOf({ snapshots, limits: { ...wide, bytes: 0 }, ...pinned('a0') })).toEqual(['a1', 'a2'])
  const diskShares = new Map([['a', 0.9]])
  expect(idsOf({ snapshots, limits: wide, diskShares, ...pinned('a0', 'a3') })).toEqual(['a1', 'a2'])
})

test('the bytes of a pinned snapshot count: others are removed for it', () => {
  const snapshots = [{ id: 'a-large-one', threadId: 'a', writtenBytes: 100 }, ...made('a', 3)]
  const limits = { ...wide, bytesPerThread: 25 }
  expect(idsOf({ snapshots, limits })).toEqual(['a-large-one', 'a0'])
  expect(idsOf({ snapshots, limits, ...pinned('a-large-one') })).toEqual(['a0', 'a1'])
})

test('memory of a pinned snapshot stays beyond each limit: it counts in bytes, not in number', () => {
  const all = [...memories('a', 3), ...memories('b', 1)]
  expect(goneOf({ memories: all, limits: { perThread: 1, bytes: 100 }, ...pinned('a0') })).toEqual(['a1'])
  expect(goneOf({ memories: all, limits: { perThread: 0, bytes: 100 }, ...pinned('a0') })).toEqual(['a1', 'a2', 'b0'])
  expect(goneOf({ memories: all, limits: { perThread: 9, bytes: 20 }, ...pinned('a0') })).toEqual(['a1', 'a2'])
  expect(goneOf({ memories: all, limits: { perThread: 9, bytes: 0 }, ...pinned('a0') })).toEqual(['a1', 'a2', 'b0'])
})

test('another snapshot can be pinned until the pinned ones exceed half of a limit for all threads', () => {
  const limits = { bytes: 100, memoryBytes: 40 }
  expect(canPinMore({ writtenBytes: 50, memoryBytes: 20 }, limits)).toBe(true)
  expect(canPinMore({ writtenBytes: 51, memoryBytes: 0 }, limits)).toBe(false)
  expect(canPinMore({ writtenBytes: 0, memoryBytes: 21 }, limits)).toBe(false)
})
