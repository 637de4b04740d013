import { setTimeout as delay } from 'node:timers/promises'
import { waitAtMost } from '@threadbox/concurrency'
import { services } from '@threadbox/protocol/guest'
import { type AwakeTimer, afterAwake } from '../ground/awake-time.ts'
import type { LaunchedProcess, ProcessExit } from '../launch/launcher.ts'
import { readPipe } from '../launch/pipe-reader.ts'
import { killFamily, membersOf, type ProcessFamily, sendSignal } from '../processes/process-family.ts'
import { commandLine } from '../processes/process-table.ts'
import type { Terminations } from '../watchdog/terminations.ts'
import { answers } from './answering.ts'
import { holderOf, listListeners, reachableAddress } from './listeners.ts'
import type { ServiceLog } from './service-log.ts'

const { ServiceState, ServiceProblem } = services

export type ServiceStart = { key: string; name: string; command: string; port: number; readyTimeoutMs: number }

/** The current state of a service. */
export type ServiceStatus = {
  state: services.ServiceState
  problem: services.ServiceProblem
  exitCode: number
  signal: string
  message: string
}

/** A started service, from its start until it is removed. */
export type Service = {
  readonly start: ServiceStart
  readonly pid: number
  readonly status: ServiceStatus
  readonly log: ServiceLog
  /** Its living processes. */
  members(): number[]
  /** Ends all of its processes. Resolves when none is left. */
  stop(): Promise<void>
}

/** Servers that close their connections and write their files do it within a few seconds. */
const graceMs = 5_000
const pollMs = 100
/** A starting service is checked often; one that is late, or whose first process has ended, rarely. */
const startingCheckMs = 100
const lateCheckMs = 1_000
/**
 * Interval of checks of a running service's port, about a millisecond of processor time each, and the number of checks
 * in a row that must find no listener: development servers leave their port for seconds when they restart themselves.
 */
const runningCheckMs = 5_000
const absentLooks = 3
/** What is in the pipe when the first process ends is the service's. */
const drainLimitBytes = 1024 * 1024

export const fine = { problem: ServiceProblem.UNSPECIFIED, exitCode: 0, signal: '', message: '' }

/** Follows a launched service: its output, whether its port responds, and its end. Calls `onChange` at each change. */
export function followService(options: {
  start: ServiceStart
  launched: LaunchedProcess
  mark: string
  log: ServiceLog
  takeTermination: Terminations['take']
  onChange(): void
}): Service {
  const { start, launched, log } = options
  const family: ProcessFamily = { root: launched.pid, mark: options.mark }
  const over = new AbortController()
  const startedAt = performance.now()
  let status: ServiceStatus = { state: ServiceState.STARTING, ...fine }
  let stopping: Promise<void> | undefined
  const change = (next: ServiceStatus) => {
    status = next
    options.onChange()
  }
  const members = () => membersOf(family).map(({ pid }) => pid)
  const reader = readPipe({ descriptor: launched.stdout, onData: log.append, onEnd: () => undefined })
  const late = startDeadline({ start, members, status: () => status, change })

  const end = async (exit: ProcessExit) => {
    // A program that went to the background keeps running without the process that started it.
    while (members().length > 0) await delay(lateCheckMs)
    over.abort()
    late.cancel()
    reader.drain(drainLimitBytes)
    reader.close()
    log.close()
    if (stopping === undefined) change(exited(exit, options.takeTermination(family, startedAt)?.message))
  }
  const ended = launched.exit.then(end)
  void watchPort({ start, members, signal: over.signal, status: () => status, change })
  const stop = async () => {
    const before = members()
    for (const pid of before) sendSignal(pid, 'SIGTERM')
    // A stopped process would not get SIGTERM before it continues.
    for (const pid of before) sendSignal(pid, 'SIGCONT')
    const deadline = performance.now() + graceMs
    while (members().length > 0 && performance.now() < deadline) await delay(pollMs)
    await killFamily(family)
    // A process that waits in the kernel cannot be ended, and must not block the caller.
    await waitAtMost(graceMs, { work: ended })
    change({ state: ServiceState.STOPPED, ...fine })
  }
  return {
    start,
    pid: launched.pid,
    get status() {
      return status
    },
    log,
    members,
    stop: () => {
      if (over.signal.aborted && stopping === undefined) {
        change({ state: ServiceState.STOPPED, ...fine })
        return Promise.resolve()
      }
      stopping ??= stop()
      return stopping
    },
  }
}

type Watched = {
  start: ServiceStart
  members(): number[]
  status(): ServiceStatus
  change(next: ServiceStatus): void
}

