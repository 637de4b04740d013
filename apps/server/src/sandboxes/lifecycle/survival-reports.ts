import { delaysOf, makeBackground, makeSingleFlight, orAborted, waitAtMost } from '@threadbox/concurrency'
import { manifestSchema, rescueReportSchema } from '@threadbox/protocol/guest'
import { isExchangeCause, type SurvivalReport, type WakeEntry } from '@threadbox/protocol/public'
import type { Logger } from '@threadbox/telemetry'
import type { System } from '../../platform/system/system.ts'
import type { ThreadLog } from '../../threads/public.ts'
import type { HostClient } from '../host/host-client.ts'
import type { LifecycleRecorder } from '../state/lifecycle-recorder.ts'
import type { Sandbox, WakeFacts } from '../state/sandbox.models.ts'
import type { SandboxStore } from '../state/sandboxes.store.ts'
import type { GuestQuestions } from './guest-manifest.ts'
import { type LifecycleStore, lifecycleWriterOf } from './lifecycle.store.ts'
import type { SurvivalReportRow } from './lifecycle.table.ts'
import { reasonIn } from './survival-item.logic.ts'
import type { RestartedService } from './survival-items.models.ts'
import { compareSurvival, type Evidence, emptyReport, summarise } from './survival-report.models.ts'
import { because } from './survival-words.logic.ts'

export type ReportDependencies = {
  store: LifecycleStore
  sandboxes: SandboxStore
  log: ThreadLog
  host: HostClient
  guest: GuestQuestions
  system: System
  logger: Logger
  lastTurnId: (threadId: string) => Promise<string | undefined>
  hashKeyOf: (sandboxId: string) => string
  /** Resolves when this boot has started again what ran before it, as far as it can be waited for. */
  restartedServices: (threadId: string, bootId: string) => Promise<RestartedService[]>
}

/** Reports of wakes: written at once, completed by looking again. */
export type SurvivalReports = LifecycleRecorder & {
  /** Resolves when nothing is being looked at in this thread, or something was found out at least. */
  looked(threadId: string): Promise<void>
  /** Takes up what a crash left: wakes without a report, and reports that nobody completed. */
  recover(): Promise<void>
  /** Marks an item as started again. */
  noteRestarted(report: SurvivalReportRow, restartId: string): Promise<void>
  stop(): Promise<void>
}

/** How long the second look may take; a guest that does not answer by then is not waited for. */
const lookTimeoutMs = 15_000
/** Waits between questions whether what was rescued is read back. The last one repeats. */
const replayDelayMs = delaysOf([250, 500, 1000, 2000, 5000, 15_000])
/**
 * Until open connections are compared again. That the other side gave one up shows only in its answer to what the sandbox
 * sends after the wake: from the next data on, or from the first repetition of data under way, which TCP sends after 200 ms
 * and more.
 */
const answerMs = 1500
/** For how long a report is shown as open because something is still on the disk only. */
const openMs = 20_000
/** How much of a report stands in the conversation itself; all of it is behind its own route. */
const shownItems = { others: 200, kept: 100 }

export function makeSurvivalReports(dependencies: ReportDependencies): SurvivalReports {
  const { store, sandboxes, system, logger } = dependencies
  /** The first look of the newest report of a thread. */
  const looking = new Map<string, Promise<void>>()
  const writing = makeSingleFlight()
  const stopping = new AbortController()
  const background = makeBackground<{ reportId: string }>((error, { reportId }) => {
    if (!stopping.signal.aborted) logger.error({ err: error, reportId }, 'report was not completed')
  })

  const begin = (row: SurvivalReportRow) => {
    const first = Promise.withResolvers<void>()
    looking.set(row.thread_id, first.promise)
    const work = complete(dependencies, { row, stopping: stopping.signal, onLooked: first.resolve }).finally(() => {
      first.resolve()
      if (looking.get(row.thread_id) === first.promise) looking.delete(row.thread_id)
    })
    void background.keep(work, { reportId: row.id })
  }
  const record: LifecycleRecorder['record'] = async (threadId, { code, params = {}, reportId = null }) => {
    const row = { id: system.newId('logLine'), thread_id: threadId, at: system.now(), code, report_id: reportId }
    // A thread that is removed meanwhile has nobody left to read it.
    await store.addLine({ ...row, params_json: JSON.stringify(params) }).catch((error: unknown) => {
      logger.debug({ err: error, threadId, code }, 'line of the lifecycle log was not written')
    })
  }
  const write = async (threadId: string) => {
    const sandbox = await sandboxes.find(threadId)
    if (sandbox === undefined || sandbox.wake === null) return
    const row = await writeReport(dependencies, sandbox, sandbox.wake)
    const { from, wakeMs } = parsed(row)
    await record(threadId, { code: `woken.${from}`, params: { durationMs: Math.round(wakeMs) }, reportId: row.id })
    await sandboxes.wakeReported(sandbox.id, sandbox.wake.reportId)
    begin(row)
  }
  const reportWake = (threadId: string) => writing.join(threadId, () => write(threadId))
  return {
    record,
    reportWake,
    looked: async (threadId) => {
      await writing.present(threadId)
      await looking.get(threadId)
    },
    recover: async () => {
      for (const row of await store.unfinished()) begin(row)
      for (const row of await sandboxes.all()) if (row.wake !== null) await reportWake(row.thread_id)
    },
    noteRestarted: async (row, restartId) => {
      const report = parsed(row)
      const items = report.items.map((found) =>
        found.restartId === restartId
          ? { ...found, outcome: 'restarted' as const, restartId: null, ...reasonIn(because('restarted')) }
          : found,
      )
      const { kind } = report.items.find((found) => found.restartId === restartId) ?? { kind: 'process' as const }
      const count = report.counts[kind]
      const counts =
        count === undefined
          ? report.counts
          : { ...report.counts, [kind]: { ...count, lost: count.lost - 1, restarted: count.restarted + 1 } }
      await publish(dependencies, row, { ...report, items, counts }, false)
    },
    stop: async () => {
      stopping.abort(new Error('the server is closing'))
      await background.settled()
    },
  }
}

