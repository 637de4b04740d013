import { Code, ConnectError } from '@connectrpc/connect'
import { type ChangeWaits, type KeyedLock, makeChangeWaits, makeKeyedLock } from '@threadbox/concurrency'
import { isErrorOf } from '@threadbox/errors'
import { guestPorts } from '@threadbox/protocol/guest'
import type {
  OpenPort,
  Service,
  ServiceLogs,
  ServicesView,
  StartServiceRequest,
  UserEvent,
} from '@threadbox/protocol/public'
import type { Logger } from '@threadbox/telemetry'
import type { System } from '../../platform/system/system.ts'
import type { ReachableSandbox } from '../state/awake-sandbox.ts'
import { sandboxNotAwake } from '../state/sandboxes.errors.ts'
import {
  serviceLimitReached,
  serviceNotFound,
  serviceRefused,
  serviceUnanswered,
  serviceUnsupported,
} from './services.errors.ts'
import { changeFromGuest, directoryOf, notStarted, planStart, type SandboxFacts } from './services.logic.ts'
import { presentService } from './services.presenter.ts'
import type { ServiceStore } from './services.store.ts'
import type { ServiceRow } from './services.table.ts'

/** The services of threads: what should run, and what does. */
export type Services = {
  list(threadId: string): Promise<ServicesView>
  /** Throws `service.not-found`. */
  get(threadId: string, name: string): Promise<Service>
  /**
   * Wakes the sandbox and starts the service; one of the same name or on the same port is replaced. Resolves when its
   * process runs. A repeated key is the same start. Throws `service.refused`.
   */
  start(threadId: string, request: StartServiceRequest, options?: StartOptions): Promise<Service>
  /** Starts it again from its stored definition. Throws `service.not-found`. */
  restart(threadId: string, name: string, options?: StartOptions): Promise<Service>
  /** Throws `service.not-found`. A suspended service is woken to be stopped; a cold sandbox stays cold. */
  stop(threadId: string, name: string): Promise<Service>
  remove(threadId: string, name: string): Promise<void>
  /**
   * Gives a thread whose sandbox is a copy of this one’s the same services: running ones keep running or restart there.
   */
  copyTo(threadId: string, copyThreadId: string): Promise<void>
  /** Throws `service.not-found`, and `sandbox.not-awake`: reading wakes nothing. */
  logs(threadId: string, name: string, options: { before?: number | undefined }): Promise<ServiceLogs>
  /** Resolves when the service is no longer starting, with any outcome. */
  settled(threadId: string, name: string, signal?: AbortSignal): Promise<Service>
}

export type StartOptions = { key?: string; signal?: AbortSignal }

export type ServiceDependencies = {
  store: ServiceStore
  awake(threadId: string, signal: AbortSignal | undefined): Promise<ReachableSandbox>
  ifAwake(threadId: string): Promise<ReachableSandbox | undefined>
  sandboxOf(threadId: string): Promise<SandboxFacts | undefined>
  /** Who can see the thread. */
  readersOf(threadId: string): Promise<string[]>
  publish(userId: string, event: UserEvent): void
  /** How many services of the thread can run at the same time. */
  maxServices(threadId: string): Promise<number>
  system: System
  logger: Logger
}

/** Shared by the parts of this feature. */
export type SharedServiceDependencies = ServiceDependencies & {
  changes: ChangeWaits
  inOrder: KeyedLock
  /** Ports of ordinary commands, as last reported by the guest of an awake sandbox. */
  openPorts: Map<string, OpenPort[]>
  /** Notifies pages and waiters; silent for a thread without anything to show. */
  changed(threadId: string): Promise<void>
}

const defaultReadyTimeoutMs = 60_000
/** Added to the service’s own timeout: the guest’s report has to arrive. */
const settleExtraMs = 15_000
const logBytes = 64 * 1024

export function makeServiceParts(dependencies: ServiceDependencies): SharedServiceDependencies {
  const changes = makeChangeWaits()
  const openPorts = new Map<string, OpenPort[]>()
  const parts: SharedServiceDependencies = {
    ...dependencies,
    changes,
    openPorts,
    inOrder: makeKeyedLock(),
    changed: async (threadId) => {
      changes.notify(threadId)
      const readers = await dependencies.readersOf(threadId)
      if (readers.length === 0) return
      const services = await viewOf(parts, threadId)
      for (const userId of readers) dependencies.publish(userId, { type: 'services-updated', threadId, services })
    },
  }
  return parts
}

