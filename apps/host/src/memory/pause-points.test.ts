import { setTimeout as delay } from 'node:timers/promises'
import type { DiskStore } from '@threadbox/disk-store'
import { makeLogger } from '@threadbox/telemetry'
import { expect, test } from 'vitest'
import type { PausePointsStore } from '../state/pause-points.store.ts'
import type { StoredSandbox } from '../state/sandboxes.store.ts'
import { makePausePoints } from './pause-points.ts'

const sandboxOf = (sandboxId: string) => ({ sandboxId, placeId: sandboxId }) as StoredSandbox
const nothing = { isSame: true, removed: [], changed: [], added: [], removedCount: 0, changedCount: 0, addedCount: 0 }

/** Disks whose comparison is what `compare` does. */
function pointsOver(compare: DiskStore['compareWithSnapshot']) {
  const snapshots = new Map<string, string>()
  const store = {
    find: async (sandboxId) => ({ sandboxId, snapshotId: snapshots.get(sandboxId) ?? 'first', at: 1 }),
  } as Pick<PausePointsStore, 'find'> as PausePointsStore
  const disks = { compareWithSnapshot: compare } as Pick<DiskStore, 'compareWithSnapshot'> as DiskStore
  const logger = makeLogger({ process: 'host', level: 'silent' })
  return { points: makePausePoints({ disks, store, logger }), snapshots }
}

test('after twenty wakes at once disks are looked at one after another, and a look that fails stops no other', async () => {
  let [running, most, looks] = [0, 0, 0]
  const { points } = pointsOver(async () => {
    looks += 1
    const mine = looks
    running += 1
    most = Math.max(most, running)
    await delay(1)
    running -= 1
    if (mine === 3) throw new Error('this one cannot be looked at')
    return nothing
  })
  const all = await Promise.allSettled(Array.from({ length: 20 }, (_, index) => points.changes(sandboxOf(`s${index}`))))
  expect(all.filter(({ status }) => status === 'rejected')).toHaveLength(1)
  expect([most, looks]).toEqual([1, 20])
})

test('a look during which the sandbox is paused again has nothing to compare with, and is no error', async () => {
  const { points, snapshots } = pointsOver(async () => {
    snapshots.set('s', 'second')
    throw new Error('a directory went away')
  })
  expect(await points.changes(sandboxOf('s'))).toMatchObject({ since: null })
  await expect(points.changes(sandboxOf('s'))).rejects.toThrow('a directory went away')
})
