import type { Logger } from '@threadbox/telemetry'

/** How often what is open is looked at again. With the trust in a pass it stays below the 5 s that are promised. */
const lookEveryMs = 2000
/** After this many looks that failed one after another nobody knows whether a pass holds, so none does. */
const maxFailedLooks = 2

/** Requests, streams and sockets that go on, by the pass that let them in. Each is cut when its pass ends. */
export type OpenVisits = {
  /** Aborted when the pass has ended; dispose of it when the request is over. */
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
  let failedLooks = 0
  const cut = (pass: string) => {
    for (const controller of open.get(pass) ?? []) controller.abort()
    open.delete(pass)
  }
  const look = async () => {
    const passes = [...open.keys()]
    try {
      const valid = await parts.stillValid(passes)
      failedLooks = 0
      for (const pass of passes) if (!valid.has(pass)) cut(pass)
    } catch (error) {
      parts.logger.warn({ err: error }, 'passes of open visits were not looked up')
      failedLooks += 1
      if (failedLooks >= maxFailedLooks) for (const pass of passes) cut(pass)
    }
  }
  const again = () => {
    timer = undefined
    if (open.size > 0)
      look()
        .finally(watch)
        .catch(() => undefined)
  }
  const watch = () => {
    timer ??= setTimeout(again, lookEveryMs).unref()
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
