import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { boundaries } from '@threadbox/testkit/repeats'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { BlobStore } from '../../platform/blobs/blob-store.ts'
import { makeDirectoryBlobStore } from '../../platform/blobs/directory-blob-store.ts'
import { patternBytes, written } from './interrupted-writer.test-utils.ts'
import { openKeptOutput, openOutput, readOutput, segmentKey, storedParts } from './kept-output.ts'
import { outputLimitsOf } from './output-limits.logic.ts'
import { leastKept, type OutputLimits, openOutputWriter } from './output-writer.ts'

const key = 'outputs/t/c'
const limits: OutputLimits = { headBytes: 100_000, tailBytes: 80_000, from: 'call' }
let directory: string
let blobs: BlobStore
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'threadbox-outputs-'))
  blobs = makeDirectoryBlobStore(join(directory, 'blobs'))
})
afterEach(() => rm(directory, { recursive: true }))

const open = (sizeBytes: number, of: OutputLimits = limits) =>
  openOutputWriter(blobs, { key, sizeBytes, limits: async () => of })
async function write(to: number, options: { from?: number; step?: number; of?: OutputLimits } = {}) {
  const { from = 0, step = 7001 } = options
  const writer = await open(from, options.of)
  for (let offset = from; offset < to; offset += step) {
    await writer.append(patternBytes(offset, Math.min(to, offset + step)))
    await writer.prune()
  }
  return writer
}
const read = (offset: number, length: number) => readOutput(blobs, { key, offset, length })
const bytesOf = async (stream: ReadableStream<Uint8Array>) => new Uint8Array(await new Response(stream).arrayBuffer())
const expectBytes = (actual: Uint8Array, from: number, to: number) =>
  expect(Buffer.compare(actual, patternBytes(from, to))).toBe(0)

describe('an output over the limit', () => {
  test.each([999, 7001, 10_000, 250_000])(
    'keeps its head and its tail byte for byte when it is written %i bytes at a time',
    async (step) => {
      const writer = await write(700_001, { step })
      const { headBytes, tailFrom, sizeBytes } = writer.kept()
      expect({ headBytes, sizeBytes, limit: writer.limit() }).toEqual({
        headBytes: 100_000,
        sizeBytes: 700_001,
        limit: 'call',
      })
      expect(sizeBytes - tailFrom).toBeGreaterThanOrEqual(80_000)
      expect(sizeBytes - tailFrom).toBeLessThanOrEqual(90_000)
      expectBytes(await read(0, headBytes), 0, headBytes)
      expectBytes(await read(tailFrom, sizeBytes), tailFrom, sizeBytes)
      expect((await readdir(join(directory, 'blobs', `${key}.tail`))).length).toBeLessThanOrEqual(9)
    },
  )

  test('answers a range that starts in the bytes not kept with their range, and one that reaches them ends there', async () => {
    const { headBytes, tailFrom, sizeBytes } = (await write(700_001)).kept()
    for (const offset of [headBytes, headBytes + 1, tailFrom - 1]) {
      await expect(read(offset, 10)).rejects.toMatchObject({
        code: 'output.not-kept',
        details: { from: headBytes, to: tailFrom },
      })
    }
    expectBytes(await read(headBytes - 5, 100), headBytes - 5, headBytes)
    expectBytes(await read(tailFrom, 3), tailFrom, tailFrom + 3)
    expectBytes(await read(sizeBytes - 3, 100), sizeBytes - 3, sizeBytes)
    expect((await read(sizeBytes, 100)).length).toBe(0)
    expect((await read(sizeBytes + 5, 100)).length).toBe(0)
  })

  test('is read by a person as a whole, with the number of bytes not kept in their place', async () => {
    const { headBytes, tailFrom, sizeBytes } = (await write(700_001)).kept()
    const bytes = await bytesOf((await openKeptOutput(blobs, key)).content)
    const line = `\n[${tailFrom - headBytes} bytes not kept]\n`
    expectBytes(bytes.subarray(0, headBytes), 0, headBytes)
    expect(Buffer.from(bytes.subarray(headBytes, headBytes + line.length)).toString()).toBe(line)
    expectBytes(bytes.subarray(headBytes + line.length), tailFrom, sizeBytes)
  })

  test('that is being read is read to its end although the writer removes what it reads', async () => {
    const first = await write(300_000)
    const { tailFrom } = first.kept()
    const { content } = await openOutput(blobs, { key, offset: tailFrom })
    await write(700_001, { from: 300_000 })
    expectBytes(await bytesOf(content), tailFrom, 300_000)
  })
})

test('an output within the limit is kept whole, also when it reaches into the tail', async () => {
  const writer = await write(150_000)
  expect(writer.kept()).toMatchObject({ sizeBytes: 150_000, headBytes: 100_000, tailFrom: 100_000 })
  expect(writer.limit()).toBeUndefined()
  expectBytes(await read(0, 200_000), 0, 150_000)
  expectBytes(await read(99_990, 20), 99_990, 100_010)
})

