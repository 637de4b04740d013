import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeOutputLog } from './output-log.ts'

let directory = ''
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'output-log-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

function bytes(from: number, count: number) {
  return Buffer.from(Array.from({ length: count }, (_, index) => (from + index) % 251))
}

test('a writer is asked to wait when neither memory nor disk has space, and nothing is lost', () => {
  const log = makeOutputLog({ spillDirectory: '/dev/null/no-directory', memoryLimit: 100, fileLimit: 1000 })
  log.append(bytes(0, 99))
  expect(log.isFull).toBe(false)
  log.append(bytes(99, 50))
  expect(log.isFull).toBe(true)
  expect(log.read({ offset: 0, limit: 1000 }).data).toEqual(bytes(0, 149))
})

test('the writer can continue once enough was acknowledged', () => {
  const log = makeOutputLog({ spillDirectory: directory, memoryLimit: 100, fileLimit: 1000 })
  let room = 0
  log.onRoom(() => {
    room += 1
  })
  for (let sent = 0; !log.isFull; sent += 50) log.append(bytes(sent, 50))
  expect(log.size).toBe(1100)
  log.acknowledge(500)
  expect(room).toBe(0)
  log.acknowledge(1060)
  expect(room).toBe(1)
  expect(log.read({ offset: 0, limit: 1000 })).toEqual({ offset: 1060, data: bytes(1060, 40) })
})

test('every byte is delivered once, in order, whatever the sizes of writes, reads and acknowledgements', () => {
  const log = makeOutputLog({ spillDirectory: directory, memoryLimit: 64, fileLimit: 640 })
  let written = 0
  let read = 0
  for (let step = 1; step < 3000; step += 1) {
    const writeSize = (step * 7919) % 97
    if (!log.isFull) {
      log.append(bytes(written, writeSize))
      written += writeSize
    }
    const part = log.read({ offset: read, limit: (step * 31) % 120 })
    expect(part.offset).toBe(read)
    expect(part.data).toEqual(bytes(read, part.data.length))
    read += part.data.length
    if (step % 5 === 0) log.acknowledge(read - (step % 3 === 0 ? Math.min(20, read) : 0))
  }
  expect(read).toBeGreaterThan(50_000)
  log.close()
})

test('an acknowledgement beyond the end or backwards changes nothing', () => {
  const log = makeOutputLog({ spillDirectory: directory })
  log.append(bytes(0, 10))
  log.acknowledge(99)
  log.acknowledge(3)
  expect(log.acknowledged).toBe(10)
  expect(log.read({ offset: 0, limit: 5 }).data).toHaveLength(0)
})
