import type { Manifest, RescuedVariable, RescueReport } from '@threadbox/protocol/guest'
import type { FileChanges, FolderChanges } from '@threadbox/protocol/host'
import { isExchangeCause, type SurvivalItem, type SurvivalReport, type SurvivalSpan } from '@threadbox/protocol/public'
import type { WakeFacts } from '../state/sandbox.logic.ts'
import { item, type Outcome, reasonIn } from './survival-item.logic.ts'
import {
  commandOf,
  connectionItems,
  memoryFileItems,
  openFileItems,
  packageItems,
  personsManifest,
  personsProcesses,
  portItems,
  processItems,
  type RestartedService,
  restartedItems,
  shellItems,
  shellSession,
} from './survival-items.logic.ts'
import { variableItems } from './survival-variables.logic.ts'
import { type Because, because, type Facts, type StandsFor } from './survival-words.logic.ts'

/** Limit of kept items that a report names; the counts cover all. */
const maxKept = 500
/** Limit of other items: a report has to stay readable, and its entry in the conversation small. */
const maxOthers = 2000

/** Everything known about one wake. What is null was not available. */
export type Evidence = {
  facts: Pick<WakeFacts, 'from' | 'cause'>
  before: Manifest | null
  after: Manifest | null
  /** Why there is no `after`. */
  afterProblem: 'asleep' | 'silent' | null
  files: FileChanges | null
  /** What the demotion reported as saved, and what was restored of it. */
  rescued: RescueReport | null
  replayed: RescueReport | null
  /** Services that this boot was to restart. */
  services: readonly RestartedService[]
}

/** True if the memory was restored, so that everything should be as it was. */
function isHot(from: SurvivalReport['from']): boolean {
  return from === 'frozen' || from === 'memory'
}

function spanOf({ cause }: Evidence['facts']): SurvivalSpan {
  if (!isExchangeCause(cause?.code)) return 'pause'
  return cause?.code === 'rewind-undone' ? 'undo' : 'rewind'
}

/** Returns what survived, item by item. Nothing is called kept that was not checked before and after. */
export function compareSurvival(found: Evidence): SurvivalItem[] {
  const evidence = {
    ...found,
    before: found.before && personsManifest(found.before),
    after: found.after && personsManifest(isHot(found.facts.from) ? found.after : ofNewMemory(found.after)),
  }
  if (evidence.facts.from === 'new') return lostWithDisk(evidence)
  const items = isHot(evidence.facts.from) ? hotItems(evidence) : coldItems(evidence)
  return [...items, ...fileItems(evidence)]
}

/** No process is an earlier one, whatever the guest says about its PID and start. */
function ofNewMemory(after: Manifest): Manifest {
  const processes = after.processes.map((process) => ({ ...process, startTicks: `new ${process.startTicks}` }))
  return { ...after, processes }
}

function hotItems({ facts, before, after, afterProblem }: Evidence): SurvivalItem[] {
  const span = spanOf(facts)
  if (before === null || after === null) {
    const reason =
      before === null
        ? because('nothing-recorded', { span })
        : because('not-checked-after', { span, why: afterProblem ?? 'silent' })
    return [item('process', everything, { outcome: 'unchecked', because: reason })]
  }
  const manifests = { before, after, span }
  return [
    ...processItems(manifests),
    ...portItems(manifests),
    ...connectionItems(manifests),
    ...variableItems(manifests),
    ...shellItems(manifests),
    ...packageItems(manifests),
    ...openFileItems(manifests),
    ...memoryFileItems(manifests),
  ]
}

const everything = { code: 'everything-running', params: {} } as const
const allVariables = { code: 'all-variables', params: {} } as const

