import { type ChildProcess, spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { Logger } from '@threadbox/telemetry'
import { endOf } from './child-end.ts'
import type { ResolverAddress } from './dns-upstream.ts'
import { longestReport, makeLineReader, type NamesOrder, type NamesReport, namesReportSchema } from './name-channel.ts'
import { processLimits } from './process-limits.ts'
import { commandEnvironment } from './run-command.ts'

export type NamesProgram = {
  /** The router’s address, on which it listens. */
  address: string
  /** The servers that it asks; by default the machine’s. */
  servers?: readonly ResolverAddress[]
  /** What {@link namesSettings} of the configuration describe. */
  environment: Record<string, string>
}

type Order = NamesOrder & { type: 'set' | 'remove' }

/** One run of the DNS process. */
export type NamesProcess = {
  pid: number | undefined
  /** Resolves when the process has applied the order, or has ended: the next one gets all clients. */
  order(
    order: Order extends infer Each ? (Each extends unknown ? Omit<Each, 'sequence'> : never) : never,
  ): Promise<void>
  reply(order: NamesOrder & { type: 'clients' | 'stands-for' }): void
  /** Closes its channel, upon which it ends. */
  end(): void
  ended: Promise<{ code?: number | null; signal?: string | null; reason?: string }>
}

/** A process that has not applied an order by then hangs, and is replaced by one that gets all clients. */
const orderTimeoutMs = 5000
const endsWithinMs = 2000

/**
 * What the process can do until it has become its own user: that change, reading its own program, which can be in a
 * directory of another user, and having its sockets opened in the router’s namespace.
 */
const capabilities = '-all,+setuid,+setgid,+dac_read_search,+sys_admin'

/**
 * Starts the DNS process in the machine’s namespace, because the machine’s resolver can be on its loopback address. It ends
 * with this process, because its channel does.
 */
export function startNamesProcess(options: {
  program: NamesProgram
  onReport: (report: NamesReport) => void
  logger: Logger
}): NamesProcess {
  const { program, onReport, logger } = options
  const child = start(program)
  const channel = child.stdio[3] as Duplex
  const waiting = new Map<number, () => void>()
  let last = 0
  const send = (order: NamesOrder) => void channel.write(`${JSON.stringify(order)}\n`)
  const take = (report: NamesReport) => {
    if (report.type === 'applied') waiting.get(report.sequence)?.()
    else onReport(report)
  }
  channel.on('error', () => undefined)
  void readReports(channel, take).catch((error: unknown) => {
    logger.error({ err: error }, 'the DNS process sent what it must not')
    child.kill('SIGKILL')
  })
  const ended = endOf(child).finally(() => {
    for (const applied of waiting.values()) applied()
  })
  return {
    pid: child.pid,
    async order(order) {
      const sequence = ++last
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.set(sequence, resolve)
      const hangs = setTimeout(() => child.kill('SIGKILL'), orderTimeoutMs)
      send({ ...order, sequence } as NamesOrder)
      await Promise.race([promise, ended])
      clearTimeout(hangs)
      waiting.delete(sequence)
    },
    reply: send,
    end() {
      channel.end()
      const kill = setTimeout(() => child.kill('SIGKILL'), endsWithinMs)
      void ended.then(() => clearTimeout(kill))
    },
    ended,
  }
}

function start({ address, servers = [], environment }: NamesProgram): ChildProcess {
  const rights = ['--no-new-privs', '--bounding-set', capabilities, '--inh-caps', '-all']
  const listed = servers.map((server) => `${server.address}:${server.port}`)
  const own = [process.execPath, '--disable-sigusr1', programFile(), address, ...listed]
  return spawn('setpriv', [...rights, 'prlimit', ...processLimits, ...own], {
    cwd: '/',
    env: { ...commandEnvironment, ...environment },
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  })
}

/** Throws if a line is too long or is not a report. */
async function readReports(channel: Duplex, take: (report: NamesReport) => void): Promise<void> {
  const read = makeLineReader(longestReport)
  try {
    for await (const chunk of channel.setEncoding('utf8')) {
      for (const line of read(chunk)) take(namesReportSchema.parse(JSON.parse(line)))
    }
  } catch (error) {
    // The process was killed while something was on its way.
    if (!channel.errored) throw error
  }
}

/** In the source, and in a release. */
function programFile(): string {
  if (import.meta.filename.endsWith('.ts')) {
    return fileURLToPath(new URL('../../../apps/names/src/main.ts', import.meta.url))
  }
  return join(dirname(import.meta.filename), '../names/main.js')
}
