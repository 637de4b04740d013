import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { reclaimMemory } from './reclaim-memory.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'reclaim-'))
})
afterEach(() => rm(directory, { recursive: true }))
const signal = new AbortController().signal
/** A file of the kernel that refuses words, and takes any number up to 1000. */
const numbersOnly = '/proc/self/oom_score_adj'
const relative = () => path.relative(directory, numbersOnly)

test('the first order that the kernel understands is given, and no other', async () => {
  const orders: [string, string][] = [
    [relative(), 'swappiness=max'],
    ['understood', '4096'],
    ['later', '4096'],
  ]
  await reclaimMemory({ directory, orders, signal })
  expect(await readFile(path.join(directory, 'understood'), 'utf8')).toBe('4096')
  await expect(readFile(path.join(directory, 'later'))).rejects.toThrow('ENOENT')
})

test('a kernel that understands no order is an error with its words', async () => {
  const reclaimed = reclaimMemory({ directory, orders: [[relative(), 'swappiness=max']], signal })
  await expect(reclaimed).rejects.toThrow('Invalid argument')
})

test('a kernel without the file is an error', async () => {
  const reclaimed = reclaimMemory({ directory, orders: [['missing/memory.reclaim', '4096']], signal })
  await expect(reclaimed).rejects.toThrow('memory.reclaim')
})