function coldItems(evidence: Evidence): SurvivalItem[] {
  const { before, after, afterProblem } = evidence
  const rescue = evidence.replayed ?? evidence.rescued
  if (before === null) {
    return [...restartedItems(evidence.services), ...withoutManifest(evidence), ...variablesFrom(evidence, rescue)]
  }
  const nothing = {
    ...before,
    processes: [],
    ports: [],
    connections: [],
    kernels: [],
    deletedOpenFiles: [],
    memoryFiles: [],
  }
  const span = spanOf(evidence.facts)
  const manifests = { before, after: after ?? { ...nothing, unread: [] }, span }
  const isExchange = span !== 'pause'
  const inMemory = reasonIn(isExchange ? because('not-restored') : because('memory-discarded'))
  const endedWithMemory = (found: SurvivalItem) => ({ ...found, ...inMemory })
  const restartable = new Map(rescue?.processes.map((process) => [process.pid, process]) ?? [])
  const reported = new Set(evidence.services.map(({ name }) => name))
  const withoutServices = {
    ...before,
    processes: before.processes.filter(({ service }) => !reported.has(service)),
  }
  const how = isExchange ? 'not-restored' : 'discarded'
  const processes = processItems({ ...manifests, before: withoutServices }, ({ pid }) => {
    const ended = restartable.get(pid)
    if (ended === undefined) return { because: because('ended', { how }) }
    const { obstacle } = ended
    if (obstacle !== '') return { because: because('ended-obstacle', { how, obstacle }) }
    return { because: because('ended-restartable', { how }), restartId: ended.id }
  })
  return [
    ...restartedItems(evidence.services),
    ...processes,
    ...portItems(manifests),
    ...connectionItems({ ...manifests, after: { ...manifests.after, connections: [], unread: [] } }).map(
      endedWithMemory,
    ),
    ...variablesFrom(evidence, rescue),
    ...coldShell(evidence, rescue),
    ...(after === null
      ? [
          item('package', allPackages, {
            outcome: 'unchecked',
            because: because('not-checked-why', { why: afterProblem ?? 'silent' }),
          }),
        ]
      : packageItems(manifests)),
    ...openFileItems({ ...manifests, after: { ...manifests.after, deletedOpenFiles: [], unread: [] } }).map(
      endedWithMemory,
    ),
    ...memoryFileItems({ ...manifests, after: { ...manifests.after, memoryFiles: [], unread: [] } }).map(
      endedWithMemory,
    ),
  ]
}

const allPackages = { code: 'all-packages', params: {} } as const

/** A boot that ended on its own: what was running wasn't recorded, but all of it is gone. */
function withoutManifest({ facts }: Evidence): SurvivalItem[] {
  const isExchange = spanOf(facts) !== 'pause'
  const lost = {
    outcome: 'lost',
    because: isExchange ? because('nothing-recorded-then') : because('stopped-unrecorded'),
  } as const
  return [item('process', everything, lost), item('shell', shellSession, lost), item('variable', allVariables, lost)]
}

function variablesFrom(evidence: Evidence, rescue: RescueReport | null): SurvivalItem[] {
  const known = evidence.before?.kernels.flatMap((kernel) => kernel.variables) ?? []
  const reported = new Map((rescue?.variables ?? []).map((variable) => [nameOf(variable), variable]))
  const missing = known.filter((variable) => !reported.has(nameOf(variable)))
  const rescued = [...reported.values()].map((variable) => rescuedItem(evidence, rescue, variable))
  const isExchange = spanOf(evidence.facts) !== 'pause'
  const reason = isExchange ? because('not-restored') : because('not-saved')
  return [
    ...rescued,
    ...missing.map(({ name, type }) => item('variable', name, { outcome: 'lost', because: reason, detail: type })),
  ]
}

function nameOf(variable: { context: string; name: string }): string {
  return `${variable.context}\n${variable.name}`
}

