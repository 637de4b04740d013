import { access, mkdir, mkdtemp, readdir, rm, stat, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { isThreadboxError } from '@threadbox/errors'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SandboxDriverSubject } from './sandbox-driver.test-suite.ts'
import type { MemorySavingDriver } from './sandbox-driver.ts'

export type MemorySavingSubject = SandboxDriverSubject & {
  driver: MemorySavingDriver
  /**
   * A value that exists only in the memory of this boot, read from a program inside at the time of the call; undefined
   * if it does not reply. `madeBy` is the boot that the memory was created in. No reply of a boot that `isFrozen` is
   * expected, so a busy machine gets less time for it.
   */
  memoryOf(options: { bootId: string; madeBy: string; isFrozen?: boolean }): Promise<string | undefined>
}

/** The contract of {@link MemorySavingDriver} as tests. */
export function describeMemorySavingDriver(options: { name: string; setup: () => Promise<MemorySavingSubject> }): void {
  describe(`memory of a sandbox: ${options.name}`, () => {
    let subject: MemorySavingSubject
    let driver: MemorySavingDriver
    let images: string
    let count = 0
    const bootId = () => `b${String(++count).padStart(20, '8')}`
    const started = async () => {
      const request = await subject.request(bootId())
      await driver.start(request)
      return request
    }
    const end = async (id: string) => {
      await driver.stop(id)
      await driver.forget(id)
    }
    const saved = async (id: string) => {
      const directory = path.join(images, `of-${id}-${++count}`)
      await driver.freeze(id)
      await driver.saveMemory({ bootId: id, directory })
      return directory
    }
    beforeAll(async () => {
      subject = await options.setup()
      driver = subject.driver
      images = await mkdtemp(path.join(tmpdir(), 'threadbox-images-'))
    })
    afterAll(async () => {
      for (const { bootId: left } of await driver.list()) await end(left)
      const left = await subject.leftovers()
      await subject.close()
      await rm(images, { recursive: true, force: true })
      expect(left).toEqual([])
    })

    test('C4: a boot that is not running cannot be frozen, thawed or saved', async () => {
      const id = bootId()
      const directory = path.join(images, 'none')
      await expect(driver.freeze(id)).rejects.toThrow(expect.objectContaining({ code: 'driver.boot-not-running' }))
      await expect(driver.thaw(id)).rejects.toThrow(expect.objectContaining({ code: 'driver.boot-not-running' }))
      const saving = driver.saveMemory({ bootId: id, directory })
      await expect(saving).rejects.toThrow(expect.objectContaining({ code: 'driver.boot-not-running' }))
      expect(await exists(directory)).toBe(false)
    })

    test('C4: a failed save leaves no directory and a frozen boot that can continue', async () => {
      const { bootId: id } = await started()
      const before = await subject.memoryOf({ bootId: id, madeBy: id })
      await driver.freeze(id)
      const saving = driver.saveMemory({ bootId: id, directory: path.join(images, 'no', 'such', 'parent') })
      await expect(saving).rejects.toThrow(expect.objectContaining({ code: 'driver.memory-not-saved' }))
      expect(await exists(path.join(images, 'no'))).toBe(false)
      expect(await subject.memoryOf({ bootId: id, madeBy: id, isFrozen: true })).toBeUndefined()
      await driver.thaw(id)
      expect(await subject.memoryOf({ bootId: id, madeBy: id })).toBe(before)
      await end(id)
    })

    test('C4 C5: a frozen boot does not respond, is still running, and continues with its memory once thawed; repeating either changes nothing', async () => {
      const { bootId: id } = await started()
      const before = await subject.memoryOf({ bootId: id, madeBy: id })
      expect(before).toBeTypeOf('string')
      expect(await driver.mayBeFrozen(id)).toBe(false)
      await driver.freeze(id)
      await driver.freeze(id)
      expect(await driver.mayBeFrozen(id)).toBe(true)
      expect(await subject.memoryOf({ bootId: id, madeBy: id, isFrozen: true })).toBeUndefined()
      expect(await driver.inspect(id)).toMatchObject({ state: 'running' })
      await driver.thaw(id)
      await driver.thaw(id)
      expect(await driver.mayBeFrozen(id)).toBe(false)
      expect(await subject.memoryOf({ bootId: id, madeBy: id })).toBe(before)
      await end(id)
    })

    test('C10: a frozen boot can be stopped, and waiting for its end resolves', async () => {
      const { bootId: id } = await started()
      await driver.freeze(id)
      const ended = driver.waitForEnd(id, new AbortController().signal)
      await driver.stop(id)
      expect(await ended).toMatchObject({ state: 'ended', cause: 'stopped' })
      await driver.forget(id)
    })

    test('C5 A2: saved memory resumes under another boot ID after the first boot is gone', async () => {
      const request = await started()
      const before = await subject.memoryOf({ bootId: request.bootId, madeBy: request.bootId })
      const directory = await saved(request.bootId)
      expect(await driver.judgeMemory(directory)).toBeUndefined()
      await end(request.bootId)
      const next = { ...(await subject.request(bootId())), hostname: request.hostname }
      await driver.startFromMemory({ ...next, directory })
      await rm(directory, { recursive: true })
      expect(await subject.memoryOf({ bootId: next.bootId, madeBy: request.bootId })).toBe(before)
      await driver.freeze(next.bootId)
      await driver.thaw(next.bootId)
      await end(next.bootId)
    })

    test('C5: a boot continues after it was saved and thawed, and can be saved again', async () => {
      const { bootId: id } = await started()
      const before = await subject.memoryOf({ bootId: id, madeBy: id })
      for (let round = 0; round < 2; round++) {
        await saved(id)
        await driver.thaw(id)
        expect(await subject.memoryOf({ bootId: id, madeBy: id })).toBe(before)
      }
      await end(id)
    })

    test('C6: a missing or truncated image is rejected and leaves nothing behind', async () => {
      const { bootId: id } = await started()
      const directory = await saved(id)
      await end(id)
      const largest = await largestFile(directory)
      await truncate(largest, Math.floor((await stat(largest)).size / 2))
      expect(await driver.judgeMemory(directory)).toMatchObject({ problem: 'corrupt' })
      const missing = path.join(images, 'missing')
      expect(await driver.judgeMemory(missing)).toMatchObject({ problem: 'missing' })
      const before = await subject.leftovers()
      for (const image of [directory, missing]) {
        const next = { ...(await subject.request(bootId())), directory: image }
        const problem = await driver.startFromMemory(next).catch((error: unknown) => error)
        expect(isThreadboxError(problem) && problem.code).toBe('driver.memory-unusable')
        expect(await driver.inspect(next.bootId)).toBeUndefined()
      }
      expect(await subject.leftovers()).toEqual(before)
    })

    test('C6: an empty directory is rejected as a missing image', async () => {
      const directory = path.join(images, 'empty')
      await mkdir(directory)
      expect(await driver.judgeMemory(directory)).toMatchObject({ problem: 'missing' })
    })
  })
}

async function largestFile(directory: string): Promise<string> {
  const files = await Promise.all(
    (await readdir(directory)).map(async (name) => {
      const file = path.join(directory, name)
      return { file, size: (await stat(file)).size }
    }),
  )
  return files.sort((left, right) => right.size - left.size)[0]?.file ?? ''
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}
