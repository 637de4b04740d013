import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeServiceLog, readStoredLog } from './service-log.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'service-log-'))
})
afterEach(() => {
  chmodSync(root, 0o700)
  rmSync(root, { recursive: true, force: true })
})

const small = () => ({ directory: join(root, 'log'), segmentBytes: 10, maxSegments: 3 })
const everything = { before: 0, limit: 1000 }

test('without a log file, printed output counts as dropped and its end is still known', () => {
  writeFileSync(join(root, 'log'), '')
  const log = makeServiceLog({ directory: join(root, 'log', 'below') })
  log.append(Buffer.from('lost\n'))
  expect(log.read(everything)).toMatchObject({ size: 5, dropped: 5, offset: 5 })
  expect(log.read(everything).data.length).toBe(0)
  expect(log.tail(3).toString()).toBe('st\n')
})

test('without output, nothing is stored', () => {
  expect(readStoredLog(join(root, 'none'), everything)).toBeUndefined()
})

test('the oldest part is dropped and counted, and every other byte stays at its offset', () => {
  const log = makeServiceLog(small())
  const text = 'abcdefghijklmnopqrstuvwxyz0123456789'
  for (const character of text) log.append(Buffer.from(character))
  const all = log.read(everything)
  expect(all).toMatchObject({ offset: 10, size: 36, dropped: 10 })
  expect(all.data.toString()).toBe(text.slice(10))
  const middle = log.read({ before: 25, limit: 8 })
  expect([middle.offset, middle.data.toString()]).toEqual([17, text.slice(17, 25)])
  expect(log.read({ before: 5, limit: 8 }).data.length).toBe(0)
})

test('a log can be read after its writer has ended, and the next writer starts an empty one', () => {
  const log = makeServiceLog(small())
  log.append(Buffer.from('0123456789abcdef'))
  log.close()
  expect(readStoredLog(join(root, 'log'), everything)).toMatchObject({ offset: 0, size: 16, dropped: 0 })
  makeServiceLog(small())
  expect(readStoredLog(join(root, 'log'), everything)).toBeUndefined()
})
