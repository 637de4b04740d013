import { delaysOf, makeBackground, makeSingleFlight, orAborted, waitAtMost } from '@threadbox/concurrency'
import { manifestSchema, rescueReportSchema } from '@threadbox/protocol/guest'
import { isExchangeCause, type SurvivalReport, type WakeEntry } from '@threadbox/protocol/public'
import type { Logger } from '@threadbox/telemetry'
import type { System } from '../../platform/system/system.ts'
import type { ThreadLog } from '../../threads/public.ts'
import type { HostClient } from '../host/host-client.ts'
import type { LifecycleLine, LifecycleRecorder } from '../state/lifecycle-recorder.ts'
import type { Sandbox, WakeFacts } from '../state/sandbox.logic.ts'
import type { SandboxStore } from '../state/sandboxes.store.ts'
import type { GuestQuestions } from './guest-manifest.ts'
import { type LifecycleStore, lifecycleWriterOf } from './lifecycle.store.ts'
import type { SurvivalReportRow } from './lifecycle.table.ts'
import { reasonIn } from './survival-item.logic.ts'
import type { RestartedService } from './survival-items.logic.ts'
import { compareSurvival, type Evidence, emptyReport, summarize } from './survival-report.logic.ts'
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
  /** Resolves with the services that this boot has restarted, as far as they can be waited for. */
  restartedServices: (threadId: string, bootId: string) => Promise<RestartedService[]>
}

/** Reports of wakes: written immediately, then completed by checking the sandbox. */
export type SurvivalReports = LifecycleRecorder & {
  /** Resolves when no first check of this thread’s newest report is in progress. */
  checked(threadId: string): Promise<void>
  /** Continues after a crash: writes missing reports of wakes and completes unfinished ones. */
  recover(): Promise<void>
  /** Marks an item as restarted. */
  noteRestarted(report: SurvivalReportRow, restartId: string): Promise<void>
  stop(): Promise<void>
}

/** Longest duration of a check. A guest that has not responded by then is not waited for. */
const checkTimeoutMs = 15_000
/** Delays between checks whether saved variables have been restored. The last one repeats. */
const replayDelayMs = delaysOf([250, 500, 1000, 2000, 5000, 15_000])
/**
 * Delay before open connections are compared again. That the other side dropped one shows only in its response to what
 * the sandbox sends after the wake: to its next data, or to the first retransmission of data in transit, which TCP
 * sends after 200 ms and more.
 */
const peerResponseMs = 1500
/** Delay of the check after a wake from memory: it takes processors that the first command needs. */
const checkAfterMs = 1000
/** How long a pause waits for a check. */
const checkBeforePauseMs = 2500
/** How long a report is shown as open because some values are still only on the disk. */
const openMs = 20_000
/** How many items of a report are in the conversation itself. Its own route returns all. */
const shownItems = { others: 200, kept: 100 }

