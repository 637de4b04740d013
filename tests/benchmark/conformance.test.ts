import { expect, test } from 'vitest'
import {
  cachingResults,
  keepingMemory,
  onlySayingPaused,
  restarting,
  sharingFiles,
  slowingClocks,
} from './cheats.test-utils.ts'
import { checkConformance } from './conformance.ts'
import type { Driver } from './driver.ts'
import { makeNativeDriver, plainSandboxes } from './drivers/native.ts'
import { makeSavingDriver } from './saving-driver.test-utils.ts'

const options = { megabytes: 8, limitMs: 30_000, atOnce: 4 }

test('a driver that is honest passes: processes of the machine', async () => {
  await using driver = makeNativeDriver(plainSandboxes)
  expect(await problemsOf(driver)).toEqual({})
})

test('a driver that is honest passes: one with all capabilities', async () => {
  await using driver = makeSavingDriver()
  expect(await problemsOf(driver)).toEqual({})
})

test('cached results fail', async () => {
  await using driver = makeSavingDriver()
  expect(await problemsOf(cachingResults(driver))).toMatchObject({
    'a command runs each time it is given': expect.stringContaining('expected'),
  })
})

test('forks that share a file fail', async () => {
  await using driver = makeSavingDriver()
  expect(Object.keys(await problemsOf(sharingFiles(driver)))).toEqual(['a fork shares no file'])
})

test.each([
  {
    title: 'a pause that stops nothing',
    cheat: onlySayingPaused,
    check: 'a paused sandbox stands still, and uses no processor',
  },
  {
    title: 'dropped memory that stays',
    cheat: keepingMemory,
    check: 'without memory, none of it is left in RAM, and the same program continues',
  },
])('a pause that frees nothing fails: $title', async ({ cheat, check }) => {
  await using driver = makeSavingDriver()
  expect(Object.keys(await problemsOf(cheat(driver)))).toContain(check)
})

test('a resume that restarts the process fails', async () => {
  await using driver = makeSavingDriver()
  expect(Object.keys(await problemsOf(restarting(driver)))).toContain(
    'a paused sandbox continues: the same program, with its memory',
  )
})

test('a clock of its own fails', async () => {
  await using driver = makeSavingDriver()
  expect(Object.keys(await problemsOf(slowingClocks(driver)))).toContain('clocks inside are the machine’s')
})

test('a capability that is claimed and missing, or has and denies, fails', async () => {
  await using driver = makeNativeDriver(plainSandboxes)
  const claiming = { ...driver, capabilities: { ...driver.capabilities, forks: true } }
  expect(Object.keys(await problemsOf(claiming))).toContain(
    'a fork has the program with its memory, and the source continues',
  )
  const denying = { ...driver, capabilities: { ...driver.capabilities, pauses: false } }
  expect(Object.keys(await problemsOf(denying))).toContain('a verb of a missing capability is rejected as unsupported')
})

/** By the name of the check. */
async function problemsOf(driver: Driver): Promise<Record<string, string>> {
  const outcomes = await checkConformance(driver, options)
  return Object.fromEntries(outcomes.flatMap(({ check, problem }) => (problem === null ? [] : [[check, problem]])))
}
