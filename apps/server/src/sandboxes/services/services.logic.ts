import { posix } from 'node:path'
import type { SandboxState } from '@threadbox/domain'
import { services as guest } from '@threadbox/protocol/guest'
import type { Service, ServiceStatus, StartServiceRequest } from '@threadbox/protocol/public'
import type { RestartedService } from '../lifecycle/survival-items.logic.ts'
import { because } from '../lifecycle/survival-words.logic.ts'
import type { ServiceChange } from './services.store.ts'
import type { ServiceRow } from './services.table.ts'

/** The facts about a sandbox that decide the status of its services. */
export type SandboxFacts = { state: SandboxState; bootId: string | null; since: number }

const { ServiceState, ServiceProblem } = guest
const home = '/home/user'
/** Limit of a thread’s stored services, running or not: each of them can be restarted by name. */
const maxStored = 100

/** True if the service should run: a cold start restarts it. */
export function isWanted(row: Pick<ServiceRow, 'state'>): boolean {
  return row.state === 'starting' || row.state === 'running'
}

/** True if the service should run and this boot has not started it. */
export function isMissingIn(row: Pick<ServiceRow, 'state' | 'boot_id'>, bootId: string): boolean {
  return isWanted(row) && row.boot_id !== bootId
}

/** Outcome of a service that a boot was to restart, for the report of its wake. */
export function restartOutcome(row: ServiceRow, bootId: string): Pick<RestartedService, 'outcome' | 'because'> {
  const problem = row.problem_json === null ? undefined : (JSON.parse(row.problem_json) as Problem)
  if (problem !== undefined) return { outcome: 'lost', because: because('service-failed', { detail: problem.message }) }
  if (row.boot_id !== bootId) return { outcome: 'unchecked', because: because('service-waiting') }
  if (row.state === 'running') return { outcome: 'restarted', because: because('service-responds') }
  return { outcome: 'restarted', because: because('service-silent') }
}

/** The status on screen: the state of the process as far as the sandbox lets it run. */
export function statusOf(
  row: Pick<ServiceRow, 'state' | 'boot_id' | 'since'>,
  sandbox: SandboxFacts | undefined,
): { status: ServiceStatus; since: number } {
  if (!isWanted(row)) return { status: row.state, since: row.since }
  if (sandbox === undefined) return { status: 'stopped', since: row.since }
  const since = Math.max(row.since, sandbox.since)
  const isOfBoot = row.boot_id === sandbox.bootId
  switch (sandbox.state) {
    case 'active':
      return isOfBoot ? { status: row.state, since: row.since } : { status: 'starting', since }
    case 'starting':
      return { status: 'starting', since }
    case 'pausing':
    case 'paused':
    case 'waking':
      return { status: isOfBoot ? 'suspended' : 'stopped', since }
    default:
      return { status: 'stopped', since }
  }
}

/** The services that have to be removed before one can start, or the limit that prevents its start. */
export function planStart(
  rows: readonly Pick<ServiceRow, 'name' | 'port' | 'state'>[],
  request: Pick<StartServiceRequest, 'name' | 'port'>,
  max: number,
): { replaced: string[] } | { max: number } {
  const others = rows.filter(({ name }) => name !== request.name)
  if (max === 1) return { replaced: others.map(({ name }) => name) }
  const replaced = others.filter(({ port }) => port === request.port)
  const left = others.filter(({ port }) => port !== request.port)
  if (left.filter(isWanted).length >= max) return { max }
  if (left.length >= maxStored) return { max: maxStored }
  return { replaced: replaced.map(({ name }) => name) }
}

/** A directory as the guest expects it: relative ones begin at home. */
export function directoryOf(cwd: string | undefined): string {
  if (cwd === undefined || cwd === '~') return home
  return posix.resolve(home, cwd.startsWith('~/') ? cwd.slice(2) : cwd)
}

type Problem = NonNullable<Service['problem']>

const problemCodes: Record<number, Problem['code']> = {
  [ServiceProblem.EXITED]: 'exited',
  [ServiceProblem.NOT_READY]: 'not-ready',
  [ServiceProblem.PORT_TAKEN]: 'port-taken',
  [ServiceProblem.NOT_STARTED]: 'not-started',
  [ServiceProblem.NOT_ANSWERING]: 'not-answering',
}
const states: Record<number, ServiceRow['state']> = {
  [ServiceState.STARTING]: 'starting',
  [ServiceState.RUNNING]: 'running',
  [ServiceState.STOPPED]: 'stopped',
  [ServiceState.FAILED]: 'error',
}
/** Limits of what a guest reports, which is unverified input. */
const maxMessageCharacters = 1000
const maxLastLinesBytes = 2048

/** The guest’s report of a service as columns of its row. Undefined for a state that this server does not know. */
export function stateFromGuest(info: guest.ServiceInfo): Pick<ServiceRow, 'state' | 'problem_json'> | undefined {
  const state = states[info.state]
  if (state === undefined) return undefined
  if (state !== 'error') return { state, problem_json: null }
  const code = problemCodes[info.problem] ?? 'lost'
  const problem: Problem = {
    code,
    exitCode: code === 'exited' && info.signal === '' ? info.exitCode : null,
    message: plain(info.message).slice(0, maxMessageCharacters),
    lastLines: plain(Buffer.from(info.lastLines).subarray(-maxLastLinesBytes).toString('utf8')),
  }
  return { state, problem_json: JSON.stringify(problem) }
}

/** Neither the database nor a page can hold a NUL. Half a character at the cut is removed. */
function plain(text: string): string {
  return text.replaceAll('\0', '').replace(/^\uFFFD+/, '')
}

/** The change of a row for this report of the guest; undefined if the row has it already. */
export function changeFromGuest(
  row: ServiceRow,
  seen: { info: guest.ServiceInfo | undefined; wasKnown: boolean; bootId: string; now: number },
): ServiceChange | undefined {
  if (seen.info === undefined) {
    // A service that the guest has never reported may be a start that it reports next.
    if (!seen.wasKnown || row.boot_id !== seen.bootId || !isWanted(row)) return undefined
    return { state: 'error', since: seen.now, problem_json: JSON.stringify(lostProblem) }
  }
  // A stop ends a start: a late report of that start has nothing new.
  if (row.state === 'stopped' && row.boot_id === seen.bootId) return undefined
  const found = stateFromGuest(seen.info)
  if (found === undefined) return undefined
  const isSame = found.state === row.state && found.problem_json === row.problem_json
  if (isSame && row.boot_id === seen.bootId) return undefined
  return { ...found, boot_id: seen.bootId, ...(found.state === row.state ? {} : { since: seen.now }) }
}

const lostProblem: Problem = {
  code: 'lost',
  exitCode: null,
  message: 'The sandbox no longer has this service.',
  lastLines: '',
}

/** A start that the guest rejected as a whole. */
export function notStarted(message: string): Pick<ServiceRow, 'state' | 'problem_json'> {
  const problem: Problem = { code: 'not-started', exitCode: null, message: plain(message), lastLines: '' }
  return { state: 'error', problem_json: JSON.stringify(problem) }
}