function rescuedItem(evidence: Evidence, rescue: RescueReport | null, variable: RescuedVariable): SurvivalItem {
  const { name, type } = variable
  const say = (outcome: SurvivalItem['outcome'], reason: Because) =>
    item('variable', name, { outcome, because: reason, detail: type })
  if (variable.outcome === 'lost') {
    return item('variable', name, { outcome: 'lost', reason: variable.reason, detail: type })
  }
  if (rescue?.state === 'failed') return say('lost', because('saved-not-restorable'))
  const isOlder = isOlderRescue(evidence)
  const at = rescue?.takenAt ?? null
  if (rescue?.state !== 'replayed') {
    if (!isOlder) return say('unchecked', because('saved-waiting'))
    return say('unchecked', at === null ? because('saved-waiting-earlier') : because('saved-waiting-older', { at }))
  }
  const kernel = evidence.after?.kernels.find((candidate) => candidate.context === variable.context)
  if (kernel === undefined || kernel.state === 'not-answering') {
    return say('unchecked', because('restored-not-checked'))
  }
  const isPresent = kernel.variables.some((candidate) => candidate.name === name)
  // Imported modules are not listed among the variables.
  if (!isPresent && variable.method !== 'import') return say('lost', because('saved-not-present'))
  if (!isOlder) return say('rescued', because('restored'))
  return say('unchecked', at === null ? because('earlier-value') : because('older-value', { at }))
}

/** True if the rescue was made at an earlier pause: nothing was saved before this wake. */
function isOlderRescue({ facts, rescued }: Evidence): boolean {
  return rescued === null && facts.cause?.code !== 'memory-given-up'
}

function coldShell({ before, after }: Evidence, rescue: RescueReport | null): SurvivalItem[] {
  if (before === null) return []
  const detail = before.shell.cwd
  const isRescued = rescue?.shell.outcome === 'kept'
  if (!isRescued) {
    const said = rescue?.shell.reason ?? ''
    const lost: Outcome = {
      outcome: 'lost',
      ...(said === '' ? { because: because('session-ended') } : { reason: said }),
    }
    const names = Object.keys(before.shell.environment)
    // The session is stored on the disk, so it can exist although it was not rescued.
    if (after !== null) return shellItems({ before, after })
    return [item('shell', shellSession, { ...lost, detail }), ...names.map((name) => item('environment', name, lost))]
  }
  if (after === null) {
    return [item('shell', shellSession, { outcome: 'unchecked', because: because('not-checked'), detail })]
  }
  // The environment variables keep their result: they are equal before and after. The session itself is a new one.
  return shellItems({ before, after }).map((found) =>
    found.outcome === 'kept' && found.kind === 'shell'
      ? { ...found, outcome: 'rescued', ...reasonIn(because('restored')) }
      : found,
  )
}

function fileItems({ files, facts, before, after }: Evidence): SurvivalItem[] {
  if (facts.from === 'snapshot') {
    return [item('file', { code: 'later-files', params: {} }, { outcome: 'lost', ...diskReason('older-disk', facts) })]
  }
  if (files === null || files.since === null) {
    const missing = isHot(facts.from) ? because('no-pause-snapshot') : because('no-earlier-snapshot')
    return [item('file', { code: 'disk-files', params: {} }, { outcome: 'unchecked', because: missing })]
  }
  const span = spanOf(facts)
  const absolute = (path: string) => (path.startsWith('/') ? path : `/${path}`)
  const removed = files.removed.map((path) =>
    item('file', absolute(path), { outcome: 'lost', because: because('file-gone') }),
  )
  const writers = before === null || after === null ? new Map<string, number>() : samePrograms({ before, after })
  const extended = new Map(files.extended.map(({ name, addedBytes }) => [name, addedBytes]))
  const changed = files.changed.map((name) => {
    const path = absolute(name)
    const [pid, addedBytes] = [writers.get(path), extended.get(name)]
    if (pid !== undefined) {
      const kept = { outcome: 'kept', because: because('file-written-by-kept', { span }) } as const
      return item('file', path, { ...kept, facts: { code: 'process', params: { pid } } })
    }
    return addedBytes === undefined
      ? item('file', path, { outcome: 'unchecked', because: because('file-changed', { span }) })
      : item('file', path, { outcome: 'kept', because: extensionOf(addedBytes, span) })
  })
  const caches = files.folders.flatMap((folder) => cacheItems(folder, span))
  const more = (count: number, named: number, outcome: Outcome) =>
    count > named ? [item('file', { code: 'more-files', params: { count: count - named } }, outcome)] : []
  return [
    ...removed,
    ...more(files.removedCount, removed.length, { outcome: 'lost', because: because('files-gone') }),
    ...changed,
    ...more(files.changedCount, changed.length, { outcome: 'unchecked', because: because('file-changed', { span }) }),
    ...caches,
    item('file', { code: 'other-files', params: {} }, { outcome: 'kept', facts: newFiles(files.addedCount) }),
  ]
}

