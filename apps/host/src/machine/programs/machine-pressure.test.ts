import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isMachineIdle } from './machine-pressure.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'threadbox-pressure-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const loadIs = (perProcessor: number) =>
  writeFile(path.join(directory, 'loadavg'), `${perProcessor * availableParallelism()} 9.00 9.00 1/100 1234\n`)

test('a machine is idle while tasks wait for a processor less than a tenth of the time', async () => {
  await loadIs(0)
  await mkdir(path.join(directory, 'pressure'))
  for (const [percent, isIdle] of [
    ['0.00', true],
    ['9.99', true],
    ['10.00', false],
    ['87.12', false],
  ] as const) {
    const text = `some avg10=${percent} avg60=50.00 avg300=50.00 total=1\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n`
    await writeFile(path.join(directory, 'pressure/cpu'), text)
    expect(await isMachineIdle(directory)).toBe(isIdle)
  }
})

test('where the kernel measures no pressure, the load decides', async () => {
  await loadIs(0.49)
  expect(await isMachineIdle(directory)).toBe(true)
  await loadIs(0.5)
  expect(await isMachineIdle(directory)).toBe(false)
})
