import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { makeDiskWait } from './disk-wait.ts'

/** A disk that is done when the test says so. */
function slowDisk() {
  const syncs: PromiseWithResolvers<void>[] = []
  const diskWait = makeDiskWait(() => {
    const sync = Promise.withResolvers<void>()
    syncs.push(sync)
    return sync.promise
  })
  const done: string[] = []
  const write = (name: string) => {
    diskWait.note()
    return diskWait.settled().then(() => done.push(name))
  }
  return { syncs, diskWait, done, write }
}

test('nothing waits when nothing was written', async () => {
  const { syncs, diskWait } = slowDisk()
  await diskWait.settled()
  expect(syncs).toHaveLength(0)
})

test('what is written during a sync waits for the next one, which all of it shares', async () => {
  const { syncs, done, write } = slowDisk()
  const writes = ['a', 'b', 'c'].map(write)
  await turn()
  expect(syncs).toHaveLength(1)
  syncs[0]?.resolve()
  await turn()
  expect([done, syncs.length]).toEqual([['a'], 2])
  syncs[1]?.resolve()
  await Promise.all(writes)
  expect([done, syncs.length]).toEqual([['a', 'b', 'c'], 2])
})

test('a caller that wrote nothing waits for what others wrote before', async () => {
  const { syncs, diskWait, done, write } = slowDisk()
  const writing = write('a')
  const reading = diskWait.settled().then(() => done.push('reader'))
  await turn()
  expect(done).toEqual([])
  syncs[0]?.resolve()
  await Promise.all([writing, reading])
  expect([done.toSorted(), syncs.length]).toEqual([['a', 'reader'], 1])
})

test('after the disk failed once, nothing is called durable anymore', async () => {
  const { syncs, write } = slowDisk()
  const failing = [write('a'), write('b')].map((writing) => expect(writing).rejects.toThrow('EIO'))
  await turn()
  syncs[0]?.reject(new Error('EIO: i/o error, fdatasync'))
  await Promise.all(failing)
  await expect(write('c')).rejects.toThrow('EIO')
  expect(syncs).toHaveLength(1)
})
