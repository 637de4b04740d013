import {
  isThreadboxFile,
  isThreadboxProcess,
  isThreadboxVariable,
  type Manifest,
  type ManifestProcess,
} from '@threadbox/protocol/guest'
import type { SurvivalItem } from '@threadbox/protocol/public'
import { item, type Manifests, type Outcome, reasonIn, spanOf, unreadIn } from './survival-item.logic.ts'
import { type Because, because } from './survival-words.logic.ts'

/** Outcome of a service that ran before a cold start. */
export type RestartedService = {
  name: string
  command: string
  outcome: 'restarted' | 'lost' | 'unchecked'
  because: Because
}

/** Name of a process as a person would search for it. */
export function commandOf(process: Pick<ManifestProcess, 'commandLine' | 'name'>): string {
  return process.commandLine.length === 0 ? process.name : process.commandLine.join(' ')
}

const isSame = (one: ManifestProcess, other: ManifestProcess) =>
  one.pid === other.pid && one.startTicks === other.startTicks

/**
 * A process is the same if its PID and start time are the same. A process with the same command and other ones has been
 * restarted; each counts for only one that is gone. `lostAs` adds details to a lost one.
 */
export function processItems(
  manifests: Manifests,
  lostAs: (process: ManifestProcess) => Partial<Outcome> = () => ({ because: because('process-gone') }),
): SurvivalItem[] {
  const { before, after } = manifests
  const problem = unreadIn(manifests, { part: 'processes' })
  const spare = after.processes.filter((process) => !before.processes.some((earlier) => isSame(earlier, process)))
  return personsProcesses(before).flatMap((process) => {
    const { kind, name } = nameOf(process, before)
    const facts = { code: 'process', params: { pid: process.pid } } as const
    const same = after.processes.find((later) => isSame(later, process))
    if (same !== undefined) return item(kind, name, { ...runsAsBefore(process, same), facts })
    if (isRoundOfKept(process, manifests)) return []
    if (problem !== undefined) return item(kind, name, { outcome: 'unchecked', because: problem, facts })
    const index = spare.findIndex((later) => isSameProgram(process, later))
    const [restarted] = index < 0 ? [] : spare.splice(index, 1)
    if (restarted !== undefined) {
      const again = because('process-restarted', { pid: restarted.pid })
      return item(kind, name, { outcome: 'restarted', because: again, facts })
    }
    return item(kind, name, { ...lostAs(process), outcome: 'lost', facts })
  })
}

const longestRoundMs = 10_000

/**
 * A short-lived child of a kept process is a part of it, such as the `sleep 1` of a loop. What a person started in a
 * shell session or a terminal has a parent of another role.
 */
function isRoundOfKept(process: ManifestProcess, { before, after }: Manifests): boolean {
  if (before.takenAt - process.startedAt > longestRoundMs) return false
  const parent = before.processes.find(({ pid }) => pid === process.parentPid)
  if (parent === undefined || (parent.role !== 'user' && parent.role !== 'service')) return false
  return after.processes.some((later) => isSame(later, parent))
}

/** Processes without threadbox’s own, which are not reported: what matters of them (variables, shell session) is. */
export function personsProcesses({ processes }: Pick<Manifest, 'processes'>): ManifestProcess[] {
  return processes.filter((process) => !isThreadboxProcess(process))
}

/** A manifest without what belongs to threadbox. Older guests listed it, and their manifests are stored. */
export function personsManifest(manifest: Manifest): Manifest {
  const environment = Object.fromEntries(
    Object.entries(manifest.shell.environment).filter(([name]) => !isThreadboxVariable(name)),
  )
  return {
    ...manifest,
    shell: { ...manifest.shell, environment },
    connections: manifest.connections.filter(({ kind, local }) => kind !== 'unix' || !isThreadboxFile(local)),
    deletedOpenFiles: manifest.deletedOpenFiles.filter(({ path }) => !isThreadboxFile(path)),
  }
}

/** A service counts once, by its process that is not a child of another of its processes. */
function nameOf(process: ManifestProcess, { processes }: Manifest): Pick<SurvivalItem, 'kind' | 'name'> {
  const isPart =
    process.service !== '' &&
    processes.some(({ pid, service }) => pid === process.parentPid && service === process.service)
  if (process.role !== 'service' || isPart) return { kind: 'process', name: commandOf(process) }
  return { kind: 'service', name: process.service === '' ? commandOf(process) : process.service }
}

/** Services that a cold start restarted or tried to. */
export function restartedItems(services: readonly RestartedService[]): SurvivalItem[] {
  return services.map(({ name, command, ...outcome }) => item('service', name, { ...outcome, detail: command }))
}

function isSameProgram(before: ManifestProcess, later: ManifestProcess): boolean {
  return commandOf(later) === commandOf(before) && later.user === before.user
}

