import { execFileSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { makeOutputPace } from './output-pace.ts'
import { type PipeReader, readPipe } from './pipe-reader.ts'

let root: string
let writeEnd: number
let reader: PipeReader
let received: Buffer[]
let waiting: (() => void)[]

/** A pipe whose reader has to wait after the first byte, for as long as the test likes. */
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'pipe-reader-'))
  const path = join(root, 'pipe')
  execFileSync('mkfifo', [path])
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  writeEnd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
  received = []
  waiting = []
  reader = readPipe({
    descriptor,
    onData: (chunk) => void received.push(chunk),
    onEnd: () => undefined,
    pace: makeOutputPace({ bytesPerSecond: 1, burstBytes: 1 }),
    after: (_waitMs, work) => {
      waiting.push(work)
      return () => undefined
    },
  })
})
afterEach(() => {
  reader.close()
  closeSync(writeEnd)
  rmSync(root, { recursive: true, force: true })
})

const text = () => Buffer.concat(received).toString()
const continueReading = () => waiting.shift()?.()
/** Far more turns of the event loop than reading a pipe takes. */
const letItRead = async () => {
  for (let count = 0; count < 200; count++) await turn()
}

/** Writes until the pipe accepts no more. */
function fill(): number {
  const data = Buffer.alloc(4096, 'x')
  for (let written = 0; ; ) {
    try {
      written += writeSync(writeEnd, data)
    } catch {
      return written
    }
  }
}

test('above the limit the pipe fills and the program has to wait; afterward every byte arrives', async () => {
  writeSync(writeEnd, 'first ')
  await vi.waitFor(() => expect(waiting).toHaveLength(1))
  const filled = fill()
  await letItRead()
  expect(fill()).toBe(0)
  expect(text()).toBe('first ')
  while (text().length < 6 + filled) {
    continueReading()
    await letItRead()
  }
  expect(text()).toBe(`first ${'x'.repeat(filled)}`)
})

test('a full log keeps the program waiting after the limit would let it continue', async () => {
  writeSync(writeEnd, 'first ')
  await vi.waitFor(() => expect(waiting).toHaveLength(1))
  reader.pause()
  writeSync(writeEnd, 'second')
  continueReading()
  await letItRead()
  expect(text()).toBe('first ')
  reader.resume()
  await vi.waitFor(() => expect(text()).toBe('first second'))
})

test('room in the log does not end the wait for the limit', async () => {
  writeSync(writeEnd, 'first ')
  await vi.waitFor(() => expect(waiting).toHaveLength(1))
  reader.pause()
  reader.resume()
  writeSync(writeEnd, 'second')
  await letItRead()
  expect(text()).toBe('first ')
  continueReading()
  await vi.waitFor(() => expect(text()).toBe('first second'))
})

test('what is in the pipe is drained at the end, whatever the limit', async () => {
  writeSync(writeEnd, 'first ')
  await vi.waitFor(() => expect(waiting).toHaveLength(1))
  writeSync(writeEnd, 'last')
  expect(reader.drain(1024)).toBe(true)
  expect(text()).toBe('first last')
})
