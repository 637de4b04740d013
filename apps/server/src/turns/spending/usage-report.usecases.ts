import {
  maxUsageDays,
  type UsageGroup,
  type UsageReport,
  type UsageSums,
  type usageQuerySchema,
  type usageReportQuerySchema,
} from '@threadbox/protocol/public'
import type { z } from 'zod'
import { dayAfter, dayOf, daysBetween, startOfDay } from '../../platform/system/days.ts'
import type { Ledger } from './ledger.ts'
import { usageOthersHidden, usagePeriodInvalid } from './usage.errors.ts'
import {
  type UsageSums as StoredSums,
  slotMs,
  type UsageFilter,
  type UsageKey,
  type UsageStore,
} from './usage.store.ts'
import { csvHeader, csvLine } from './usage-csv.logic.ts'

type Query = z.output<typeof usageQuerySchema>

/** What the ledger says about a period. */
export type UsageReports = {
  /** Throws `usage.others-hidden`, `usage.period-invalid`, and the workspace’s errors. */
  report(userId: string, query: z.output<typeof usageReportQuerySchema>): Promise<UsageReport>
  /** One line for each request, oldest first. Throws before the first line. */
  csv(userId: string, query: Query): Promise<AsyncIterable<string>>
  /** All of a person’s own, as `csv`. */
  csvOf(userId: string): Promise<AsyncIterable<string>>
}

export type UsageReportPorts = {
  store: UsageStore
  ledger: Pick<Ledger, 'settleOld'>
  administers(userId: string): Promise<boolean>
  /** Throws unless the person is an owner of the workspace. */
  requireWorkspace(userId: string, workspaceId: string): Promise<unknown>
  /** Names of the workspaces and threads that the person can see. */
  workspaceNames(userId: string): Promise<ReadonlyMap<string, string>>
  threadTitle(userId: string, threadId: string): Promise<string | null>
  personNames(): Promise<ReadonlyMap<string, string>>
  timeZone(): Promise<string>
  now(): number
}

const keys = {
  day: 'slot',
  person: 'user_id',
  workspace: 'workspace_id',
  thread: 'thread_id',
  model: 'model_id',
  kind: 'kind',
} as const satisfies Record<string, UsageKey>

/** Most threads in a report, the most expensive ones. The total contains all. */
const maxThreads = 100
const rowsPerPage = 500

export function makeUsageReports(ports: UsageReportPorts): UsageReports {
  const { store, ledger } = ports
  const periodOf = async (query: Query) => {
    const timeZone = await ports.timeZone()
    const today = dayOf(ports.now(), timeZone)
    const to = query.to ?? today
    const from = query.from ?? `${(query.to ?? today).slice(0, 7)}-01`
    const days = daysBetween(from, to)
    if (days < 1 || days > maxUsageDays) throw usagePeriodInvalid({ days: maxUsageDays })
    const range = { from: startOfDay(from, timeZone), to: startOfDay(dayAfter(to), timeZone) }
    return { timeZone, from, to, range }
  }
  const filterOf = async (userId: string, query: Query, range: Pick<UsageFilter, 'from' | 'to'>) => {
    if (query.of === 'mine') return { ...range, userId }
    if (query.of === 'workspace') {
      const workspaceId = query.workspaceId ?? ''
      await ports.requireWorkspace(userId, workspaceId)
      return { ...range, workspaceId }
    }
    if (!(await ports.administers(userId))) throw usageOthersHidden({})
    return range
  }
  const named = async (userId: string, by: keyof typeof keys, rows: readonly StoredSums[]): Promise<UsageGroup[]> => {
    if (by === 'workspace') {
      const names = await ports.workspaceNames(userId)
      return rows.map((row) => groupOf(row, names.get(String(row.key)) ?? null))
    }
    if (by !== 'thread') return rows.map((row) => groupOf(row, row.name))
    const most = rows.slice(0, maxThreads)
    return await Promise.all(
      most.map(async (row) => groupOf(row, row.key === null ? null : await ports.threadTitle(userId, String(row.key)))),
    )
  }
  return {
    report: async (userId, query) => {
      const { range, ...period } = await periodOf(query)
      const filter = await filterOf(userId, query, range)
      await ledger.settleOld()
      const rows = await store.sums(filter, keys[query.by])
      const total = rows.map(sumsOf).reduce(added, noSums)
      if (query.by === 'day') return { ...period, total, groups: byDay(rows, period.timeZone) }
      const sorted = rows.toSorted((a, b) => b.costMicroUsd - a.costMicroUsd || b.requests - a.requests)
      return { ...period, total, groups: await named(userId, query.by, sorted) }
    },
    csv: async (userId, query) => {
      const { range } = await periodOf(query)
      const filter = await filterOf(userId, query, range)
      await ledger.settleOld()
      const people = await ports.personNames()
      return lines(store, { filter, people })
    },
    csvOf: async (userId) => {
      await ledger.settleOld()
      const filter = { from: 0, to: ports.now() + 1, userId }
      return lines(store, { filter, people: await ports.personNames() })
    },
  }
}

async function* lines(
  store: UsageStore,
  { filter, people }: { filter: UsageFilter; people: ReadonlyMap<string, string> },
): AsyncGenerator<string> {
  yield csvHeader
  let after: { at: number; id: string } | null = null
  for (;;) {
    const rows = await store.page(filter, { after, limit: rowsPerPage })
    yield rows.map((row) => csvLine(row, people.get(row.user_id) ?? '')).join('')
    const last = rows.at(-1)
    if (last === undefined || rows.length < rowsPerPage) return
    after = { at: last.at, id: last.id }
  }
}

const noSums: UsageSums = {
  requests: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  costMicroUsd: 0,
  unpricedRequests: 0,
  estimatedRequests: 0,
}

function sumsOf(row: StoredSums): UsageSums {
  const { requests, inputTokens, outputTokens, cachedInputTokens, costMicroUsd } = row
  const counts = { unpricedRequests: row.unpriced, estimatedRequests: row.estimated }
  return { requests, inputTokens, outputTokens, cachedInputTokens, costMicroUsd, ...counts }
}

function groupOf(row: StoredSums, name: string | null): UsageGroup {
  return { key: row.key === null ? null : String(row.key), name, sums: sumsOf(row) }
}

function added(a: UsageSums, b: UsageSums): UsageSums {
  const names = Object.keys(a) as (keyof UsageSums)[]
  return Object.fromEntries(names.map((name) => [name, a[name] + b[name]])) as UsageSums
}

function byDay(rows: readonly StoredSums[], timeZone: string): UsageGroup[] {
  const days = new Map<string, UsageSums>()
  for (const row of rows) {
    const day = dayOf(Number(row.key) * slotMs, timeZone)
    days.set(day, added(days.get(day) ?? noSums, sumsOf(row)))
  }
  return [...days].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, sums]) => ({ key, name: null, sums }))
}