export function makeServices(parts: SharedServiceDependencies): Services {
  const { store, system } = parts
  const find = async (threadId: string, name: string) => {
    const row = await store.find(threadId, name)
    if (row === undefined) throw serviceNotFound({})
    return row
  }
  const present = async (row: ServiceRow) => presentService(row, await parts.sandboxOf(row.thread_id))
  const start: Services['start'] = (threadId, request, options = {}) =>
    parts.inOrder(threadId, async () => {
      const { name, port } = request
      if (guestPorts.includes(port)) {
        throw serviceRefused({ name, problem: `port ${port} is reserved by the sandbox.` })
      }
      const key = options.key ?? system.newId('call')
      const known = await store.find(threadId, request.name)
      if (known?.key === key) return await present(known)
      const row = newRow(threadId, request, { key, now: system.now() })
      return await present(await startNew(parts, row, options.signal))
    })
  return {
    list: (threadId) => viewOf(parts, threadId),
    get: async (threadId, name) => present(await find(threadId, name)),
    start,
    restart: async (threadId, name, options) => start(threadId, requestOf(await find(threadId, name)), options),
    stop: (threadId, name) =>
      parts.inOrder(threadId, async () => {
        const row = await find(threadId, name)
        await stopProcess(parts, row)
        await store.change(row, { state: 'stopped', since: system.now(), problem_json: null })
        await parts.changed(threadId)
        return await present(await find(threadId, name))
      }),
    remove: (threadId, name) =>
      parts.inOrder(threadId, async () => {
        const row = await find(threadId, name)
        await stopProcess(parts, row)
        await removeLog(parts, row)
        await store.remove(threadId, name)
        await parts.changed(threadId)
      }),
    copyTo: (threadId, copyThreadId) => copyRows(parts, { threadId, copyThreadId }),
    logs: async (threadId, name, { before }) => {
      await find(threadId, name)
      const sandbox = await parts.ifAwake(threadId)
      if (sandbox === undefined) throw sandboxNotAwake({ state: (await parts.sandboxOf(threadId))?.state ?? 'fresh' })
      return await readLogs(sandbox, { name, before })
    },
    settled: async (threadId, name, signal) => {
      const { key, ready_timeout_ms } = await find(threadId, name)
      const limit = { timeoutMs: ready_timeout_ms + settleExtraMs, ...(signal === undefined ? {} : { signal }) }
      const readSettled = async () => {
        const row = await find(threadId, name)
        return row.key === key && row.state === 'starting' ? undefined : row
      }
      return await present((await parts.changes.until(threadId, readSettled, limit)) ?? (await find(threadId, name)))
    },
  }
}

/** Keeps the key, by which the guest of the copy knows its processes. */
async function copyRows(
  { store, sandboxOf }: SharedServiceDependencies,
  { threadId, copyThreadId }: { threadId: string; copyThreadId: string },
): Promise<void> {
  const [source, copy] = await Promise.all([sandboxOf(threadId), sandboxOf(copyThreadId)])
  for (const { position: _, ...row } of await store.list(threadId)) {
    const bootId = row.boot_id !== null && row.boot_id === source?.bootId ? (copy?.bootId ?? null) : null
    await store.put({ ...row, thread_id: copyThreadId, boot_id: bootId })
  }
}

async function viewOf(parts: SharedServiceDependencies, threadId: string): Promise<ServicesView> {
  const sandbox = await parts.sandboxOf(threadId)
  const rows = await parts.store.list(threadId)
  const openPorts = sandbox?.state === 'active' ? (parts.openPorts.get(threadId) ?? []) : []
  return { services: rows.map((row) => presentService(row, sandbox)), openPorts }
}

function newRow(
  threadId: string,
  request: StartServiceRequest,
  { key, now }: { key: string; now: number },
): Omit<ServiceRow, 'position'> {
  const { name, command, port, cwd, environment, readyTimeoutSeconds } = request
  return {
    thread_id: threadId,
    name,
    command,
    port,
    cwd: directoryOf(cwd),
    key,
    boot_id: null,
    environment_json: JSON.stringify(environment ?? {}),
    ready_timeout_ms: readyTimeoutSeconds === undefined ? defaultReadyTimeoutMs : readyTimeoutSeconds * 1000,
    state: 'starting',
    since: now,
    problem_json: null,
  }
}

function requestOf(row: ServiceRow): StartServiceRequest {
  const { name, command, port, cwd } = row
  const environment = JSON.parse(row.environment_json) as Record<string, string>
  return { name, command, port, cwd, environment, readyTimeoutSeconds: Math.ceil(row.ready_timeout_ms / 1000) }
}

