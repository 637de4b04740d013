import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { makeBackgroundDiskReads } from './quiet-looks.ts'

test('twenty disks are checked one after another, and a check that fails stops no other', async () => {
  const diskReads = makeBackgroundDiskReads()
  let [running, most, count] = [0, 0, 0]
  const read = async () => {
    count += 1
    const mine = count
    running += 1
    most = Math.max(most, running)
    await delay(1)
    running -= 1
    if (mine === 3) throw new Error('this one cannot be looked at')
  }
  const all = await Promise.allSettled(Array.from({ length: 20 }, () => diskReads.run(read)))
  expect(all.filter(({ status }) => status === 'rejected')).toHaveLength(1)
  expect([most, count]).toEqual([1, 20])
})

test('no check begins while a sandbox is being woken, also if a wake fails', async () => {
  const diskReads = makeBackgroundDiskReads()
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const wakes = [diskReads.waking(() => first.promise), diskReads.waking(() => second.promise)]
  const seen: string[] = []
  const read = diskReads.run(async () => void seen.push('looked'))
  first.resolve()
  await wakes[0]
  seen.push('first awake')
  await delay(5)
  second.reject(new Error('it cannot be woken'))
  await expect(wakes[1]).rejects.toThrow('it cannot be woken')
  await read
  expect(seen).toEqual(['first awake', 'looked'])
})
