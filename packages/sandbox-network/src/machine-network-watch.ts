import { readdir, readFile, readlink } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '@threadbox/telemetry'
import { keepWatching } from './watching-program.ts'

type Command = readonly [program: string, ...args: string[]]
const monitorNetwork: Command = ['ip', '-oneline', 'monitor', 'address', 'route', 'link']

/** One change is several events. */
const debounceMs = 50
/** Each update starts programs, and one new container changes the network several times within a second. */
const betweenUpdatesMs = 400
const firstRetryMs = 1000
const lastRetryMs = 60_000
/** Checks whether the program listens, which takes it milliseconds. */
const listeningCheckMs = 20
const listeningChecks = 500

/**
 * Calls `update` after each change of addresses, routes and links, and each time one may have been missed: when the
 * watching program starts to listen, loses events or ends. A failed update is repeated. Events of interfaces that begin
 * with `ownPrefix` are ignored. Returns a function that ends the watch.
 */
export function watchMachineNetwork(options: {
  ownPrefix: string
  logger: Logger
  update: () => Promise<void>
  monitor?: Command
}): () => void {
  const { ownPrefix, logger } = options
  const stopping = new AbortController()
  const update = makeUpdates({ update: options.update, signal: stopping.signal, logger })
  let retryMs = firstRetryMs
  const stop = keepWatching({
    command: options.monitor ?? monitorNetwork,
    begin: ({ pid, ended }) => {
      void waitUntilListening(pid, ended).then((isListening) => {
        if (isListening) retryMs = firstRetryMs
        update(0)
      })
      return {
        line: (line) => {
          if (!line.includes(ownPrefix)) update(debounceMs)
        },
        errorLine: (line) => {
          logger.warn({ line }, 'changes of the machine’s network may have been missed')
          update(debounceMs)
        },
      }
    },
    failed: (error) => logger.error({ err: error }, 'the machine’s network cannot be watched'),
    end: (how) => {
      const waitMs = retryMs
      logger.warn({ ...how, retryMs }, 'the watch of the machine’s network has ended and will be restarted')
      update(0)
      retryMs = Math.min(2 * retryMs, lastRetryMs)
      return waitMs
    },
  })
  return () => {
    stopping.abort()
    stop()
  }
}

/** One update at a time, and one more if something changed during it. */
function makeUpdates(options: { update: () => Promise<void>; signal: AbortSignal; logger: Logger }) {
  const { update, signal, logger } = options
  let isWanted = false
  let isRunning = false
  let updatedAt = Number.NEGATIVE_INFINITY
  const run = async (delayMs: number) => {
    isRunning = true
    let retryMs = firstRetryMs
    const sinceMs = performance.now() - updatedAt
    for (let waitMs = Math.max(delayMs, betweenUpdatesMs - sinceMs); isWanted && !signal.aborted; ) {
      await delay(waitMs, undefined, { signal, ref: false }).catch(() => undefined)
      if (signal.aborted) break
      isWanted = false
      waitMs = betweenUpdatesMs
      updatedAt = performance.now()
      await update().catch((error) => {
        logger.error({ err: error, retryMs }, 'the firewall does not know the machine’s network; it keeps what it had')
        isWanted = true
        waitMs = retryMs
        retryMs = Math.min(2 * retryMs, lastRetryMs)
      })
    }
    isRunning = false
  }
  return (delayMs: number) => {
    isWanted = true
    if (!isRunning && !signal.aborted) void run(delayMs)
  }
}

/** `ip` does not report that it listens, but the kernel lists its socket with the groups it listens to. */
async function waitUntilListening(pid: number | undefined, signal: AbortSignal): Promise<boolean> {
  for (let check = 0; check < listeningChecks && !signal.aborted; check++) {
    if (await isListening(pid).catch(() => false)) return true
    await delay(listeningCheckMs, undefined, { signal, ref: false }).catch(() => undefined)
  }
  return false
}

async function isListening(pid: number | undefined): Promise<boolean> {
  const directory = `/proc/${pid}/fd`
  const targets = await Promise.all((await readdir(directory)).map((fd) => readlink(`${directory}/${fd}`)))
  const rows = (await readFile('/proc/net/netlink', 'utf8')).split('\n').map((line) => line.trim().split(/\s+/))
  return rows.some(
    ([, , , groups = '', ...rest]) => /[1-9a-f]/.test(groups) && targets.includes(`socket:[${rest.at(-1)}]`),
  )
}