/** Stored before the guest is asked: a start that a crash cut off is repeated when the sandbox is next checked. */
async function startNew(
  parts: SharedServiceDependencies,
  row: Omit<ServiceRow, 'position'>,
  signal: AbortSignal | undefined,
): Promise<ServiceRow> {
  const { store } = parts
  const threadId = row.thread_id
  const plan = planStart(await store.list(threadId), row, await parts.maxServices(threadId))
  if ('max' in plan) throw serviceLimitReached(plan)
  const sandbox = await parts.awake(threadId, signal)
  for (const name of plan.replaced) {
    await answered(name, sandbox.services.removeService({ name }, answerWithin))
    await store.remove(threadId, name)
  }
  const placed = await store.put({ ...row, since: parts.system.now() })
  await parts.changed(threadId)
  return await startInBoot(parts, placed, sandbox)
}

/** Asks the guest to start the row’s service, and stores its response. */
export async function startInBoot(
  parts: SharedServiceDependencies,
  row: ServiceRow,
  sandbox: Pick<ReachableSandbox, 'bootId' | 'services'>,
): Promise<ServiceRow> {
  const { name, key, command, port, cwd } = row
  const { bootId } = sandbox
  const envs = JSON.parse(row.environment_json) as Record<string, string>
  const write = async (change: Parameters<ServiceStore['change']>[1]) => {
    await parts.store.change(row, change)
    await parts.changed(row.thread_id)
    return { ...row, ...change }
  }
  try {
    const request = { name, key, command, port, cwd, envs, readyTimeoutMs: row.ready_timeout_ms }
    const { service } = await answered(name, sandbox.services.startService(request, answerWithin))
    const now = parts.system.now()
    return await write(changeFromGuest(row, { info: service, wasKnown: false, bootId, now }) ?? { boot_id: bootId })
  } catch (error) {
    const isFinal = isErrorOf(serviceRefused, error) || isErrorOf(serviceUnsupported, error)
    if (isFinal) {
      await write({ ...notStarted(error.message), boot_id: bootId, since: parts.system.now() })
    }
    throw error
  }
}

/**
 * Only a service of the current boot has a process. A paused sandbox is woken for the stop, a cold one has no process.
 */
async function stopProcess(parts: SharedServiceDependencies, row: ServiceRow): Promise<void> {
  const sandbox = await parts.sandboxOf(row.thread_id)
  if (row.boot_id === null || sandbox?.bootId !== row.boot_id) return
  const awake = await parts.awake(row.thread_id, undefined)
  // Its memory may have been lost during the wake, and the process with it.
  if (awake.bootId === row.boot_id)
    await answered(row.name, awake.services.stopService({ name: row.name }, answerWithin))
}

async function removeLog(parts: SharedServiceDependencies, row: ServiceRow): Promise<void> {
  const sandbox = await parts.ifAwake(row.thread_id)
  if (sandbox !== undefined) await answered(row.name, sandbox.services.removeService({ name: row.name }, answerWithin))
}

async function readLogs(
  sandbox: ReachableSandbox,
  { name, before }: { name: string; before: number | undefined },
): Promise<ServiceLogs> {
  try {
    const part = await sandbox.services.readServiceLog({ name, before: BigInt(before ?? 0), limit: logBytes })
    return {
      text: Buffer.from(part.data).toString('utf8'),
      offset: Number(part.offset),
      sizeBytes: Number(part.size),
      droppedBytes: Number(part.dropped),
    }
  } catch (error) {
    const isEmpty = error instanceof ConnectError && error.code === Code.NotFound
    if (isEmpty) return { text: '', offset: 0, sizeBytes: 0, droppedBytes: 0 }
    throw problemOf(name, error)
  }
}

/** A guest responds immediately; the thread’s other services wait for it. */
const answerWithin = { timeoutMs: 30_000 }

async function answered<Answer>(name: string, call: Promise<Answer>): Promise<Answer> {
  try {
    return await call
  } catch (error) {
    throw problemOf(name, error)
  }
}

function problemOf(name: string, error: unknown): unknown {
  if (!(error instanceof ConnectError)) return error
  if (error.code === Code.InvalidArgument)
    return serviceRefused({ name, problem: error.rawMessage.slice(0, 500) }, { cause: error })
  if (error.code === Code.Unimplemented) return serviceUnsupported({}, { cause: error })
  return serviceUnanswered({ name }, { cause: error })
}
