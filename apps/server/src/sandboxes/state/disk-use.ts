import { makeDueLoop, makeSingleFlight, waitAtMost } from '@threadbox/concurrency'
import type { Logger } from '@threadbox/telemetry'
import type { Kysely } from 'kysely'
import { diskUsedUp, type MeteredQuota, type Quotas } from '../../people/public.ts'
import { tablesOf } from '../../platform/database/database.ts'
import { actingCaller } from '../../platform/http/acting-request.ts'
import type { AttachmentTables, ThreadRows, ThreadTables } from '../../threads/public.ts'
import type { HostClient } from '../host/host-client.ts'
import type { SandboxTables } from './sandboxes.table.ts'

/** How old a sum can be. */
const measureEveryMs = 60_000
/** A page is not kept waiting by a slow host. */
const measureWaitMs = 5000
const GiB = 1024 ** 3

/** How much disk space people use, summed over their sandboxes with all snapshots, and the files they attached. */
export type DiskUse = {
  /** Throws `quota.disk-used-up` if the thread’s creator uses as much as they may. */
  require(threadId: string): Promise<void>
  /** Measures every minute, while someone who has sandboxes has a limit. */
  start(): void
  stop(): Promise<void>
}

type Largest = { threadId: string; title: string; used: number }
type Use = { used: number; largest: Largest | null }
type Measured = { at: number; of: ReadonlyMap<string, Use> }

type DiskUsePorts = {
  host: Pick<HostClient, 'machine'>
  rows: Pick<ThreadRows, 'findAny'>
  people: { quotas: Pick<Quotas, 'limits'>; addMeter(meter: MeteredQuota): void }
  now(): number
  logger: Logger
}

export function makeDiskUse(database: Kysely<unknown>, ports: DiskUsePorts): DiskUse {
  const { host, now, people } = ports
  const tables = tablesOf<UseTables>(database)
  const measures = makeSingleFlight()
  let last: Measured = { at: Number.NEGATIVE_INFINITY, of: new Map() }
  const measure = () =>
    measures.join('all', async () => {
      const [{ sandboxes = [] }, disks, files] = await Promise.all([
        host.machine({ sandboxes: true }),
        disksOf(tables),
        filesOf(tables),
      ])
      const sizes = new Map(sandboxes.map(({ sandboxId, diskBytes }) => [sandboxId, diskBytes ?? 0]))
      last = { at: now(), of: sumsOf(disks, { sizes, files }) }
    })
  const sumOf = async (userId: string): Promise<Use> => {
    const isFresh = Math.abs(now() - last.at) < measureEveryMs
    // Without the host nothing wakes anyway, and the last sum is the best there is.
    if (!isFresh) await waitAtMost(measureWaitMs, { work: measure().catch(() => undefined) })
    return last.of.get(userId) ?? { used: 0, largest: null }
  }
  people.addMeter({
    quota: 'diskBytes',
    read: async (userId) => (await sumOf(userId)).used,
    largest: async (userId) => (await sumOf(userId)).largest,
  })
  const limitOf = async (userId: string) => (await people.quotas.limits(userId)).diskBytes
  const isAnyoneLimited = async () => {
    const owners = new Set((await disksOf(tables)).map((disk) => disk.user_id))
    for (const userId of owners) if ((await limitOf(userId)) !== null) return true
    return false
  }
  const loop = makeDueLoop({
    check: async () => {
      if (await isAnyoneLimited()) await measure()
      return now() + measureEveryMs
    },
    now,
    minMs: 1000,
    maxMs: measureEveryMs,
    retryMs: measureEveryMs,
    // A host that does not respond is in the status and the metrics already.
    failed: (error) => ports.logger.debug({ err: error }, 'disks of people were not measured'),
  })
  return {
    require: async (threadId) => {
      const userId = (await ports.rows.findAny(threadId))?.user_id
      const limit = userId === undefined ? null : await limitOf(userId)
      if (userId === undefined || limit === null) return
      const use = await sumOf(userId)
      if (use.used >= limit) throw refusal(use, { limit, isTheirs: actingCaller()?.userId === userId })
    },
    start: loop.start,
    stop: loop.stop,
  }
}

function refusal({ used, largest }: Use, { limit, isTheirs }: { limit: number; isTheirs: boolean }): Error {
  const title = isTheirs ? largest?.title : undefined
  return diskUsedUp({
    quota: 'diskBytes',
    used,
    limit,
    usedGiB: inGiB(used),
    limitGiB: inGiB(limit),
    largest: title || (largest?.threadId ?? '–'),
    largestGiB: inGiB(largest?.used ?? 0),
  })
}

function inGiB(bytes: number): string {
  return (bytes / GiB).toFixed(1)
}

type UseTables = SandboxTables & AttachmentTables & Pick<ThreadTables, 'threads'>
type Disk = { id: string; thread_id: string; user_id: string; title: string }

function disksOf(tables: Kysely<UseTables>): Promise<Disk[]> {
  return tables
    .selectFrom('sandboxes')
    .innerJoin('threads', 'threads.id', 'sandboxes.thread_id')
    .select(['sandboxes.id', 'sandboxes.thread_id', 'threads.user_id', 'threads.title'])
    .where('sandboxes.has_run', '=', 1)
    .execute()
}

async function filesOf(tables: Kysely<UseTables>): Promise<ReadonlyMap<string, number>> {
  const sums = await tables
    .selectFrom('attachments')
    .innerJoin('threads', 'threads.id', 'attachments.thread_id')
    .select((select) => ['threads.user_id', select.fn.sum<number>('attachments.size_bytes').as('bytes')])
    .groupBy('threads.user_id')
    .execute()
  return new Map(sums.map(({ user_id, bytes }) => [user_id, Number(bytes)]))
}

function sumsOf(
  disks: readonly Disk[],
  { sizes, files }: { sizes: ReadonlyMap<string, number>; files: ReadonlyMap<string, number> },
): Map<string, Use> {
  const sums = new Map<string, Use>([...files].map(([userId, used]) => [userId, { used, largest: null }]))
  for (const { id, thread_id: threadId, user_id: userId, title } of disks) {
    const size = sizes.get(id) ?? 0
    const { used, largest } = sums.get(userId) ?? { used: 0, largest: null }
    const isLargest = largest === null || size > largest.used
    sums.set(userId, { used: used + size, largest: isLargest ? { threadId, title, used: size } : largest })
  }
  return sums
}