test('an output that was stored whole, before there was a limit, stays whole and continues with a tail', async () => {
  await blobs.append(key, 0, patternBytes(0, 300_000))
  expectBytes(await read(0, 400_000), 0, 300_000)
  const { headBytes, tailFrom } = (await write(700_001, { from: 300_000 })).kept()
  expect(headBytes).toBe(300_000)
  expectBytes(await read(0, headBytes), 0, headBytes)
  expectBytes(await read(tailFrom, 700_001), tailFrom, 700_001)
})

test.each([
  { before: 40_000, later: { ...limits, headBytes: 60_000, tailBytes: 30_000 } },
  { before: 250_000, later: { ...limits, headBytes: 400_000, tailBytes: 16_384 } },
  { before: 250_000, later: { ...limits, headBytes: 49_152, tailBytes: 200_000 } },
])(
  'limits that changed before a restart after $before bytes leave every kept byte right',
  async ({ before, later }) => {
    await write(before)
    const { headBytes, tailFrom, sizeBytes } = (await write(700_001, { from: before, of: later })).kept()
    expect(sizeBytes).toBe(700_001)
    expectBytes(await read(0, headBytes), 0, headBytes)
    expectBytes(await read(tailFrom, sizeBytes), tailFrom, sizeBytes)
  },
)

describe('a writer that was killed', () => {
  const script = fileURLToPath(new URL('interrupted-writer.test-utils.ts', import.meta.url))
  const run = (boundary: string, round: number) =>
    new Promise<{ signal: string | null; output: string }>((resolve) => {
      const child = execFile(process.execPath, [script, directory, boundary, String(round)], (_, output) =>
        resolve({ signal: child.signalCode, output }),
      )
    })

  test.each(
    boundaries({
      of: 'a round of writing an output',
      killed: 'the writing process',
      at: ['appended', 'recorded', 'pruned'],
    }),
  )(
    'continues with exact count and bytes: %s',
    async (boundary) => {
      // In turn in the head, across its end, in the tail, and when segments are removed.
      for (const round of [0, 1, 0, 2, 3]) expect((await run(boundary, round)).signal).toBe('SIGKILL')
      const { output, signal } = await run('', 0)
      expect(signal).toBeNull()
      const { headBytes, tailFrom, sizeBytes, limit } = JSON.parse(output)
      expect({ sizeBytes, headBytes, limit }).toEqual({
        sizeBytes: written.bytes,
        headBytes: written.headBytes,
        limit: 'call',
      })
      expectBytes(await read(0, headBytes), 0, headBytes)
      expectBytes(await read(tailFrom, sizeBytes), tailFrom, sizeBytes)
      expect((await openOutput(blobs, { key, offset: 0 })).kept).toEqual({ sizeBytes, headBytes, tailFrom })
    },
    60_000,
  )

  test('loses nothing that was recorded when its last bytes were torn', async () => {
    await write(300_000)
    // Bytes that were stored and not recorded, of which a power cut left a part.
    const extra = await open(300_000)
    await extra.append(patternBytes(300_000, 360_000))
    const last = (await storedParts(blobs, key)).segments.at(-1)
    await truncate(join(directory, 'blobs', last?.key ?? ''), 1)
    const { headBytes, tailFrom, sizeBytes } = (await write(700_001, { from: 300_000 })).kept()
    expectBytes(await read(0, headBytes), 0, headBytes)
    expectBytes(await read(tailFrom, sizeBytes), tailFrom, sizeBytes)
  })
})

test('a removed segment that a power cut brought back is not taken for a part of the tail', async () => {
  const { headBytes, tailFrom } = (await write(700_001)).kept()
  await writeFile(join(directory, 'blobs', segmentKey(key, 110_000)), 'old')
  expect((await openOutput(blobs, { key, offset: 0 })).kept).toEqual({ sizeBytes: 700_001, headBytes, tailFrom })
  await write(800_000, { from: 700_001 })
  expect(await readdir(join(directory, 'blobs', `${key}.tail`))).not.toContain('0000000000110000')
})

describe('limits of a thread', () => {
  const most = { headBytes: 48_000_000, tailBytes: 16_000_000, threadBytes: 100_000_000 }
  test.each([
    { threadBytes: 0, headBytes: 48_000_000, tailBytes: 16_000_000, from: 'call' },
    { threadBytes: 36_000_000, headBytes: 48_000_000, tailBytes: 16_000_000, from: 'call' },
    { threadBytes: 68_000_000, headBytes: 24_000_000, tailBytes: 8_000_000, from: 'thread' },
    { threadBytes: 100_000_000, ...leastKept, from: 'thread' },
    { threadBytes: 900_000_000, ...leastKept, from: 'thread' },
  ])('leave room for $headBytes and $tailBytes bytes after $threadBytes', ({ threadBytes, ...expected }) => {
    expect(outputLimitsOf(most, threadBytes)).toEqual(expected)
  })

  test('are not asked for by an output that every thread has room for', async () => {
    const writer = await openOutputWriter(blobs, {
      key,
      sizeBytes: 0,
      limits: async () => expect.unreachable('nothing is limited yet'),
    })
    await writer.append(patternBytes(0, leastKept.headBytes))
    expect(writer.kept()).toMatchObject({ sizeBytes: leastKept.headBytes, headBytes: leastKept.headBytes })
  })
})