export function makeSurvivalReports(dependencies: ReportDependencies): SurvivalReports {
  const { store, sandboxes, log, system, logger } = dependencies
  /** The first check of the newest report of a thread. */
  const firstChecks = new Map<string, { ended: Promise<void>; hurry: () => void }>()
  /** Threads whose report is waited for, by how many. */
  const wanted = new Map<string, number>()
  const writing = makeSingleFlight()
  const stopping = new AbortController()
  const background = makeBackground<{ reportId: string }>((error, { reportId }) => {
    if (!stopping.signal.aborted) logger.error({ err: error, reportId }, 'report was not completed')
  })

  const begin = (row: SurvivalReportRow, { mayWait }: { mayWait: boolean }) => {
    const first = Promise.withResolvers<void>()
    const hurried = Promise.withResolvers<void>()
    if (!mayWait) hurried.resolve()
    const check = { ended: first.promise, hurry: hurried.resolve }
    firstChecks.set(row.thread_id, check)
    const order = { row, stopping: stopping.signal, hurried: hurried.promise, onFirstCheck: first.resolve }
    const work = complete(dependencies, order).finally(() => {
      first.resolve()
      if (firstChecks.get(row.thread_id) === check) firstChecks.delete(row.thread_id)
    })
    void background.keep(work, { reportId: row.id })
  }
  /** Nothing of the thread’s report is delayed until `work` has ended. */
  const withoutDelay = async (threadId: string, work: () => Promise<void>) => {
    wanted.set(threadId, (wanted.get(threadId) ?? 0) + 1)
    try {
      await log.recordWaiting(threadId)
      await work()
      firstChecks.get(threadId)?.hurry()
      await firstChecks.get(threadId)?.ended
    } finally {
      const left = (wanted.get(threadId) ?? 1) - 1
      if (left === 0) wanted.delete(threadId)
      else wanted.set(threadId, left)
    }
  }
  const record: LifecycleRecorder['record'] = async (threadId, line) => {
    // A thread that was removed in the meantime has no readers left.
    await store.addLine(lineRow(system, threadId, line), store.writer).catch((error: unknown) => {
      logger.debug({ err: error, threadId, code: line.code }, 'line of the lifecycle log was not written')
    })
  }
  const write = async (threadId: string, mayWait: () => boolean) => {
    const sandbox = await sandboxes.find(threadId)
    if (sandbox === undefined || sandbox.wake === null) return
    const row = await writeReport(dependencies, sandbox, { facts: sandbox.wake, mayWait })
    begin(row, { mayWait: mayWait() })
  }
  const reportWake = (threadId: string) => writing.join(threadId, () => write(threadId, () => !wanted.has(threadId)))
  return {
    record,
    reportWake,
    finishReport: async (threadId) => {
      const work = withoutDelay(threadId, () => reportWake(threadId))
      if ((await waitAtMost(checkBeforePauseMs, { work })) === 'late') await reportWake(threadId)
      else await work
    },
    checked: (threadId) => withoutDelay(threadId, async () => void (await writing.present(threadId))),
    recover: async () => {
      for (const row of await store.unfinished()) begin(row, { mayWait: false })
      for (const { wake, thread_id: threadId } of await sandboxes.all()) {
        if (wake !== null) await writing.join(threadId, () => write(threadId, () => false))
      }
    },
    noteRestarted: (row, restartId) => publish(dependencies, row, withRestarted(parsed(row), restartId), false),
    stop: async () => {
      stopping.abort(new Error('the server is closing'))
      await background.settled()
    },
  }
}

function withRestarted(report: SurvivalReport, restartId: string): SurvivalReport {
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
  return { ...report, items, counts }
}

function parsed(row: SurvivalReportRow): SurvivalReport {
  return JSON.parse(row.json) as SurvivalReport
}

function lineRow(system: System, threadId: string, { code, params = {}, reportId }: LifecycleLine) {
  const row = { id: system.newId('logLine'), thread_id: threadId, at: system.now(), code, report_id: reportId ?? null }
  return { ...row, params_json: JSON.stringify(params) }
}

/** Only then the sandbox was used while it slept, and something waits for its command. */
function isFromMemory({ from, cause }: Pick<SurvivalReport, 'from' | 'cause'>): boolean {
  return (from === 'frozen' || from === 'memory') && cause === null
}

/**
 * Writes the report, its entry in the conversation and its line in the log together. Repeated after a crash, it is the same
 * report.
 */
async function writeReport(
  dependencies: ReportDependencies,
  sandbox: Sandbox,
  { facts, mayWait }: { facts: WakeFacts; mayWait: () => boolean },
): Promise<SurvivalReportRow> {
  const { store, log, sandboxes, system } = dependencies
  const memory = await sandboxes.memory(sandbox.id)
  const threadId = sandbox.thread_id
  const report = emptyReport(threadId, facts)
  // A manifest from before a pause says nothing about a boot that ended unexpectedly long after it.
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
  const params = { durationMs: Math.round(facts.wakeMs) }
  const line = lineRow(system, threadId, { code: `woken.${facts.from}`, params, reportId: row.id })
  const append = isFromMemory(facts) && mayWait() ? log.appendSoon : log.append
  await append(threadId, [{ type: 'entry-added', entry }], async (transaction) => {
    const writer = lifecycleWriterOf(transaction)
    await store.addReport(row, writer)
    await store.addLine(line, writer)
    await sandboxes.wakeReported(sandbox.id, facts.reportId, transaction)
  })
  return row
}