/** A process can run another program than before and still be the same process. */
function runsAsBefore(before: ManifestProcess, later: ManifestProcess): Outcome {
  if (before.executable !== later.executable && before.executable !== '' && later.executable !== '') {
    return { outcome: 'lost', because: because('process-other-program', { command: commandOf(later) }) }
  }
  if (before.name !== later.name && commandOf(before) !== commandOf(later)) {
    return { outcome: 'unchecked', because: because('process-renamed', { command: commandOf(later) }) }
  }
  return { outcome: 'kept' }
}

export function portItems(manifests: Manifests): SurvivalItem[] {
  const { before, after } = manifests
  const problem = unreadIn(manifests, { part: 'ports' })
  const startOf = (manifest: Manifest, pid: number | null) =>
    manifest.processes.find((process) => process.pid === pid)?.startTicks ?? ''
  return before.ports.map((port) => {
    const name = `${port.protocol} ${port.address}:${port.port}`
    const holders = after.ports.filter(
      (later) => later.protocol === port.protocol && later.address === port.address && later.port === port.port,
    )
    const same = holders.find(
      (later) =>
        later.pid !== null && later.pid === port.pid && startOf(after, later.pid) === startOf(before, port.pid),
    )
    if (same !== undefined) return item('port', name, { outcome: 'kept' })
    if (problem !== undefined) return item('port', name, { outcome: 'unchecked', because: problem })
    const [other] = holders
    if (other === undefined) return item('port', name, { outcome: 'lost', because: because('port-closed') })
    if (other.pid === null || port.pid === null) {
      return item('port', name, { outcome: 'unchecked', because: because('port-holder-unknown') })
    }
    const earlier = before.processes.find((process) => process.pid === port.pid)
    const later = after.processes.find((process) => process.pid === other.pid)
    const isSameCommand = earlier !== undefined && later !== undefined && commandOf(earlier) === commandOf(later)
    if (isSameCommand) return item('port', name, { outcome: 'restarted', because: because('port-restarted') })
    return item('port', name, { outcome: 'lost', because: because('port-taken', { pid: other.pid }) })
  })
}

/** A whole connection becomes half-closed only through its other side. */
const halfClosed = 'half-closed'

export function connectionItems(manifests: Manifests): SurvivalItem[] {
  const { before, after } = manifests
  const problem = unreadIn(manifests, { part: 'connections' })
  const left = [...after.connections]
  const found = before.connections.map((connection) => {
    const name = `${connection.kind} ${connection.local} – ${connection.remote}`
    const index = left.findIndex(
      ({ kind, local, remote, pid }) =>
        kind === connection.kind &&
        local === connection.local &&
        remote === connection.remote &&
        pid === connection.pid,
    )
    const [later] = index < 0 ? [] : left.splice(index, 1)
    if (later === undefined && problem !== undefined) {
      return item('connection', name, { outcome: 'unchecked', because: problem })
    }
    if (later === undefined) {
      const reason = connection.scope === 'outside' ? whyCut(manifests) : because('connection-closed')
      return item('connection', name, { outcome: 'lost', because: reason })
    }
    if (later.state === halfClosed && connection.state !== halfClosed) {
      return item('connection', name, { outcome: 'lost', because: because('connection-closed-by-peer') })
    }
    if (connection.scope === 'outside') {
      return item('connection', name, { outcome: 'unchecked', because: because('connection-peer-unknown') })
    }
    return item('connection', name, { outcome: 'kept' })
  })
  return withDoubtfulEnds(before.connections, found)
}

function whyCut(manifests: Manifests): Because {
  return spanOf(manifests) === 'pause' ? because('connection-dropped') : because('connection-new-address')
}

/** Which two ends of Unix sockets belong together is unknown: if one has closed, another one may lead nowhere. */
function withDoubtfulEnds(connections: Manifest['connections'], found: SurvivalItem[]): SurvivalItem[] {
  const isUnix = (index: number) => connections[index]?.kind === 'unix'
  if (!found.some(({ outcome }, index) => outcome === 'lost' && isUnix(index))) return found
  const reason = reasonIn(because('connection-unix-peer-unknown'))
  return found.map((one, index) =>
    one.outcome === 'kept' && isUnix(index) ? { ...one, outcome: 'unchecked', ...reason } : one,
  )
}

/** Names come from the sandbox: one such as `constructor` is not a property of every object here. */
function own(values: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined
}

export const shellSession = { code: 'shell-session', params: {} } as const

