import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeBootCompression } from './boot-compression.ts'

const heading = 'Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n'
let root: string
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'compression-'))
  await mkdir(path.join(root, 'proc'))
  await setSwaps('')
})
afterEach(() => rm(root, { recursive: true }))
const setSwaps = (line: string) => writeFile(path.join(root, 'proc/swaps'), heading + line)
const signal = new AbortController().signal

/** The machine’s files are real; the device and the cgroups are those of other tests. */
function compressionOf(
  options: { isEnabled?: boolean; ensure?: () => Promise<void>; freeBytes?: number; moves?: number } = {},
) {
  const { freeBytes = 10_000, moves = 600 } = options
  const warned: unknown[] = []
  const moved: string[] = []
  let swappedBytes = 0
  const compression = makeBootCompression({
    isEnabled: options.isEnabled ?? true,
    device: {
      ensure: options.ensure ?? (async () => undefined),
      find: async () => ({ usedBytes: 90, storedBytes: 30, freeBytes }),
      remove: async () => undefined,
    },
    cgroups: {
      canForbidSwap: true,
      usage: async () => ({
        memoryBytes: 1000,
        swappedBytes,
        memoryPeakBytes: null,
        memoryKills: 0,
        processRefusals: 0,
      }),
      swapOut: async ({ bootId }) => {
        moved.push(bootId)
        swappedBytes = moves
      },
    },
    logger: { debug: () => undefined, warn: (entry: unknown) => void warned.push(entry) },
    places: { sys: path.join(root, 'sys'), proc: path.join(root, 'proc'), dev: root, run: root },
  })
  return { compression, warned, moved }
}

test('memory is moved, and the doctor learns how much', async () => {
  const { compression, moved, warned } = compressionOf()
  await compression.compress({ bootId: 'b1', signal })
  expect([moved, warned]).toEqual([['b1'], []])
  expect(await compression.state()).toEqual({
    state: 'possible',
    heldBytes: 90,
    storedBytes: 30,
    maySwapRunning: false,
  })
})

test('where it is off, nothing is moved', async () => {
  const { compression, moved } = compressionOf({ isEnabled: false })
  await compression.compress({ bootId: 'b1', signal })
  expect([moved, await compression.state()]).toEqual([[], { state: 'off' }])
})

test('nothing is moved while the machine has swap on a disk, which is said once, and named until it is off', async () => {
  const { compression, moved, warned } = compressionOf()
  await setSwaps('/dev/vda2  partition\t1024\t\t0\t\t-2\n')
  for (const bootId of ['b1', 'b2']) await compression.compress({ bootId, signal })
  expect(moved).toEqual([])
  expect(warned).toEqual([{ problem: 'other-swap', detail: '/dev/vda2' }])
  expect(await compression.state()).toEqual({ state: 'impossible', problem: 'other-swap', detail: '/dev/vda2' })
  await setSwaps('')
  await compression.compress({ bootId: 'b1', signal })
  expect([moved, warned.length]).toEqual([['b1'], 1])
  expect(await compression.state()).toMatchObject({ state: 'possible' })
})

test.each([
  ['the kernel has no zram', { ensure: () => Promise.reject(new Error('no zram')) }, 'unavailable'],
  ['the kernel moves nothing', { moves: 0 }, 'unavailable'],
  ['no space is left', { freeBytes: 999 }, 'full'],
] as const)('a boot is left as it is where %s, which is said once', async (_, machine, problem) => {
  const { compression, warned } = compressionOf(machine)
  for (const bootId of ['b1', 'b2']) await compression.compress({ bootId, signal })
  expect(warned).toMatchObject([{ problem }])
  expect(await compression.state()).toMatchObject({ state: 'impossible', problem })
})

test('a boot that is about to continue is not moved', async () => {
  const { compression, moved, warned } = compressionOf()
  await compression.compress({ bootId: 'b1', signal: AbortSignal.abort() })
  expect([moved, warned]).toEqual([[], []])
})