/** Time that the sandbox sleeps does not count. */
function startDeadline({ start, members, status, change }: Watched): AwakeTimer {
  return afterAwake(start.readyTimeoutMs, () => {
    if (status().state !== ServiceState.STARTING) return
    change({
      ...fine,
      state: ServiceState.FAILED,
      problem: ServiceProblem.NOT_READY,
      message: `Nothing answered on port ${start.port} within ${start.readyTimeoutMs / 1000} s.${elsewhere(members(), start.port)}`,
    })
  })
}

/** A frequent mistake with a known fix. */
function elsewhere(pids: number[], port: number): string {
  const ports = listListeners()
    .filter(({ inode }) => holderOf(inode, pids) !== undefined)
    .map((listener) => listener.port)
  if (ports.includes(port)) return ' Its program listens there but doesn’t accept connections.'
  const other = [...new Set(ports)]
  return other.length === 0 ? '' : ` Its program listens on port ${other.join(', ')} instead.`
}

/** Checks the port as long as the service lives, until another process is found to have it. */
async function watchPort(watched: Watched & { signal: AbortSignal }): Promise<void> {
  const { start, signal, status, change } = watched
  let absent = 0
  let foreign: string | undefined
  while (!signal.aborted && isFollowed(status())) {
    if (status().state === ServiceState.RUNNING) {
      absent = listListeners().some(({ port }) => port === start.port) ? 0 : absent + 1
      if (absent >= absentLooks) change(notAnswering(start.port, watched.members()))
    } else {
      absent = 0
      const found = findListener(start.port, watched.members)
      const isTaken = found?.owner === 'other' && found.inode === foreign
      if (isTaken && status().state === ServiceState.STARTING) return change(portTaken(start.port))
      foreign = found?.owner === 'other' ? found.inode : undefined
      const isReady = found?.owner === 'own' && (await answers({ address: found.address, port: start.port }, signal))
      if (isReady && !signal.aborted && isFollowed(status())) change({ state: ServiceState.RUNNING, ...fine })
    }
    await delay(checkMsOf(status().state), undefined, { signal }).catch(() => undefined)
  }
}

/** Tells whether its port can still change its status. */
function isFollowed({ state, problem }: ServiceStatus): boolean {
  if (state === ServiceState.STARTING || state === ServiceState.RUNNING) return true
  return problem === ServiceProblem.NOT_READY || problem === ServiceProblem.NOT_ANSWERING
}

function checkMsOf(state: services.ServiceState): number {
  if (state === ServiceState.STARTING) return startingCheckMs
  return state === ServiceState.RUNNING ? runningCheckMs : lateCheckMs
}

function notAnswering(port: number, pids: number[]): ServiceStatus {
  const message = `Nothing is listening on port ${port} anymore. The process is still running.${elsewhere(pids, port)}`
  return { ...fine, state: ServiceState.FAILED, problem: ServiceProblem.NOT_ANSWERING, message }
}

/**
 * Finds the listener of a port. `other` is certain only if the same socket is found twice: programs try a port and
 * close it immediately (Vite does at its start), so its socket can be gone, or its process not marked yet, when the
 * holder is searched.
 */
function findListener(
  port: number,
  members: () => number[],
): { owner: 'own'; address: string } | { owner: 'other'; inode: string } | undefined {
  // A socket that is being closed no longer has an inode.
  const listeners = listListeners().filter((listener) => listener.port === port && listener.inode !== '0')
  const [first] = listeners
  if (first === undefined) return undefined
  const pids = members()
  const own = listeners.find(({ inode }) => holderOf(inode, pids) !== undefined)
  return own === undefined
    ? { owner: 'other', inode: first.inode }
    : { owner: 'own', address: reachableAddress(own.address) }
}

/** Names the process that has a port that a service wants, as far as that can be seen. */
export function portTaken(port: number, holder?: number): ServiceStatus {
  const by = holder === undefined ? 'Another program' : `Process ${holder} (${commandLine(holder).slice(0, 200)})`
  const message = `${by} is already listening on port ${port}.`
  return { ...fine, state: ServiceState.FAILED, problem: ServiceProblem.PORT_TAKEN, message }
}

/** `terminationText` says which limit of the sandbox it was ended for. */
function exited(exit: ProcessExit, terminationText: string | undefined): ServiceStatus {
  const base = { ...fine, state: ServiceState.FAILED, problem: ServiceProblem.EXITED }
  if (exit.signal !== null) {
    return {
      ...base,
      exitCode: -1,
      signal: exit.signal,
      message: terminationText ?? `It was terminated by ${exit.signal}.`,
    }
  }
  const exitCode = exit.code ?? -1
  return { ...base, exitCode, message: terminationText ?? `It exited with code ${exitCode}.` }
}
