import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { makeSingleFlight, orAborted } from '@threadbox/concurrency'
import {
  bootNotRunning,
  bootRunning,
  bootUnknown,
  bootUsed,
  memoryNotSaved,
  memoryUnusable,
} from './sandbox-driver.errors.ts'
import type { BootRequest, BootStatus, MemoryImageProblem, MemorySavingDriver } from './sandbox-driver.ts'

type EndedStatus = Extract<BootStatus, { state: 'ended' }>
type Boot = {
  request: BootRequest
  end: EndedStatus | undefined
  waiters: ((end: EndedStatus) => void)[]
  isFrozen: boolean
  isCompressed: boolean
  /** Stands for the content of memory: set by a start or restored from an image. */
  token: string
}

/** A driver whose boots are entries of a map, for tests of its callers. It can end a boot. */
export type InMemoryDriver = MemorySavingDriver & {
  endBoot(options: { bootId: string; cause: EndedStatus['cause']; detail: string }): void
  limitsOf(bootId: string): BootRequest['limits'] | undefined
  /** The memory of a running boot; undefined if it is frozen or ended. */
  memoryOf(bootId: string): string | undefined
  /** Changes the content of memory, as programs inside would. */
  changeMemory(bootId: string, token: string): void
  isFrozen(bootId: string): boolean
  isCompressed(bootId: string): boolean
  /** Makes saving fail with this reason; undefined lets it succeed again. */
  failSaving(reason: string | undefined): void
}

/** `boot` stands for the programs inside; the boot is running when it resolves, and failed when it rejects. */
export function makeInMemoryDriver(
  options: { boot?: (request: BootRequest) => Promise<void>; version?: string } = {},
): InMemoryDriver {
  const version = options.version ?? '1'
  let savingProblem: string | undefined
  const boots = new Map<string, Boot>()
  const starts = makeSingleFlight()

  const end = ({ bootId, cause, detail }: { bootId: string; cause: EndedStatus['cause']; detail: string }) => {
    const boot = boots.get(bootId)
    if (boot === undefined || boot.end !== undefined) return
    boot.end = { bootId, sandboxId: boot.request.sandboxId, state: 'ended', cause, detail }
    for (const waiter of boot.waiters.splice(0)) waiter(boot.end)
  }
  const running = (bootId: string) => {
    const boot = boots.get(bootId)
    if (boot === undefined || boot.end !== undefined) throw bootNotRunning({ bootId })
    return boot
  }
  const begin = async (request: BootRequest, token: string) => {
    const known = boots.get(request.bootId)
    if (known?.end !== undefined) throw bootUsed({ bootId: request.bootId })
    if (known !== undefined) return
    await options.boot?.(request)
    boots.set(request.bootId, { request, end: undefined, waiters: [], isFrozen: false, isCompressed: false, token })
  }
  const start = (request: BootRequest, obtainToken: () => Promise<string>) =>
    starts.join(request.bootId, async () => await begin(request, await obtainToken()))
  return {
    describe: async () => ({ name: 'in-memory', version, isComplete: true }),
    start: (request) => start(request, async () => `memory of ${request.bootId}`),
    startFromMemory: ({ directory, ...request }) =>
      start(request, async () => {
        const image = await readImage({ directory, version })
        if (typeof image !== 'string') throw memoryUnusable(image)
        return image
      }),
    judgeMemory: async (directory) => {
      const image = await readImage({ directory, version })
      return typeof image === 'string' ? undefined : image
    },
    freeze: async (bootId) => {
      running(bootId).isFrozen = true
    },
    thaw: async (bootId) => {
      Object.assign(running(bootId), { isFrozen: false, isCompressed: false })
    },
    compress: async ({ bootId, signal }) => {
      const boot = running(bootId)
      boot.isCompressed = boot.isFrozen && !signal.aborted
    },
    compression: async () => ({ state: 'possible', heldBytes: 0, storedBytes: 0, maySwapRunning: false }),
    mayBeFrozen: async (bootId) => boots.get(bootId)?.isFrozen ?? false,
    saveMemory: async ({ bootId, directory }) => {
      const { token, isFrozen } = running(bootId)
      if (!isFrozen) throw memoryNotSaved({ bootId, reason: 'it is not frozen' })
      if (savingProblem !== undefined) throw memoryNotSaved({ bootId, reason: savingProblem })
      try {
        return await writeImage({ directory, version, token })
      } catch (error) {
        throw memoryNotSaved({ bootId, reason: String(error) }, { cause: error })
      }
    },
    stop: async (bootId) => {
      await starts.present(bootId)?.catch(() => undefined)
      end({ bootId, cause: 'stopped', detail: 'Stopped on request.' })
    },
    forget: async (bootId) => {
      const boot = boots.get(bootId)
      if (boot !== undefined && boot.end === undefined) throw bootRunning({ bootId })
      boots.delete(bootId)
    },
    inspect: async (bootId) => {
      const boot = boots.get(bootId)
      return boot === undefined ? undefined : statusOf(boot)
    },
    list: async () => [...boots.values()].map(statusOf),
    setLimits: async ({ bootId, limits }) => {
      const boot = running(bootId)
      boot.request = { ...boot.request, limits }
    },
    waitForEnd: async (bootId, signal) => {
      const boot = boots.get(bootId)
      if (boot === undefined) throw bootUnknown({ bootId })
      if (boot.end !== undefined) return boot.end
      signal.throwIfAborted()
      const { promise, resolve } = Promise.withResolvers<BootStatus>()
      boot.waiters.push(resolve)
      return await orAborted(promise, signal)
    },
    endBoot: end,
    limitsOf: (bootId) => boots.get(bootId)?.request.limits,
    memoryOf: (bootId) => tokenOf(boots.get(bootId)),
    changeMemory: (bootId, token) => void Object.assign(running(bootId), { token }),
    isFrozen: (bootId) => boots.get(bootId)?.isFrozen ?? false,
    isCompressed: (bootId) => boots.get(bootId)?.isCompressed ?? false,
    failSaving: (reason) => {
      savingProblem = reason
    },
  }
}

async function writeImage(options: { directory: string; version: string; token: string }): Promise<{ bytes: number }> {
  const { directory, ...image } = options
  const text = JSON.stringify(image)
  await mkdir(directory)
  await writeFile(path.join(directory, 'memory.json'), text).catch(async (error: unknown) => {
    await rm(directory, { recursive: true, force: true })
    throw error
  })
  return { bytes: text.length }
}

async function readImage(options: {
  directory: string
  version: string
}): Promise<string | { problem: MemoryImageProblem; detail: string }> {
  const text = await readFile(path.join(options.directory, 'memory.json'), 'utf8').catch(() => undefined)
  if (text === undefined) return { problem: 'missing', detail: 'The image doesn’t exist.' }
  try {
    const image = JSON.parse(text) as { version: string; token: string }
    if (image.version === options.version) return image.token
    return { problem: 'other-version', detail: `It was saved by version ${image.version}.` }
  } catch {
    return { problem: 'corrupt', detail: 'The image cannot be read.' }
  }
}

function tokenOf(boot: Boot | undefined): string | undefined {
  return boot === undefined || boot.end !== undefined || boot.isFrozen ? undefined : boot.token
}

function statusOf(boot: Boot): BootStatus {
  const { bootId, sandboxId } = boot.request
  return boot.end ?? { bootId, sandboxId, state: 'running', pid: 1, memoryBytes: null }
}
