import { defaultSandboxLimits } from '@threadbox/domain'
import { isThreadboxError } from '@threadbox/errors'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BootRequest, SandboxDriver } from './sandbox-driver.ts'

/** A driver under test with the operations outside of the contract that the suite needs. */
export type SandboxDriverSubject = {
  driver: SandboxDriver
  /** A request that can be started unchanged. Every call can use the same disk and namespace. */
  request(bootId: string): Promise<BootRequest>
  /** A request that must fail to start. */
  brokenRequest(bootId: string): Promise<BootRequest>
  /** Ends the first process of a running boot from inside. */
  endFromInside(bootId: string): Promise<void>
  /** Another instance over the same records; the first one does nothing anymore, as if its process had been killed. */
  reopen(): Promise<SandboxDriver>
  /** The names of everything that boots left on the host; empty when all boots have ended and are forgotten. */
  leftovers(): Promise<string[]>
  close(): Promise<void>
}

/**
 * The contract of {@link SandboxDriver} as tests. Every driver runs all of them; `skips` gives a reason for each gap.
 */
export function describeSandboxDriver(options: {
  name: string
  setup: () => Promise<SandboxDriverSubject>
  skips?: { reopen?: string }
}): void {
  describe(`sandbox driver: ${options.name}`, () => {
    let subject: SandboxDriverSubject
    let driver: SandboxDriver
    let count = 0
    const bootId = () => `b${String(++count).padStart(20, '0')}`
    const codeOf = async (work: Promise<unknown>) => {
      const error = await work.then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      return isThreadboxError(error) ? error.code : error
    }
    beforeAll(async () => {
      subject = await options.setup()
      driver = subject.driver
    })
    afterAll(async () => {
      for (const status of await driver.list()) {
        await driver.stop(status.bootId)
        await driver.forget(status.bootId)
      }
      const left = await subject.leftovers()
      await subject.close()
      expect(left).toEqual([])
    })

    test('an unknown boot is not found; stopping or forgetting it does nothing', async () => {
      const id = bootId()
      expect(await driver.inspect(id)).toBeUndefined()
      await driver.stop(id)
      await driver.forget(id)
      expect(await codeOf(driver.waitForEnd(id, new AbortController().signal))).toBe('driver.boot-unknown')
      const { limits } = await subject.request(id)
      expect(await codeOf(driver.setLimits({ bootId: id, limits }))).toBe('driver.boot-not-running')
    })

    test('a boot that cannot be started leaves nothing behind', async () => {
      const id = bootId()
      const before = await subject.leftovers()
      expect(await codeOf(driver.start(await subject.brokenRequest(id)))).toBe('driver.boot-failed')
      expect(await driver.inspect(id)).toBeUndefined()
      expect(await subject.leftovers()).toEqual(before)
    })

    test('a started boot is running, is listed, and starting it again changes nothing', async () => {
      const request = await subject.request(bootId())
      await driver.start(request)
      const status = await driver.inspect(request.bootId)
      expect(status).toMatchObject({ bootId: request.bootId, sandboxId: request.sandboxId, state: 'running' })
      await driver.start(request)
      expect(await driver.inspect(request.bootId)).toMatchObject({ pid: status?.state === 'running' && status.pid })
      expect((await driver.list()).map((boot) => boot.bootId)).toContain(request.bootId)
      await driver.stop(request.bootId)
    })

    test('two concurrent starts of one boot make one boot', async () => {
      const request = await subject.request(bootId())
      await Promise.all([driver.start(request), driver.start(request)])
      expect((await driver.list()).filter((boot) => boot.bootId === request.bootId)).toHaveLength(1)
      await driver.stop(request.bootId)
    })

    test('a stopped boot has the cause `stopped`, stays visible until it is forgotten, and its ID cannot be used again', async () => {
      const request = await subject.request(bootId())
      await driver.start(request)
      const end = driver.waitForEnd(request.bootId, new AbortController().signal)
      await driver.stop(request.bootId)
      await driver.stop(request.bootId)
      expect(await end).toMatchObject({ state: 'ended', cause: 'stopped' })
      expect(await driver.inspect(request.bootId)).toMatchObject({ state: 'ended', cause: 'stopped' })
      expect(await codeOf(driver.start(request))).toBe('driver.boot-used')
      await driver.forget(request.bootId)
      expect(await driver.inspect(request.bootId)).toBeUndefined()
    })

    test('a running boot cannot be forgotten', async () => {
      const request = await subject.request(bootId())
      await driver.start(request)
      expect(await codeOf(driver.forget(request.bootId))).toBe('driver.boot-running')
      await driver.stop(request.bootId)
    })

    test('a boot that ends from inside is reported with its cause to all waiting callers', async () => {
      const request = await subject.request(bootId())
      await driver.start(request)
      const signal = new AbortController().signal
      const ends = Promise.all([driver.waitForEnd(request.bootId, signal), driver.waitForEnd(request.bootId, signal)])
      await subject.endFromInside(request.bootId)
      for (const end of await ends) expect(end).toMatchObject({ state: 'ended', cause: 'killed-inside' })
      expect(await driver.waitForEnd(request.bootId, signal)).toMatchObject({ cause: 'killed-inside' })
    })

    test('waiting for an end can be aborted', async () => {
      const request = await subject.request(bootId())
      await driver.start(request)
      const controller = new AbortController()
      const end = driver.waitForEnd(request.bootId, controller.signal)
      controller.abort(new Error('given up'))
      await expect(end).rejects.toThrow('given up')
      expect(await driver.inspect(request.bootId)).toMatchObject({ state: 'running' })
      await driver.stop(request.bootId)
    })

    test('limits can be changed for a running boot, not for an ended one', async () => {
      const request = await subject.request(bootId())
      await driver.start(request)
      const limits = { ...request.limits, memoryBytes: defaultSandboxLimits.memoryBytes * 2, cpus: 1 }
      await driver.setLimits({ bootId: request.bootId, limits })
      await driver.stop(request.bootId)
      expect(await codeOf(driver.setLimits({ bootId: request.bootId, limits }))).toBe('driver.boot-not-running')
    })

    test('boots run side by side and end one by one', async () => {
      const requests = await Promise.all([bootId(), bootId()].map((id) => subject.request(id)))
      await Promise.all(requests.map((request) => driver.start(request)))
      await driver.stop(requests[0]!.bootId)
      expect(await driver.inspect(requests[1]!.bootId)).toMatchObject({ state: 'running' })
      await driver.stop(requests[1]!.bootId)
    })

    test.skipIf(options.skips?.reopen !== undefined)(
      `boots keep running when the driver is reopened, and their ends are reported to it as to the first${because(options.skips?.reopen)}`,
      async () => {
        const [going, ending] = await Promise.all([bootId(), bootId()].map((id) => subject.request(id)))
        await Promise.all([driver.start(going!), driver.start(ending!)])
        const before = await driver.inspect(going!.bootId)
        const reopened = await subject.reopen()
        driver = reopened
        expect(await reopened.inspect(going!.bootId)).toMatchObject({
          state: 'running',
          pid: before?.state === 'running' && before.pid,
        })
        const end = reopened.waitForEnd(ending!.bootId, new AbortController().signal)
        await subject.endFromInside(ending!.bootId)
        expect(await end).toMatchObject({ state: 'ended', cause: 'killed-inside' })
        await reopened.stop(going!.bootId)
        expect(await reopened.inspect(going!.bootId)).toMatchObject({ state: 'ended', cause: 'stopped' })
      },
    )
  })
}

function because(reason: string | undefined): string {
  return reason === undefined ? '' : ` (skipped: ${reason})`
}
