import { type DiskStore, tooManyFiles } from '@threadbox/disk-store'
import { makeLogger } from '@threadbox/telemetry'
import { expect, test } from 'vitest'
import type { PausePointsStore } from '../state/pause-points.store.ts'
import type { StoredSandbox } from '../state/sandboxes.store.ts'
import { makePausePoints } from './pause-points.ts'

const sandboxOf = (sandboxId: string) => ({ sandboxId, placeId: sandboxId }) as StoredSandbox

/** Disks whose comparison is what `compare` does. */
function pointsOver(compare: DiskStore['compareWithSnapshot']) {
  const snapshots = new Map<string, string>()
  const store = {
    find: async (sandboxId) => ({ sandboxId, snapshotId: snapshots.get(sandboxId) ?? 'first', at: 1 }),
  } as Pick<PausePointsStore, 'find'> as PausePointsStore
  const disks = { compareWithSnapshot: compare } as Pick<DiskStore, 'compareWithSnapshot'> as DiskStore
  const logger = makeLogger({ process: 'host', level: 'silent' })
  return { points: makePausePoints({ disks, store, keptSnapshots: async () => new Set(), logger }), snapshots }
}

test('a look during which the sandbox is paused again has nothing to compare with, and is no error', async () => {
  const { points, snapshots } = pointsOver(async () => {
    snapshots.set('s', 'second')
    throw new Error('a directory went away')
  })
  expect(await points.changes(sandboxOf('s'))).toMatchObject({ since: null })
  await expect(points.changes(sandboxOf('s'))).rejects.toThrow('a directory went away')
})

test('a disk of too many files counts as changed; one that cannot be looked at is an error', async () => {
  const problems = [tooManyFiles({ mostFiles: 1, mostMebibytes: 1 }), new Error('a disk is broken')]
  const { points } = pointsOver(async () => {
    throw problems.shift()
  })
  expect(await points.isUnchanged(sandboxOf('s'))).toBe(false)
  await expect(points.isUnchanged(sandboxOf('s'))).rejects.toThrow('a disk is broken')
})