function parsed(row: SurvivalReportRow): SurvivalReport {
  return JSON.parse(row.json) as SurvivalReport
}

/** The report and its line in the conversation, together. Written again after a crash it is the same one. */
async function writeReport(
  dependencies: ReportDependencies,
  sandbox: Sandbox,
  facts: WakeFacts,
): Promise<SurvivalReportRow> {
  const { store, log, sandboxes } = dependencies
  const known = await store.report(facts.reportId)
  if (known !== undefined) return known
  const memory = await sandboxes.memory(sandbox.id)
  const threadId = sandbox.thread_id
  const report = emptyReport(threadId, facts)
  // What was alive before a pause says nothing about a boot that ended by itself long after it.
  const isOfThisPause =
    facts.pausedAt !== null ||
    ['restarted', 'from-agent'].includes(facts.cause?.code ?? '') ||
    isExchangeCause(facts.cause?.code)
  const row: SurvivalReportRow = {
    id: facts.reportId,
    thread_id: threadId,
    sandbox_id: sandbox.id,
    boot_id: facts.bootId,
    woken_at: facts.wokenAt,
    status: 'checking',
    json: JSON.stringify(report),
    entry_id: facts.entryId,
    is_told: 0,
    before_json: isOfThisPause ? (memory?.manifest_json ?? null) : null,
    rescue_json: isOfThisPause ? (memory?.rescue_json ?? null) : null,
  }
  const turnId = (await dependencies.lastTurnId(threadId)) ?? ''
  const entry: WakeEntry = { id: facts.entryId, turnId, at: facts.wokenAt, kind: 'wake', report }
  await log.append(threadId, [{ type: 'entry-added', entry }], (transaction) =>
    store.addReport(row, lifecycleWriterOf(transaction)),
  )
  return row
}

type Look = { row: SurvivalReportRow; stopping: AbortSignal; onLooked: () => void }

/** Looks at the sandbox again and says what it found; then follows what is still being read back. */
async function complete(dependencies: ReportDependencies, look: Look): Promise<void> {
  const { row, stopping } = look
  const report = { ...parsed(row), checkedAt: dependencies.system.now() }
  const startedAt = performance.now()
  const say = async (evidence: Evidence, status: SurvivalReport['status'], isFinal: boolean) => {
    stopping.throwIfAborted()
    const found = { ...report, ...summarise(compareSurvival(evidence)), status }
    await publish(dependencies, row, found, isFinal)
  }
  const first = await gather(dependencies, row, { report, stopping })
  const isOpen = isReplaying(first)
  const isFinal = !isOpen && !hasOutsideConnections(first)
  await say(first, isOpen ? 'checking' : 'complete', isFinal)
  look.onLooked()
  if (isFinal) return
  const inspectAfter = async (ms: number): Promise<Evidence> => {
    await waitAtMost(ms, { signal: stopping })
    stopping.throwIfAborted()
    return { ...first, ...(await lookInside(dependencies, row, { report, stopping })) }
  }
  if (!isOpen) {
    const now = await inspectAfter(answerMs)
    // A sandbox that sleeps again says no more than it did.
    return await say(now.after === null ? first : now, 'complete', true)
  }
  let isShownOpen = true
  for (let attempt = 0; ; attempt += 1) {
    const now = await inspectAfter(replayDelayMs(attempt))
    if (!isReplaying(now)) return await say(now, 'complete', true)
    // What nobody asks for stays on the disk for as long as it likes: the report says so, and is done for now.
    if (isShownOpen && performance.now() - startedAt > openMs) {
      await say(now, 'complete', false)
      isShownOpen = false
    }
  }
}

