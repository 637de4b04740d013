import type { Manifest, RescuedVariable, RescueReport } from '@threadbox/protocol/guest'
import type { FileChanges, FolderChanges } from '@threadbox/protocol/host'
import { isExchangeCause, type SurvivalItem, type SurvivalReport } from '@threadbox/protocol/public'
import type { WakeFacts } from '../state/sandbox.models.ts'
import { item, type Span, spanWords } from './survival-item.logic.ts'
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
} from './survival-items.models.ts'
import { variableItems } from './survival-variables.logic.ts'

/** How many kept items a report names; the counts are of all. */
const maxKept = 500
/** How many others: a report has to stay readable, and its line in the conversation small. */
const maxOthers = 2000

/** Everything that was found out about one wake. What is null could not be had. */
export type Evidence = {
  facts: Pick<WakeFacts, 'from' | 'cause'>
  before: Manifest | null
  after: Manifest | null
  /** Why there is no `after`. */
  afterProblem: string
  files: FileChanges | null
  /** What the demotion said that it kept, and what came back of it. */
  rescued: RescueReport | null
  replayed: RescueReport | null
  /** Services that this boot was to start again. */
  services: readonly RestartedService[]
}

/** Whether the memory lived on, so that everything should be as it was. */
function isHot(from: SurvivalReport['from']): boolean {
  return from === 'frozen' || from === 'memory'
}

function spanOf({ cause }: Evidence['facts']): Span {
  if (!isExchangeCause(cause?.code)) return 'pause'
  return cause?.code === 'rewind-undone' ? 'undo' : 'rewind'
}

/** What survived, item by item. Nothing is called kept that was not looked at before and after. */
export function compareSurvival(found: Evidence): SurvivalItem[] {
  const evidence = {
    ...found,
    before: found.before && personsManifest(found.before),
    after: found.after && personsManifest(found.after),
  }
  if (evidence.facts.from === 'new') return lostWithDisk(evidence)
  const items = isHot(evidence.facts.from) ? hotItems(evidence) : coldItems(evidence)
  return [...items, ...fileItems(evidence)]
}

