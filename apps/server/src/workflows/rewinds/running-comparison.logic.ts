import type { Manifest, ManifestPart, ManifestProcess, ManifestVariable } from '@threadbox/protocol/guest'
import type { RewindPreview } from '@threadbox/protocol/public'
import { commandOf, personsProcesses } from '../../sandboxes/public.ts'

type Compared = Parameters<typeof compareRunning>[0]
type Running = RewindPreview['running']
type ProcessChange = Running['processes'][number]
type VariableChange = Running['variables'][number]

/** Limit for readability. */
const maxNames = 100
const maxCharacters = 200

/**
 * Returns what a rewind does to running processes and variables. Null manifests are unknown. Without memory nothing
 * earlier returns, except that services restart.
 */
export function compareRunning(known: {
  now: Manifest | null
  earlier: Manifest | null
  bringsMemory: boolean
}): Running {
  const { now, earlier, bringsMemory } = known
  const processes = processChanges(known)
  const variables = variableChanges(known)
  const manifests = [now, earlier].filter((manifest) => manifest !== null)
  // Without memory every current variable is removed, including those left out of the manifest.
  const gone = bringsMemory ? 0 : variablesLeftOut(now)
  const byChange = countByChange(variableOrder, variables.changes)
  return {
    knowsNow: now !== null,
    knowsThen: earlier !== null,
    processes: processes.slice(0, maxNames),
    processCount: processes.length,
    processesByChange: countByChange(processOrder, processes),
    variables: variables.changes.slice(0, maxNames),
    variableCount: variables.changes.length + gone,
    variablesByChange: { ...byChange, removed: byChange.removed + gone },
    sameVariables: variables.same,
    unclearVariables: variables.unclear,
    leftOut: {
      processesNow: now?.processesLeftOut ?? 0,
      processesThen: earlier?.processesLeftOut ?? 0,
      variablesNow: variablesLeftOut(now) - gone,
      variablesThen: variablesLeftOut(earlier),
    },
    knowsVariables:
      (bringsMemory ? manifests.length === 2 : now !== null) &&
      manifests.every((manifest) => isVariableListComplete(manifest)),
  }
}

function countByChange<Change extends string>(
  order: readonly Change[],
  changes: readonly { change: Change }[],
): Record<Change, number> {
  const counts = order.map((change) => [change, changes.filter((one) => one.change === change).length])
  return Object.fromEntries(counts) as Record<Change, number>
}

const processOrder = ['restored', 'returns', 'restarted', 'removed', 'unclear', 'lost'] as const
const variableOrder = ['restored', 'changed', 'removed', 'lost'] as const

function processChanges({ now, earlier, bringsMemory }: Compared): ProcessChange[] {
  const [present, past] = [headsOf(now), headsOf(earlier)]
  const includesHead = (heads: readonly Head[], head: Head) => heads.some((other) => isSame(other, head))
  const fromNow = present.map((head): ProcessChange => {
    if (bringsMemory && includesHead(past, head)) return changeOf(head, 'returns')
    if (bringsMemory && !isProcessListComplete(earlier)) return changeOf(head, 'unclear')
    return changeOf(head, head.kind === 'service' ? 'restarted' : 'removed')
  })
  const fromEarlier = past
    .filter((head) => !includesHead(present, head))
    .map((head): ProcessChange => changeOf(head, bringsMemory ? 'restored' : 'lost'))
  return [...fromNow, ...fromEarlier].toSorted(
    (one, other) => processOrder.indexOf(one.change) - processOrder.indexOf(other.change),
  )
}

type Head = { kind: ProcessChange['kind']; name: string; process: ManifestProcess }

/**
 * Processes that the user or the agent started: not the guest’s own, and no child processes of these. A service counts
 * once.
 */
function headsOf(manifest: Manifest | null): Head[] {
  const all = manifest === null ? [] : personsProcesses(manifest)
  const parents = new Map(all.filter(({ role }) => role !== 'terminal').map((process) => [process.pid, process]))
  const heads = all.filter((process) => !parents.has(process.parentPid))
  const services = new Set<string>()
  return heads.flatMap((process): Head[] => {
    if (process.role !== 'service' || process.service === '') {
      const kind = process.role === 'service' ? 'service' : 'process'
      return [{ kind, name: commandOf(process), process }]
    }
    if (services.has(process.service)) return []
    services.add(process.service)
    return [{ kind: 'service', name: process.service, process }]
  })
}

