import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type BootRecord, makeBootRecords } from './boot-record.ts'

let parent: string
beforeEach(async () => {
  parent = await mkdtemp(path.join(tmpdir(), 'boot-records-'))
})
afterEach(() => rm(parent, { recursive: true }))

const record: BootRecord = {
  version: 1,
  bootId: 'boot_1',
  sandboxId: 'sandbox_1',
  machineBootId: 'machine',
  phase: 'running',
  runscPath: '/opt/runsc',
  ids: 'shifted',
  process: { pid: 7, startTicks: '99' },
  end: null,
}
const fileOf = (bootId: string) => path.join(parent, bootId, 'record.json')

test('a record is read as it was written, and a removed record does not exist', async () => {
  const records = makeBootRecords(parent)
  await records.write(record)
  expect(await records.read('boot_1')).toEqual(record)
  expect(await records.list()).toEqual(['boot_1'])
  await records.remove('boot_1')
  expect(await records.read('boot_1')).toBeUndefined()
})

test('A1: an incomplete record after a power cut counts as missing, wherever it was cut off', async () => {
  const records = makeBootRecords(parent)
  await records.write(record)
  const whole = await readFile(fileOf('boot_1'), 'utf8')
  for (let length = 0; length < whole.length; length += 1) {
    await writeFile(fileOf('boot_1'), whole.slice(0, length))
    expect(await records.read('boot_1'), `${length} bytes`).toBeUndefined()
  }
  await writeFile(fileOf('boot_1'), Buffer.alloc(whole.length))
  expect(await records.read('boot_1')).toBeUndefined()
})

test('a complete record of a later version is rejected, because its boot may be running', async () => {
  await mkdir(path.join(parent, 'boot_2'))
  await writeFile(fileOf('boot_2'), JSON.stringify({ ...record, version: 2 }))
  await expect(makeBootRecords(parent).read('boot_2')).rejects.toThrow(/version/)
})