function newFiles(count: number): Facts {
  return { code: 'new-files', params: { count } }
}

/** Which process wrote the file is unknown, and so is whether the added part is complete. */
function extensionOf(count: number, span: SurvivalSpan): Because {
  return count === 0 ? because('file-same', { span }) : because('file-extended', { span, count })
}

/** Files that the same process had open for writing before and has open now, with its PID: the changes are its work. */
function samePrograms({ before, after }: { before: Manifest; after: Manifest }): Map<string, number> {
  const startOf = ({ processes }: Manifest, pid: number) => processes.find((process) => process.pid === pid)?.startTicks
  const isOpenNow = new Set(after.writtenFiles.map(({ pid, path }) => `${pid} ${path}`))
  const kept = before.writtenFiles.filter(({ pid, path }) => {
    const start = startOf(before, pid)
    return start !== undefined && start === startOf(after, pid) && isOpenNow.has(`${pid} ${path}`)
  })
  return new Map(kept.map(({ pid, path }) => [path, pid]))
}

/** A cache is one item, however much of it differs. */
function cacheItems({ name, removedCount, changedCount }: FolderChanges, span: SurvivalSpan): SurvivalItem[] {
  const path = `/${name}`
  const removed = because('cache-removed', { span, count: removedCount })
  if (removedCount > 0) return [item('file', path, { outcome: 'lost', because: removed })]
  const changed = because('cache-changed', { span, count: changedCount })
  return changedCount === 0 ? [] : [item('file', path, { outcome: 'unchecked', because: changed })]
}

/** The detail about the disk says more than the code. */
function diskReason(code: 'older-disk' | 'disk-gone', { cause }: Evidence['facts']): Omit<Outcome, 'outcome'> {
  const detail = cause?.detail ?? ''
  return { because: because(code), ...(detail === '' ? {} : { reason: detail }) }
}

function lostWithDisk({ before, facts }: Evidence): SurvivalItem[] {
  const reason = diskReason('disk-gone', facts)
  const lost = (kind: SurvivalItem['kind'], name: string | StandsFor) =>
    item(kind, name, { outcome: 'lost', ...reason })
  const all = [
    lost('file', { code: 'all-files', params: {} }),
    lost('package', { code: 'installed-packages', params: {} }),
  ]
  if (before === null) return [...all, lost('process', everything), lost('variable', allVariables)]
  return [
    ...all,
    ...personsProcesses(before).map((process) => lost('process', commandOf(process))),
    ...before.kernels.flatMap((kernel) => kernel.variables.map(({ name }) => lost('variable', name))),
  ]
}

const weight: Record<SurvivalItem['outcome'], number> = { lost: 0, unchecked: 1, rescued: 2, restarted: 3, kept: 4 }

/** Counts of everything, and a limited list of items with the most important ones first. */
export function summarize(items: readonly SurvivalItem[]): Pick<SurvivalReport, 'counts' | 'items'> {
  const counts: SurvivalReport['counts'] = {}
  for (const { kind, outcome } of items) {
    const count = counts[kind] ?? { kept: 0, rescued: 0, restarted: 0, lost: 0, unchecked: 0 }
    count[outcome] += 1
    counts[kind] = count
  }
  const ordered = items.toSorted((one, other) => weight[one.outcome] - weight[other.outcome])
  const others = ordered.filter((found) => found.outcome !== 'kept').slice(0, maxOthers)
  const kept = ordered.filter((found) => found.outcome === 'kept').slice(0, maxKept)
  return { counts, items: [...others, ...kept] }
}

/** The report before the first check. */
export function emptyReport(threadId: string, facts: WakeFacts): SurvivalReport {
  const { reportId, from, cause, pausedAt, wokenAt, wakeMs } = facts
  const unseen = { checkedAt: null, status: 'checking', counts: {} } as const
  return { id: reportId, threadId, from, cause, pausedAt, wokenAt, wakeMs, ...unseen, items: [] }
}