function hotItems({ facts, before, after, afterProblem }: Evidence): SurvivalItem[] {
  const span = spanOf(facts)
  if (before === null || after === null) {
    const reason =
      before === null
        ? `What was running couldn’t be recorded ${spanWords[span].before}.`
        : `The sandbox could not be looked at ${spanWords[span].after}: ${afterProblem}`
    return [item('process', 'everything that ran', { outcome: 'unchecked', reason })]
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
  const manifests = { before, after: after ?? { ...nothing, unread: [] } }
  const isExchange = spanOf(evidence.facts) !== 'pause'
  const endedWithMemory = (found: SurvivalItem) => ({
    ...found,
    reason: isExchange ? notBack : 'It lived in memory, which was given up.',
  })
  const restartable = new Map(rescue?.processes.map((process) => [process.pid, process]) ?? [])
  const told = new Set(evidence.services.map(({ name }) => name))
  const speaking = {
    ...before,
    processes: before.processes.filter(({ service }) => !told.has(service)),
  }
  const gone = isExchange ? notBack : 'It ended when the memory was given up.'
  const processes = processItems({ ...manifests, before: speaking }, ({ pid }) => {
    const ended = restartable.get(pid)
    if (ended === undefined) return { reason: gone }
    const reason = ended.obstacle === '' ? `${gone} It can be started again.` : `${gone} ${ended.obstacle}`
    return { reason, restartId: ended.obstacle === '' ? ended.id : null }
  })
  return [
    ...restartedItems(evidence.services),
    ...processes,
    ...portItems(manifests),
    ...connectionItems({ before, after: { ...manifests.after, connections: [], unread: [] } }).map(endedWithMemory),
    ...variablesFrom(evidence, rescue),
    ...coldShell(evidence, rescue),
    ...(after === null
      ? [
          item('package', 'all packages', {
            outcome: 'unchecked',
            reason: `They could not be looked at: ${afterProblem}`,
          }),
        ]
      : packageItems({ before, after })),
    ...openFileItems({ before, after: { ...manifests.after, deletedOpenFiles: [], unread: [] } }).map(endedWithMemory),
    ...memoryFileItems({ before, after: { ...manifests.after, memoryFiles: [], unread: [] } }).map(endedWithMemory),
  ]
}

/** Of a rewind to files alone, or its undo. */
const notBack = 'It was alive at that moment, and the memory of then did not come back.'

/** A boot that ended by itself: nobody wrote down what was alive, but all of it is gone. */
function withoutManifest({ facts }: Evidence): SurvivalItem[] {
  const reason =
    spanOf(facts) !== 'pause'
      ? 'Nobody wrote down what was alive at that moment, and the memory of then did not come back.'
      : 'The sandbox ended without a moment to write down what was alive.'
  return [
    item('process', 'everything that ran', { outcome: 'lost', reason }),
    item('shell', 'shell session', { outcome: 'lost', reason }),
    item('variable', 'all Python variables', { outcome: 'lost', reason }),
  ]
}

function variablesFrom(evidence: Evidence, rescue: RescueReport | null): SurvivalItem[] {
  const known = evidence.before?.kernels.flatMap((kernel) => kernel.variables) ?? []
  const told = new Map((rescue?.variables ?? []).map((variable) => [nameOf(variable), variable]))
  const missing = known.filter((variable) => !told.has(nameOf(variable)))
  const rescued = [...told.values()].map((variable) => rescuedItem(evidence, rescue, variable))
  const isExchange = spanOf(evidence.facts) !== 'pause'
  const reason = isExchange ? notBack : 'It was in memory, and was not written down before the memory was lost.'
  return [
    ...rescued,
    ...missing.map(({ name, type }) => item('variable', name, { outcome: 'lost', reason, detail: type })),
  ]
}

function nameOf(variable: { context: string; name: string }): string {
  return `${variable.context}\n${variable.name}`
}

function rescuedItem(evidence: Evidence, rescue: RescueReport | null, variable: RescuedVariable): SurvivalItem {
  const { name, type } = variable
  const say = (outcome: SurvivalItem['outcome'], reason: string) =>
    item('variable', name, { outcome, reason, detail: type })
  if (variable.outcome === 'lost') return say('lost', variable.reason)
  if (rescue?.state === 'failed') return say('lost', 'It is on the disk, but could not be read back.')
  const older = olderRescue(evidence, rescue)
  if (rescue?.state !== 'replayed') {
    const which = older === undefined ? 'It is on the disk' : `A value from ${older} is on the disk`
    return say('unchecked', `${which} and is read back before the first Python cell.`)
  }
  const kernel = evidence.after?.kernels.find((candidate) => candidate.context === variable.context)
  if (kernel === undefined || kernel.state === 'not-answering') {
    return say('unchecked', 'It was read back, but Python could not be looked at after that.')
  }
  const isThere = kernel.variables.some((candidate) => candidate.name === name)
  // Imported modules are not listed among the variables.
  if (!isThere && variable.method !== 'import')
    return say('lost', 'It was written down, but Python does not have it now.')
  if (older === undefined) return say('rescued', 'It was written to the disk and read back.')
  return say('unchecked', `Python has its value from ${older}; whether it was changed after that is not known.`)
}

/** The time of a rescue that was made before an earlier sleep: nothing was written down before this one. */
function olderRescue({ facts, rescued }: Evidence, rescue: RescueReport | null): string | undefined {
  if (rescued !== null || facts.cause?.code === 'memory-given-up') return undefined
  return rescue?.takenAt == null ? 'an earlier sleep' : new Date(rescue.takenAt).toISOString()
}

function coldShell({ before, after }: Evidence, rescue: RescueReport | null): SurvivalItem[] {
  if (before === null) return []
  const detail = before.shell.cwd
  const isRescued = rescue?.shell.outcome === 'kept'
  if (!isRescued) {
    const reason = rescue?.shell.reason || 'The session ended with the memory; a new one begins.'
    const names = Object.keys(before.shell.environment)
    // The session is stored on the disk, so that it may be there although nobody rescued it.
    if (after !== null) return shellItems({ before, after })
    return [
      item('shell', 'shell session', { outcome: 'lost', reason, detail }),
      ...names.map((name) => item('environment', name, { outcome: 'lost', reason })),
    ]
  }
  if (after === null) {
    return [item('shell', 'shell session', { outcome: 'unchecked', reason: 'It could not be looked at.', detail })]
  }
  // The environment is kept as it is looked at: equal before and after. The session itself is another one.
  return shellItems({ before, after }).map((found) =>
    found.outcome === 'kept' && found.kind === 'shell'
      ? { ...found, outcome: 'rescued', reason: 'It was written to the disk and read back.' }
      : found,
  )
}

function fileItems({ files, facts, before, after }: Evidence): SurvivalItem[] {
  if (facts.from === 'snapshot') {
    const reason = facts.cause?.detail ?? 'The disk is an older copy.'
    return [item('file', 'everything written after the snapshot', { outcome: 'lost', reason })]
  }
  if (files === null || files.since === null) {
    const when = isHot(facts.from)
      ? 'There is no picture of the disk from the pause to compare with.'
      : 'There is no earlier picture of the disk to compare with.'
    return [item('file', 'files on the disk', { outcome: 'unchecked', reason: when })]
  }
  const { since } = spanWords[spanOf(facts)]
  const absolute = (path: string) => (path.startsWith('/') ? path : `/${path}`)
  const removed = files.removed.map((path) =>
    item('file', absolute(path), { outcome: 'lost', reason: 'It is not there any more.' }),
  )
  const writers = before === null || after === null ? new Map<string, number>() : samePrograms({ before, after })
  const extended = new Map(files.extended.map(({ name, addedBytes }) => [name, addedBytes]))
  const changed = files.changed.map((name) => {
    const path = absolute(name)
    const [pid, addedBytes] = [writers.get(path), extended.get(name)]
    if (pid !== undefined) {
      const reason = `Written ${since}, by a process that was kept.`
      return item('file', path, { outcome: 'kept', reason, detail: `pid ${pid}` })
    }
    return addedBytes === undefined
      ? item('file', path, { outcome: 'unchecked', reason: `It was written to ${since}.` })
      : item('file', path, { outcome: 'kept', reason: `Written ${since}: ${extensionOf(addedBytes)}.` })
  })
  const caches = files.folders.flatMap((folder) => cacheItems(folder, since))
  const more = (count: number, named: number, outcome: 'lost' | 'unchecked', reason: string) =>
    count > named ? [item('file', `${count - named} more files`, { outcome, reason })] : []
  return [
    ...removed,
    ...more(files.removedCount, removed.length, 'lost', 'They are not there any more.'),
    ...changed,
    ...more(files.changedCount, changed.length, 'unchecked', `They were written to ${since}.`),
    ...caches,
    item('file', 'all other files', { outcome: 'kept', detail: `${files.addedCount} new` }),
  ]
}

/** By whomever: that is not seen, nor whether what was added is whole. */
function extensionOf(addedBytes: number): string {
  if (addedBytes === 0) return 'it holds the same as before'
  return `what it held before is unchanged, and ${addedBytes === 1 ? '1 byte follows' : `${addedBytes} bytes follow`} it`
}

/** Files that a process had open to write to before and has so now, with its pid: what is written to them is its work. */
function samePrograms({ before, after }: { before: Manifest; after: Manifest }): Map<string, number> {
  const startOf = ({ processes }: Manifest, pid: number) => processes.find((process) => process.pid === pid)?.startTicks
  const isOpenNow = new Set(after.writtenFiles.map(({ pid, path }) => `${pid} ${path}`))
  const kept = before.writtenFiles.filter(({ pid, path }) => {
    const start = startOf(before, pid)
    return start !== undefined && start === startOf(after, pid) && isOpenNow.has(`${pid} ${path}`)
  })
  return new Map(kept.map(({ pid, path }) => [path, pid]))
}

/** A cache is one line, however much of it differs. */
function cacheItems({ name, removedCount, changedCount }: FolderChanges, since: string): SurvivalItem[] {
  const path = `/${name}`
  const files = (count: number) => (count === 1 ? '1 file in it was' : `${count} files in it were`)
  if (removedCount > 0)
    return [item('file', path, { outcome: 'lost', reason: `${files(removedCount)} removed ${since}.` })]
  if (changedCount === 0) return []
  return [item('file', path, { outcome: 'unchecked', reason: `${files(changedCount)} written to ${since}.` })]
}

function lostWithDisk({ before, facts }: Evidence): SurvivalItem[] {
  const reason = facts.cause?.detail || 'The disk of the sandbox could not be had any more.'
  const lost = (kind: SurvivalItem['kind'], name: string) => item(kind, name, { outcome: 'lost', reason })
  const all = [lost('file', 'all files'), lost('package', 'all packages that were installed')]
  if (before === null) return [...all, lost('process', 'everything that ran'), lost('variable', 'all Python variables')]
  return [
    ...all,
    ...personsProcesses(before).map((process) => lost('process', commandOf(process))),
    ...before.kernels.flatMap((kernel) => kernel.variables.map(({ name }) => lost('variable', name))),
  ]
}

const weight: Record<SurvivalItem['outcome'], number> = { lost: 0, unchecked: 1, rescued: 2, restarted: 3, kept: 4 }

/** Counts of everything, and the items that a person has to see first, bounded. */
export function summarise(items: readonly SurvivalItem[]): Pick<SurvivalReport, 'counts' | 'items'> {
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

/** The report as it is before anybody has looked. */
export function emptyReport(threadId: string, facts: WakeFacts): SurvivalReport {
  const { reportId, from, cause, pausedAt, wokenAt, wakeMs } = facts
  const unseen = { checkedAt: null, status: 'checking', counts: {} } as const
  return { id: reportId, threadId, from, cause, pausedAt, wokenAt, wakeMs, ...unseen, items: [] }
}