type Check = { row: SurvivalReportRow; stopping: AbortSignal; hurried: Promise<void>; onFirstCheck: () => void }

/** Checks the sandbox and publishes the result, then follows what is still being restored. */
async function complete(dependencies: ReportDependencies, check: Check): Promise<void> {
  const { row, stopping, hurried } = check
  if (isFromMemory(parsed(row))) await waitAtMost(checkAfterMs, { work: hurried, signal: stopping })
  stopping.throwIfAborted()
  const report = { ...parsed(row), checkedAt: dependencies.system.now() }
  const startedAt = performance.now()
  const say = async (evidence: Evidence, status: SurvivalReport['status'], isFinal: boolean) => {
    stopping.throwIfAborted()
    const found = { ...report, ...summarize(compareSurvival(evidence)), status }
    await publish(dependencies, row, found, isFinal)
  }
  const first = await gather(dependencies, row, { report, stopping })
  const isOpen = isReplaying(first)
  const isFinal = !isOpen && !hasOutsideConnections(first)
  await say(first, isOpen ? 'checking' : 'complete', isFinal)
  check.onFirstCheck()
  if (isFinal) return
  const inspectAfter = async (ms: number): Promise<Evidence> => {
    await waitAtMost(ms, { signal: stopping })
    stopping.throwIfAborted()
    return { ...first, ...(await readGuest(dependencies, row, { report, stopping })) }
  }
  if (!isOpen) {
    const now = await inspectAfter(peerResponseMs)
    // A sandbox that sleeps again has nothing to add.
    return await say(now.after === null ? first : now, 'complete', true)
  }
  let isShownOpen = true
  for (let attempt = 0; ; attempt += 1) {
    const now = await inspectAfter(replayDelayMs(attempt))
    if (!isReplaying(now)) return await say(now, 'complete', true)
    // What is not requested stays on the disk indefinitely: the report says so, and is complete for now.
    if (isShownOpen && performance.now() - startedAt > openMs) {
      await say(now, 'complete', false)
      isShownOpen = false
    }
  }
}

function isReplaying({ replayed, after }: Evidence): boolean {
  return after !== null && (replayed?.state === 'pending' || replayed?.state === 'replaying')
}

/** True if connections to other machines were open before and look open now. */
function hasOutsideConnections({ before, after }: Evidence): boolean {
  return [before, after].every((manifest) => manifest?.connections.some(({ scope }) => scope === 'outside'))
}

type Question = { report: SurvivalReport; stopping: AbortSignal }

async function gather(dependencies: ReportDependencies, row: SurvivalReportRow, question: Question): Promise<Evidence> {
  const { report } = question
  const hasOwnDisk = report.from !== 'new' && report.from !== 'snapshot'
  // Without a pause or a rewind, the last snapshot of the disk is older than the work done since.
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
    ...(await readGuest(dependencies, row, question)),
  }
}

/** Reads the guest’s current state; nothing if the boot of the report no longer runs. */
async function readGuest(
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
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(checkTimeoutMs)])
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
    if (!stopping.aborted) logger.warn({ err: error }, 'a part of a sandbox could not be checked')
    return null
  }
}

/** Stores the report and updates its entry, if that is still in the conversation. */
async function publish(
  dependencies: ReportDependencies,
  row: SurvivalReportRow,
  report: SurvivalReport,
  isFinal: boolean,
): Promise<void> {
  const { store, log } = dependencies
  const before = await store.report(row.id)
  const hasNewLosses = before !== undefined && before.is_told === 1 && lostIn(report) > lostIn(parsed(before))
  const columns = {
    status: report.status,
    json: JSON.stringify(report),
    ...(hasNewLosses ? { is_told: 0 } : {}),
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