/** A PID and its start time identify a process within one boot of a sandbox; another boot has other processes. */
function isSame(one: Head, other: Head): boolean {
  if (one.kind !== other.kind || one.name !== other.name) return false
  if (one.kind === 'service') return true
  return one.process.pid === other.process.pid && one.process.startTicks === other.process.startTicks
}

function changeOf({ name, kind }: Head, change: ProcessChange['change']): ProcessChange {
  return { name: name.slice(0, maxCharacters), kind, change }
}

function variableChanges({ now, earlier, bringsMemory }: Compared) {
  const [present, past] = [variablesOf(now), variablesOf(earlier)]
  const changes: VariableChange[] = []
  let [same, unclear] = [0, 0]
  for (const [key, variable] of present) {
    const before = bringsMemory ? past.get(key) : undefined
    // If the earlier manifest is incomplete, the variable may have existed.
    const isOpen = bringsMemory && before === undefined && !isVariableListComplete(earlier)
    const outcome = isOpen ? 'unclear' : before === undefined ? 'removed' : compareVariable(before, variable)
    if (outcome === 'same') same += 1
    else if (outcome === 'unclear') unclear += 1
    else changes.push(change(outcome, { now: variable, before }))
  }
  for (const [key, variable] of past) {
    if (present.has(key)) continue
    // The current manifest is incomplete: this variable may still exist.
    if (bringsMemory && now !== null && !isVariableListComplete(now)) unclear += 1
    else changes.push(change(bringsMemory ? 'restored' : 'lost', { before: variable }))
  }
  const ordered = changes.toSorted(
    (one, other) => variableOrder.indexOf(one.change) - variableOrder.indexOf(other.change),
  )
  return { changes: ordered, same, unclear }
}

function variablesOf(manifest: Manifest | null): Map<string, ManifestVariable> {
  const all = manifest?.kernels.flatMap(({ variables }) => variables) ?? []
  return new Map(all.map((variable) => [`${variable.context}\n${variable.name}`, variable]))
}

/** An incomplete manifest leaves open what else exists. */
function isVariableListComplete(manifest: Manifest | null): boolean {
  return variablesLeftOut(manifest) === 0 && isFullyListed(manifest, 'variables')
}

function isProcessListComplete(manifest: Manifest | null): boolean {
  return (manifest?.processesLeftOut ?? 0) === 0 && isFullyListed(manifest, 'processes')
}

function isFullyListed(manifest: Manifest | null, part: ManifestPart): boolean {
  return manifest !== null && !manifest.unread.some((entry) => entry.part === part)
}

function variablesLeftOut(manifest: Manifest | null): number {
  return manifest?.kernels.reduce((sum, kernel) => sum + (kernel.variablesLeftOut ?? 0), 0) ?? 0
}

/**
 * `content` fingerprints are compared without the identity of the object: the same object may have other content now.
 */
function compareVariable(before: ManifestVariable, now: ManifestVariable): 'same' | 'changed' | 'unclear' {
  if (before.type !== now.type) return 'changed'
  const isComparable = before.compared === 'content' && now.compared === 'content'
  if (isComparable && before.fingerprint !== null && now.fingerprint !== null) {
    return hashIn(before.fingerprint) === hashIn(now.fingerprint) ? 'same' : 'changed'
  }
  return before.bytes !== now.bytes ? 'changed' : 'unclear'
}

function hashIn(fingerprint: string): string {
  return fingerprint.split(':')[1] ?? fingerprint
}

function change(
  kind: VariableChange['change'],
  { now, before }: { now?: ManifestVariable | undefined; before?: ManifestVariable | undefined },
): VariableChange {
  const { context, name } = now ?? before ?? { context: '', name: '' }
  const full = context === mainContext ? name : `${name} (${context})`
  return {
    name: full.slice(0, maxCharacters),
    change: kind,
    typeNow: now?.type.slice(0, maxCharacters) ?? null,
    typeThen: before?.type.slice(0, maxCharacters) ?? null,
    bytesNow: now?.bytes ?? null,
    bytesThen: before?.bytes ?? null,
  }
}

/** The thread’s only kernel. */
const mainContext = 'main'
