import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import type { TestInstallation } from '../../stack/installation.ts'
import { machineMs, processMs, sandboxesMs } from './processor-time.ts'
import type { StartedPrograms } from './started-programs.ts'
import { databaseCommits, poolCommits, writtenBytes } from './writes.ts'

/** What can be counted of an operation, with its unit and what it means. */
export const measures = {
  processor: { unit: 'ms', title: 'processor time of everything' },
  server: { unit: 'ms', title: 'of it, the server' },
  host: { unit: 'ms', title: 'the host daemon' },
  router: { unit: 'ms', title: 'gateway, DNS process and relay' },
  programs: { unit: 'ms', title: 'programs that server and host daemon started' },
  sandboxes: { unit: 'ms', title: 'sandboxes' },
  rest: { unit: 'ms', title: 'the kernel and the rest of the machine' },
  pool: { unit: 'KiB', title: 'written to the pool' },
  disk: { unit: 'KiB', title: 'written to the disk below it, by the whole machine' },
  'pool-commits': { unit: 'times', title: 'commits of the pool' },
  'database-commits': { unit: 'times', title: 'commits of both databases' },
  starts: { unit: 'times', title: 'programs started by server and host daemon' },
} as const

export type Measure = keyof typeof measures
/** Of a span, or since some moment before it; null where this machine can’t tell. */
export type Use = Record<Measure, number | null>

const KiB = 1024
const run = promisify(execFile)

/** Reads what an installation has used so far; the difference of two is what it used between them. */
export function makeUseReader(
  { host, server }: Pick<TestInstallation, 'host' | 'server'>,
  started: StartedPrograms,
): () => Promise<Use> {
  const pool = path.join(host.diskDirectory, 'pool')
  const databases = [path.join(host.dataDirectory, 'host/state.sqlite'), path.join(server.directory, 'server.db')]
  return async () => {
    // What was written but is still in memory belongs to the span that ends here.
    await run('sync', ['--file-system', pool])
    const [hostPid, serverPid] = [host.pid(), server.pid()]
    const routerPids = [await host.gatewayPid(), await host.namesPid(), await host.egressPid()]
    const [ofHost, ofServer, ...ofRouter] = await Promise.all([hostPid, serverPid, ...routerPids].map(processMs))
    const own = process.cpuUsage()
    const parts = {
      server: ofServer?.own ?? 0,
      host: ofHost?.own ?? 0,
      router: sum(ofRouter.map((each) => each.own)),
      programs: (ofHost?.children ?? 0) + (ofServer?.children ?? 0),
      sandboxes: await sandboxesMs(host.installation),
    }
    const processor = (await machineMs()) - (own.user + own.system) / 1e3
    const commits = await Promise.all(databases.map(databaseCommits))
    const [poolBytes, diskBytes] = [await writtenBytes(pool), await writtenBytes(path.dirname(host.diskDirectory))]
    return {
      processor,
      ...parts,
      rest: processor - sum(Object.values(parts)),
      pool: poolBytes === null ? null : poolBytes / KiB,
      disk: diskBytes === null ? null : diskBytes / KiB,
      'pool-commits': await poolCommits(pool),
      'database-commits': sum(commits),
      starts: (await started.count(hostPid)) + (await started.count(serverPid)),
    }
  }
}

/** What was used between two readings, without what an idle installation uses in that time (`idle` in each ms). */
export function between(options: { before: Use; after: Use; ms: number; idle: Use | undefined }): Use {
  const { before, after, ms, idle } = options
  return mapMeasures((measure) => {
    const [from, to] = [before[measure], after[measure]]
    if (from === null || to === null) return null
    return to - from - (idle?.[measure] ?? 0) * ms
  })
}

/** A use divided by a number: that of one of several repetitions, or of a millisecond. */
export function shareOf(use: Use, count: number): Use {
  return mapMeasures((measure) => {
    const value = use[measure]
    return value === null ? null : value / count
  })
}

function mapMeasures(amountOf: (measure: Measure) => number | null): Use {
  return Object.fromEntries(Object.keys(measures).map((name) => [name, amountOf(name as Measure)])) as Use
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
