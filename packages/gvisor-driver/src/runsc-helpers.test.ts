import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findHelpers } from './runsc-helpers.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'helpers-'))
})
afterEach(() => rm(directory, { recursive: true }))

test('helpers of runsc are found only if none that a start uses is missing', async () => {
  const find = () => findHelpers(path.join(directory, 'runsc'))
  const helpers = path.join(directory, 'gvisor-bin')
  expect(await find()).toBeUndefined()
  await mkdir(helpers)
  await writeFile(path.join(helpers, 'gvisor-sentry-prewarmer'), '')
  expect(await find()).toBeUndefined()
  await writeFile(path.join(helpers, 'gvisor_sentry'), '')
  expect(await find()).toBe(helpers)
})