function isReplaying({ replayed, after }: Evidence): boolean {
  return after !== null && (replayed?.state === 'pending' || replayed?.state === 'replaying')
}

/** Whether connections to other machines were open before and look open now. */
function hasOutsideConnections({ before, after }: Evidence): boolean {
  return [before, after].every((manifest) => manifest?.connections.some(({ scope }) => scope === 'outside'))
}

type Question = { report: SurvivalReport; stopping: AbortSignal }

async function gather(dependencies: ReportDependencies, row: SurvivalReportRow, question: Question): Promise<Evidence> {
  const { report } = question
  const hasOwnDisk = report.from !== 'new' && report.from !== 'snapshot'
  // Without a pause or a rewind the last picture of the disk is older than what was done since.
  const isComparable = hasOwnDisk && (report.pausedAt !== null || isExchangeCause(report.cause?.code))
  const ask = () => dependencies.host.fileChanges(row.sandbox_id)
  const files = isComparable ? await optional(dependencies, question.stopping, ask) : null
  const isCold = report.from !== 'frozen' && report.from !== 'memory'
  const restart = () => dependencies.restartedServices(row.thread_id, row.boot_id)
  const services = isCold ? await optional(dependencies, question.stopping, restart) : null
  return {
    facts: { from: report.from, cause: report.cause },
    services: services ?? [],
    before: row.before_json === null ? null : manifestSchema.parse(JSON.parse(row.before_json)),
    rescued: row.rescue_json === null ? null : rescueReportSchema.parse(JSON.parse(row.rescue_json)),
    files,
    ...(await lookInside(dependencies, row, question)),
  }
}

/** What the guest says now; nothing when the boot that the report is about does not run any more. */
async function lookInside(
  dependencies: ReportDependencies,
  row: SurvivalReportRow,
  { report, stopping }: Question,
): Promise<Pick<Evidence, 'after' | 'afterProblem' | 'replayed'>> {
  const { guest, sandboxes } = dependencies
  const sandbox = await sandboxes.findById(row.sandbox_id)
  if (sandbox?.boot_id !== row.boot_id || sandbox.state !== 'active') {
    return { after: null, afterProblem: 'asleep', replayed: null }
  }
  const target = { sandboxId: row.sandbox_id, bootId: row.boot_id }
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(lookTimeoutMs)])
  const isCold = report.from === 'disk' || report.from === 'snapshot'
  const replayed = isCold ? await optional(dependencies, stopping, () => guest.rescue(target, signal)) : null
  const hashKey = dependencies.hashKeyOf(row.sandbox_id)
  const after = await optional(dependencies, stopping, () => guest.manifest(target, { hashKey, signal }))
  return { after, afterProblem: after === null ? 'silent' : null, replayed }
}

async function optional<Value>(
  { logger }: ReportDependencies,
  stopping: AbortSignal,
  ask: () => Promise<Value>,
): Promise<Value | null> {
  try {
    return await orAborted(ask(), stopping)
  } catch (error) {
    if (!stopping.aborted) logger.warn({ err: error }, 'a part of a sandbox could not be looked at')
    return null
  }
}

/** Stores the report and shows it in its line, if that still stands in the conversation. */
async function publish(
  dependencies: ReportDependencies,
  row: SurvivalReportRow,
  report: SurvivalReport,
  isFinal: boolean,
): Promise<void> {
  const { store, log } = dependencies
  const before = await store.report(row.id)
  const isNews = before !== undefined && before.is_told === 1 && lostIn(report) > lostIn(parsed(before))
  const columns = {
    status: report.status,
    json: JSON.stringify(report),
    ...(isNews ? { is_told: 0 } : {}),
    ...(isFinal ? { before_json: null, rescue_json: null } : {}),
  }
  const entry = await log.entry(row.thread_id, row.entry_id)
  const shown =
    entry?.kind === 'wake' ? [{ type: 'entry-updated' as const, entry: { ...entry, report: excerpt(report) } }] : []
  await log.append(row.thread_id, shown, (transaction) =>
    store.changeReport(row.id, columns, lifecycleWriterOf(transaction)),
  )
}

function lostIn(report: SurvivalReport): number {
  return Object.values(report.counts).reduce((total, count) => total + count.lost, 0)
}

function excerpt(report: SurvivalReport): SurvivalReport {
  const others = report.items.filter((found) => found.outcome !== 'kept').slice(0, shownItems.others)
  const kept = report.items.filter((found) => found.outcome === 'kept').slice(0, shownItems.kept)
  return { ...report, items: [...others, ...kept] }
}
