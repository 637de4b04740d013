import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import type { MemorySavingDriver } from '@threadbox/sandbox-driver'
import { findTestMachine } from '@threadbox/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DriverSubject, setUpDriver } from './gvisor-driver/driver-subject.ts'
import { type Conduct, makeFalseKernel } from './gvisor-driver/false-kernel.ts'

const run = promisify(execFile)
let subject: DriverSubject
let driver: MemorySavingDriver
let count = 0

beforeAll(async () => {
  subject = await setUpDriver({ kernelReplyMs: 1000 })
  driver = subject.driver
})
afterAll(async () => {
  for (const { bootId } of await driver.list()) await end(bootId)
  const left = await subject.leftovers()
  await subject.close()
  expect(left).toEqual([])
})

async function started(): Promise<{ bootId: string; number: string | undefined }> {
  const bootId = `b5${String(++count).padStart(19, '0')}`
  await driver.start(await subject.request(bootId))
  return { bootId, number: await beat(bootId) }
}

/** What only its memory holds. */
const beat = (bootId: string) => subject.memoryOf({ bootId, madeBy: bootId })
const beatOfFrozen = (bootId: string) => subject.memoryOf({ bootId, madeBy: bootId, isFrozen: true })

async function end(bootId: string): Promise<void> {
  await driver.stop(bootId)
  await driver.forget(bootId)
}

const falseKernel = (bootId: string, ...conducts: Conduct[]) =>
  makeFalseKernel({ runscState: subject.runscState, bootId, conducts })

async function runsc(verb: 'pause' | 'resume', bootId: string): Promise<void> {
  const { runscPath } = await findTestMachine()
  await run(runscPath, [`--root=${subject.runscState}`, verb, bootId])
}

describe('a control socket that fails while a sandbox is frozen', () => {
  test.each<[Conduct]>([['closed'], ['silent'], ['unanswered'], ['late'], ['garbage'], ['endless']])(
    'C4: a call that is %s freezes it all the same, and it continues with its memory, several times',
    async (conduct) => {
      const { bootId, number } = await started()
      {
        await using _kernel = await falseKernel(bootId, conduct, 'honest')
        await driver.freeze(bootId)
      }
      expect(await beatOfFrozen(bootId)).toBeUndefined()
      await driver.freeze(bootId)
      await driver.thaw(bootId)
      expect(await beat(bootId)).toBe(number)
      await driver.freeze(bootId)
      expect(await beatOfFrozen(bootId)).toBeUndefined()
      await driver.thaw(bootId)
      expect(await beat(bootId)).toBe(number)
      await end(bootId)
    },
  )

  test('C4: if it does not freeze in any way, that is an error, and it continues', async () => {
    const { bootId, number } = await started()
    {
      await using _kernel = await falseKernel(bootId, 'closed')
      await expect(driver.freeze(bootId)).rejects.toMatchObject({ code: 'driver.memory-not-saved' })
    }
    await driver.thaw(bootId)
    expect(await beat(bootId)).toBe(number)
    await end(bootId)
  })
})

describe('a control socket that fails while a sandbox continues', () => {
  test.each<[Conduct]>([['closed'], ['silent'], ['unanswered'], ['garbage'], ['endless']])(
    'C5: a call that is %s lets it continue with its memory all the same, several times',
    async (conduct) => {
      const { bootId, number } = await started()
      await driver.freeze(bootId)
      {
        await using _kernel = await falseKernel(bootId, conduct, 'honest')
        await driver.thaw(bootId)
      }
      await driver.freeze(bootId)
      await driver.thaw(bootId)
      expect(await beat(bootId)).toBe(number)
      await end(bootId)
    },
  )

  test('C5: if it does not continue in any way, it ends and is reported, so it does not stay frozen', async () => {
    const { bootId } = await started()
    await driver.freeze(bootId)
    {
      await using _kernel = await falseKernel(bootId, 'closed')
      await expect(driver.thaw(bootId)).rejects.toMatchObject({ code: 'driver.boot-not-running' })
    }
    const ended = await driver.waitForEnd(bootId, new AbortController().signal)
    expect(ended).toMatchObject({ state: 'ended', cause: 'killed-outside' })
    await driver.forget(bootId)
  })
})

describe('a driver that was killed', () => {
  /** As it was between its call and its mark. */
  const unsure = (bootId: string) => writeFile(path.join(subject.directory, 'state/boots', bootId, 'freeze'), '')

  test('C5: after its call, the next one knows that the sandbox is frozen, and lets it continue', async () => {
    const { bootId, number } = await started()
    await driver.freeze(bootId)
    await unsure(bootId)
    driver = await subject.open()
    await driver.freeze(bootId)
    expect(await beatOfFrozen(bootId)).toBeUndefined()
    await unsure(bootId)
    await driver.thaw(bootId)
    expect(await beat(bootId)).toBe(number)
    await end(bootId)
  })

  test('C5: before its call, the next one lets the sandbox continue, which it did all the time', async () => {
    const { bootId, number } = await started()
    await unsure(bootId)
    driver = await subject.open()
    await driver.thaw(bootId)
    await driver.thaw(bootId)
    expect(await beat(bootId)).toBe(number)
    await end(bootId)
  })

  test('C5: a sandbox that an earlier release froze with a command continues', async () => {
    const { bootId, number } = await started()
    await runsc('pause', bootId)
    expect(await beatOfFrozen(bootId)).toBeUndefined()
    driver = await subject.open()
    await driver.thaw(bootId)
    expect(await beat(bootId)).toBe(number)
    await end(bootId)
  })
})
