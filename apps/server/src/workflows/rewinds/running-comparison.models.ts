import type { Manifest, ManifestPart, ManifestProcess, ManifestVariable } from '@threadbox/protocol/guest'
import type { RewindPreview } from '@threadbox/protocol/public'
import { commandOf, personsProcesses } from '../../sandboxes/public.ts'

type Compared = Parameters<typeof compareRunning>[0]
type Running = RewindPreview['running']
type ProcessChange = Running['processes'][number]
type VariableChange = Running['variables'][number]

/** More names than a person reads. */
const maxNames = 100
const maxCharacters = 200

/** What a rewind does to what runs. Null: nobody can say. Without memory nothing of then comes back by itself. */
export function compareRunning(known: {
  now: Manifest | null
  earlier: Manifest | null
  bringsMemory: boolean
}): Running {
  const { now, earlier, bringsMemory } = known
  const processes = processChanges(known)
  const variables = variableChanges(known)
  const manifests = [now, earlier].filter((manifest) => manifest !== null)
  // Without memory every variable of now goes, whichever it is.
  const gone = bringsMemory ? 0 : variablesLeftOut(now)
  const byChange = countedBy(variableOrder, variables.changes)
  return {
    knowsNow: now !== null,
    knowsThen: earlier !== null,
    processes: processes.slice(0, maxNames),
    processCount: processes.length,
    processesByChange: countedBy(processOrder, processes),
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
      manifests.every((manifest) => saysAllVariables(manifest)),
  }
}

function countedBy<Change extends string>(
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
  const isIn = (heads: readonly Head[], head: Head) => heads.some((other) => isSame(other, head))
  const ofNow = present.map((head): ProcessChange => {
    if (bringsMemory && isIn(past, head)) return told(head, 'returns')
    if (bringsMemory && !saysAllProcesses(earlier)) return told(head, 'unclear')
    return told(head, head.kind === 'service' ? 'restarted' : 'removed')
  })
  const ofThen = past
    .filter((head) => !isIn(present, head))
    .map((head): ProcessChange => told(head, bringsMemory ? 'restored' : 'lost'))
  return [...ofNow, ...ofThen].toSorted(
    (one, other) => processOrder.indexOf(one.change) - processOrder.indexOf(other.change),
  )
}

type Head = { kind: ProcessChange['kind']; name: string; process: ManifestProcess }

/** What a person or the agent started: not the guest's own, and not what those started in turn. A service counts once. */
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

/** A pid and the time of its start name a process within one kernel of a sandbox; another boot has other processes. */
function isSame(one: Head, other: Head): boolean {
  if (one.kind !== other.kind || one.name !== other.name) return false
  if (one.kind === 'service') return true
  return one.process.pid === other.process.pid && one.process.startTicks === other.process.startTicks
}

function told({ name, kind }: Head, change: ProcessChange['change']): ProcessChange {
  return { name: name.slice(0, maxCharacters), kind, change }
}

function variableChanges({ now, earlier, bringsMemory }: Compared) {
  const [present, past] = [variablesOf(now), variablesOf(earlier)]
  const changes: VariableChange[] = []
  let [same, unclear] = [0, 0]
  for (const [key, variable] of present) {
    const before = bringsMemory ? past.get(key) : undefined
    // Of what nobody wrote down is not known whether it was there.
    const isOpen = bringsMemory && before === undefined && !saysAllVariables(earlier)
    const outcome = isOpen ? 'unclear' : before === undefined ? 'removed' : compareVariable(before, variable)
    if (outcome === 'same') same += 1
    else if (outcome === 'unclear') unclear += 1
    else changes.push(change(outcome, { now: variable, before }))
  }
  for (const [key, variable] of past) {
    if (present.has(key)) continue
    // Python has more now than it said: this one may be there.
    if (bringsMemory && now !== null && !saysAllVariables(now)) unclear += 1
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

/** What was silent, or more than was written down, leaves open what else there is. */
function saysAllVariables(manifest: Manifest | null): boolean {
  return variablesLeftOut(manifest) === 0 && saysAll(manifest, 'variables')
}

function saysAllProcesses(manifest: Manifest | null): boolean {
  return (manifest?.processesLeftOut ?? 0) === 0 && saysAll(manifest, 'processes')
}

function saysAll(manifest: Manifest | null, part: ManifestPart): boolean {
  return manifest !== null && !manifest.unread.some((entry) => entry.part === part)
}

function variablesLeftOut(manifest: Manifest | null): number {
  return manifest?.kernels.reduce((sum, kernel) => sum + (kernel.variablesLeftOut ?? 0), 0) ?? 0
}

/** `content` is compared without looking at which object it is. The same object may hold something else by now. */
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

/** The thread's one kernel. */
const mainContext = 'main'
