import { bootNotRunning, bootRunning, bootUnknown, bootUsed } from './sandbox-driver.errors.ts'
import type { BootRequest, BootStatus, SandboxDriver } from './sandbox-driver.ts'

type EndedStatus = Extract<BootStatus, { state: 'ended' }>
type Boot = {
  request: BootRequest
  end: EndedStatus | undefined
  waiters: ((end: EndedStatus) => void)[]
}

/** A driver whose boots are entries of a map: for tests of what drives one. It can let a boot end by itself. */
export type InMemoryDriver = SandboxDriver & {
  endBoot(options: { bootId: string; cause: EndedStatus['cause']; detail: string }): void
  limitsOf(bootId: string): BootRequest['limits'] | undefined
}

/** `boot` stands for what runs inside; the boot is running when it resolves, and failed when it rejects. */
export function makeInMemoryDriver(options: { boot?: (request: BootRequest) => Promise<void> } = {}): InMemoryDriver {
  const boots = new Map<string, Boot>()
  const starting = new Map<string, Promise<void>>()

  const end = ({ bootId, cause, detail }: { bootId: string; cause: EndedStatus['cause']; detail: string }) => {
    const boot = boots.get(bootId)
    if (boot === undefined || boot.end !== undefined) return
    boot.end = { bootId, sandboxId: boot.request.sandboxId, state: 'ended', cause, detail }
    for (const waiter of boot.waiters.splice(0)) waiter(boot.end)
  }
  const begin = async (request: BootRequest) => {
    const known = boots.get(request.bootId)
    if (known?.end !== undefined) throw bootUsed({ bootId: request.bootId })
    if (known !== undefined) return
    await options.boot?.(request)
    boots.set(request.bootId, { request, end: undefined, waiters: [] })
  }
  return {
    describe: async () => ({ name: 'in-memory', version: '1' }),
    start: (request) => {
      const running = starting.get(request.bootId) ?? begin(request).finally(() => starting.delete(request.bootId))
      starting.set(request.bootId, running)
      return running
    },
    stop: async (bootId) => {
      await starting.get(bootId)?.catch(() => undefined)
      end({ bootId, cause: 'stopped', detail: 'Stopped by order.' })
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
      const boot = boots.get(bootId)
      if (boot === undefined || boot.end !== undefined) throw bootNotRunning({ bootId })
      boot.request = { ...boot.request, limits }
    },
    waitForEnd: async (bootId, signal) => {
      const boot = boots.get(bootId)
      if (boot === undefined) throw bootUnknown({ bootId })
      if (boot.end !== undefined) return boot.end
      signal.throwIfAborted()
      const { promise, resolve, reject } = Promise.withResolvers<BootStatus>()
      boot.waiters.push(resolve)
      const abort = () => reject(signal.reason)
      signal.addEventListener('abort', abort, { once: true })
      return await promise.finally(() => signal.removeEventListener('abort', abort))
    },
    endBoot: end,
    limitsOf: (bootId) => boots.get(bootId)?.request.limits,
  }
}

function statusOf(boot: Boot): BootStatus {
  const { bootId, sandboxId } = boot.request
  return boot.end ?? { bootId, sandboxId, state: 'running', pid: 1, memoryBytes: null }
}
