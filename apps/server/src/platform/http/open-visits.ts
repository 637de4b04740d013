import type { Logger } from '@threadbox/telemetry'

/** Interval of checking passes. Together with the time for which a pass is trusted, it stays below the promised 5 s. */
const checkEveryMs = 2000
/** After this many consecutive failed checks it is unknown whether a pass is valid, so all are treated as invalid. */
const maxFailedChecks = 2

/** Running requests, streams and sockets by the pass that admitted them. Each is cut when its pass ends. */
export type OpenVisits = {
  /** `signal` is aborted when the pass has ended. Dispose of the result when the request ends. */
  follow(pass: string): { signal: AbortSignal } & Disposable
  /** Cuts everything. */
  close(): void
}

export function makeOpenVisits(parts: {
  stillValid: (passes: readonly string[]) => Promise<Set<string>>
  logger: Logger
}): OpenVisits {
  const open = new Map<string, Set<AbortController>>()
  let timer: NodeJS.Timeout | undefined
  let failedChecks = 0
  const cut = (pass: string) => {
    for (const controller of open.get(pass) ?? []) controller.abort()
    open.delete(pass)
  }
  const check = async () => {
    const passes = [...open.keys()]
    try {
      const valid = await parts.stillValid(passes)
      failedChecks = 0
      for (const pass of passes) if (!valid.has(pass)) cut(pass)
    } catch (error) {
      parts.logger.warn({ err: error }, 'passes of open visits were not looked up')
      failedChecks += 1
      if (failedChecks >= maxFailedChecks) for (const pass of passes) cut(pass)
    }
  }
  const again = () => {
    timer = undefined
    if (open.size > 0)
      check()
        .finally(watch)
        .catch(() => undefined)
  }
  const watch = () => {
    timer ??= setTimeout(again, checkEveryMs).unref()
  }
  return {
    follow: (pass) => {
      const controller = new AbortController()
      const others = open.get(pass) ?? new Set()
      open.set(pass, others.add(controller))
      watch()
      return {
        signal: controller.signal,
        [Symbol.dispose]: () => {
          others.delete(controller)
          if (others.size === 0 && open.get(pass) === others) open.delete(pass)
        },
      }
    },
    close: () => {
      clearTimeout(timer)
      for (const pass of [...open.keys()]) cut(pass)
    },
  }
}
