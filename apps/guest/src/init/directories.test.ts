import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeLogger } from '@threadbox/telemetry'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { correctDirectories } from './directories.ts'

const logger = makeLogger({ process: 'guest', level: 'silent' })
let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'threadbox-directories-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

test('A3: a directory gets the mode and the time of the disk, to the nanosecond', async () => {
  const { uid, gid } = statSync(directory)
  const modifiedNs = '1580702706123456789'
  await correctDirectories([{ path: directory, mode: 0o1751, uid, gid, modifiedNs }], logger)
  const now = statSync(directory, { bigint: true })
  expect(now.mode & 0o7777n).toBe(0o1751n)
  expect(String(now.mtimeNs)).toBe(modifiedNs)
})

test('a missing directory does not prevent the others from getting their attributes', async () => {
  const [gone, present] = [join(directory, 'gone'), join(directory, 'present')]
  mkdirSync(present)
  const { uid, gid } = statSync(present)
  const attributes = { mode: 0o700, uid, gid, modifiedNs: '999999999' }
  await correctDirectories(
    [gone, present].map((path) => ({ path, ...attributes })),
    logger,
  )
  expect(String(statSync(present, { bigint: true }).mtimeNs)).toBe('999999999')
})