/** Directory and functions of the shell session, and its environment variables. */
export function shellItems(manifests: Manifests): SurvivalItem[] {
  const { before, after } = manifests
  const problem = unreadIn(manifests, { part: 'shell' })
  if (problem !== undefined) return [item('shell', shellSession, { outcome: 'unchecked', because: problem })]
  const gone = [
    ...before.shell.functions.filter((name) => !after.shell.functions.includes(name)).map((name) => `function ${name}`),
    ...Object.keys(before.shell.parts).filter((name) => own(after.shell.parts, name) === undefined),
  ]
  const others = Object.keys(before.shell.parts).filter(
    (name) => own(after.shell.parts, name) !== before.shell.parts[name],
  )
  const lost =
    before.shell.cwd !== after.shell.cwd
      ? because('directory-changed', { path: after.shell.cwd })
      : gone.length > 0
        ? because('parts-no-longer-set', { names: [...new Set(gone)].join(', ') })
        : others.length > 0
          ? because('parts-changed', { names: others.join(', ') })
          : undefined
  const session: Outcome = lost === undefined ? { outcome: 'kept' } : { outcome: 'lost', because: lost }
  return [item('shell', shellSession, { ...session, detail: before.shell.cwd }), ...environmentItems(manifests)]
}

function environmentItems({ before, after }: Manifests): SurvivalItem[] {
  const earlier = Object.entries(before.shell.environment)
  const shared = earlier.filter(([name]) => own(after.shell.environment, name) !== undefined)
  // If every value differs, also PATH and HOME, the two were hashed with different keys and cannot be compared.
  const isComparable = shared.length === 0 || shared.some(([name, hash]) => after.shell.environment[name] === hash)
  return earlier.map(([name, hash]) => {
    const later = own(after.shell.environment, name)
    if (later === undefined) return item('environment', name, { outcome: 'lost', because: because('no-longer-set') })
    if (!isComparable)
      return item('environment', name, { outcome: 'unchecked', because: because('value-not-compared') })
    if (later === hash) return item('environment', name, { outcome: 'kept' })
    return item('environment', name, { outcome: 'lost', because: because('value-changed') })
  })
}

export function packageItems(manifests: Manifests): SurvivalItem[] {
  const { before, after } = manifests
  const problem = unreadIn(manifests, { part: 'packages' })
  return (['python', 'apt', 'npm'] as const).flatMap((source) => {
    return Object.entries(before.packages[source]).map(([name, version]) => {
      const later = own(after.packages[source], name)
      const base = { detail: `${source} ${version}` }
      if (later === version) return item('package', name, { ...base, outcome: 'kept' })
      if (problem !== undefined) return item('package', name, { ...base, outcome: 'unchecked', because: problem })
      const reason = later === undefined ? because('package-removed') : because('package-changed', { version: later })
      return item('package', name, { ...base, outcome: 'lost', because: reason })
    })
  })
}

/** Files that exist only because a process holds them open. */
export function openFileItems(manifests: Manifests): SurvivalItem[] {
  const left = [...manifests.after.deletedOpenFiles]
  return manifests.before.deletedOpenFiles.map((file) => {
    const facts = { code: 'open-file', params: { bytes: file.bytes, pid: file.pid } } as const
    const index = left.findIndex(({ pid, path }) => pid === file.pid && path === file.path)
    const [later] = index < 0 ? [] : left.splice(index, 1)
    const problem = unreadIn(manifests, { part: 'open-files', pid: file.pid })
    if (later === undefined && problem !== undefined) {
      return item('open-file', file.path, { outcome: 'unchecked', because: problem, facts })
    }
    if (later === undefined) {
      return item('open-file', file.path, { outcome: 'lost', because: because('open-file-closed'), facts })
    }
    if (later.bytes < file.bytes) {
      const shorter = because('open-file-shorter', { bytes: later.bytes })
      return item('open-file', file.path, { outcome: 'lost', because: shorter, facts })
    }
    return item('open-file', file.path, { outcome: 'kept', facts })
  })
}

/** Files in memory, which the comparison of the disk does not cover. */
export function memoryFileItems(manifests: Manifests): SurvivalItem[] {
  const problem = unreadIn(manifests, { part: 'memory-files' })
  const later = new Map(manifests.after.memoryFiles.map((file) => [file.path, file]))
  return manifests.before.memoryFiles.map((file) => {
    const now = later.get(file.path)
    const facts = { code: 'memory-file', params: { bytes: file.bytes } } as const
    if (now === undefined && problem !== undefined) {
      return item('file', file.path, { outcome: 'unchecked', because: problem, facts })
    }
    if (now === undefined) return item('file', file.path, { outcome: 'lost', because: because('file-gone'), facts })
    if (now.bytes !== file.bytes || now.changedAt !== file.changedAt) {
      const changed = because('file-changed', { span: spanOf(manifests) })
      return item('file', file.path, { outcome: 'unchecked', because: changed, facts })
    }
    return item('file', file.path, { outcome: 'kept', facts })
  })
}
