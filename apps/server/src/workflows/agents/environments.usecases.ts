import { Readable } from 'node:stream'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import type { SandboxLimits } from '@threadbox/domain'
import type { RescueReport } from '@threadbox/protocol/guest'
import type { CaptureEnvironment, Environment, SaveEnvironment } from '@threadbox/protocol/public'
import type { Operations } from '../../platform/operations/operations.ts'
import type { System } from '../../platform/system/system.ts'
import {
  type HostClient,
  type KeptService,
  limitColumns,
  type Sandbox,
  type SandboxReads,
  type ServiceRow,
} from '../../sandboxes/public.ts'
import type { ThreadRow } from '../../threads/public.ts'
import type { Snapshots, Turns } from '../../turns/public.ts'
import { forkTurnRunning } from '../forks/forks.errors.ts'
import { environmentEmpty, environmentNotFound } from './agents.errors.ts'
import {
  type CaptureDependencies,
  type CapturedSandbox,
  copySandbox,
  finishCapture,
  sealStoredSecrets,
} from './capture.ts'
import type { EnvironmentStore } from './environments.store.ts'
import type { EnvironmentRow } from './environments.table.ts'

/** Deletes an environment that no agent version uses. */
export const eraseEnvironmentOperation = 'erase-environment'

/** How long an unsaved environment is kept. */
const draftMs = 60 * 60_000
/**
 * The longest time that an upload may take. If the server stops during it, the environment is deleted at the next
 * start.
 */
const receivingMs = 24 * 60 * 60_000

/** Copies of threads’ sandboxes. Agents use them, and threads are started from them. */
export type Environments = {
  /**
   * Copies the sandbox of a thread, which keeps running unharmed. The caller has checked that the user may access the
   * thread. Throws `environment.empty` if the thread has no sandbox content yet and `fork.turn-running` during a turn.
   */
  capture(thread: ThreadRow, request?: CaptureEnvironment): Promise<Environment>
  /** The methods below throw `environment.not-found`, also for another user’s environment. */
  get(userId: string, environmentId: string): Promise<Environment>
  /** Discards an unsaved environment. */
  discard(userId: string, environmentId: string): Promise<Environment>
  /**
   * Creates an environment from a file; it is kept for an hour unless an agent saves it. Keeps nothing if it throws.
   */
  receive(userId: string, file: EnvironmentInFile): Promise<EnvironmentRow>
  /** Returns the difference between its disk and its base image, without the secrets that this installation stores. */
  send(row: EnvironmentRow): Promise<Readable>
  /** Prepares an environment for saving: overwrites the findings that the user selected. */
  prepare(userId: string, wanted: SaveEnvironment): Promise<EnvironmentRow>
  /** Marks the environment as used by an agent version. */
  keep(environmentId: string): Promise<void>
  /** Sets what a person accepted of an imported environment; everything else is removed. Repeating it is the same. */
  accept(environmentId: string, accepted: AcceptedContent): Promise<void>
  /** Deletes environments that no version and no draft uses. Called after those were removed. */
  sweep(): Promise<void>
  /** Called at start: deletes environments that no version uses and copies that an earlier server did not complete. */
  recover(): Promise<void>
  sandboxIds(): Promise<string[]>
}

type ThreadOfEnvironment = {
  /** The stored services in start order. */
  servicesOf(threadId: string): Promise<ServiceRow[]>
  /** Whether the sender of the request reaches the workspace of the thread. */
  isReached(userId: string, threadId: string): Promise<boolean>
}

export type EnvironmentsDependencies = CaptureDependencies & {
  store: EnvironmentStore
  host: HostClient
  operations: Operations
  snapshots: Pick<Snapshots, 'settled'>
  turns: Pick<Turns, 'whileQuiet'>
  sandboxes: SandboxReads
  /** The limits of a sandbox here unless other limits are set. */
  defaultLimits: () => Promise<SandboxLimits>
  thread: ThreadOfEnvironment
  system: System
}

/** Without `hasVariables`, saved variables are removed from the disk too. */
export type AcceptedContent = { services: readonly KeptService[]; rescue: RescueReport | null; hasVariables: boolean }

/** The disk in an imported file, and what the file says about it. It gets no services and no saved variables. */
export type EnvironmentInFile = {
  imageId: string
  content: EnvironmentContent
  bytes: Readable
}

export function makeEnvironments(dependencies: EnvironmentsDependencies): Environments {
  const { store, operations, host, system } = dependencies
  const plan = (subjectId: string, dueAt: number) =>
    operations.plan({ kind: eraseEnvironmentOperation, subjectId, dueAt })
  operations.register(eraseEnvironmentOperation, async ({ subjectId }) => {
    const row = await store.find(subjectId)
    if (row === undefined) return
    // Saved, but the server stopped before it withdrew the removal, or saved again before this operation began.
    if (await store.isUsed(subjectId)) return await store.update(subjectId, { state: 'kept' })
    await host.delete(row.sandbox_id)
    await store.remove(subjectId)
  })
  const find = async (userId: string, environmentId: string) => {
    const row = await store.find(environmentId)
    if (row === undefined || row.owner_id !== userId || row.state === 'making') throw environmentNotFound({})
    if (!(await dependencies.thread.isReached(userId, row.thread_id))) throw environmentNotFound({})
    return row
  }
  const sweep = async () => {
    for (const id of await store.unusedIds()) await plan(id, system.now())
  }
  return {
    capture: async (thread, { keepMemory = false } = {}) => {
      return presentEnvironment(await capture(dependencies, { thread, plan, includesMemory: keepMemory }))
    },
    get: async (userId, environmentId) => presentEnvironment(await find(userId, environmentId)),
    discard: async (userId, environmentId) => {
      const row = await find(userId, environmentId)
      if (row.state === 'kept') throw environmentNotFound({})
      await store.update(environmentId, { state: 'making' })
      await plan(environmentId, system.now())
      return presentEnvironment(row)
    },
    receive: (userId, file) => receive(dependencies, { userId, file, plan }),
    send: async (row) => {
      // Secrets may have been stored since the capture; memory that contains one of them is discarded.
      const { memory } = await redactSelected(dependencies, { row, redact: [] })
      const content = environmentContentOf(row)
      if (content.memory?.kept && !memory?.kept) {
        await store.update(row.id, { content_json: JSON.stringify({ ...content, memory }) })
      }
      return Readable.fromWeb((await host.sendDisk(row.sandbox_id)) as NodeReadableStream<Uint8Array>)
    },
    prepare: async (userId, { id, redact = [] }) => {
      const row = await find(userId, id)
      if (row.state !== 'kept' && system.now() >= row.created_at + draftMs) throw environmentNotFound({})
      // Nothing may delete it while it is being saved.
      if (row.state !== 'kept') await plan(id, system.now() + draftMs)
      if (redact.length === 0) return row
      const content = environmentContentOf(row)
      const redone = await redactSelected(dependencies, { row, redact })
      const { redacted, findings, furtherFindings } = redone.cleaned
      const cleaned = { ...content.cleaned, findings, furtherFindings }
      cleaned.redacted = [...content.cleaned.redacted, ...redacted]
      const content_json = JSON.stringify({ ...content, cleaned, memory: redone.memory } satisfies EnvironmentContent)
      await store.update(id, { content_json })
      return { ...row, content_json }
    },
    keep: async (environmentId) => {
      await store.update(environmentId, { state: 'kept' })
      await operations.withdraw(eraseEnvironmentOperation, environmentId)
    },
    accept: async (environmentId, { services, rescue, hasVariables }) => {
      const row = await store.find(environmentId)
      if (row === undefined) throw environmentNotFound({})
      if (!hasVariables) {
        const sealedSecrets = await sealStoredSecrets(dependencies)
        await host.clean(row.sandbox_id, { sealedSecrets, withoutState: true })
      }
      const rescue_json = rescue === null || !hasVariables ? null : JSON.stringify(rescue)
      await store.update(environmentId, { services_json: JSON.stringify(services), rescue_json })
    },
    sweep,
    recover: async () => {
      const all = await store.all()
      for (const { id } of all.filter(({ state }) => state === 'making')) await plan(id, system.now())
      await sweep()
    },
    sandboxIds: async () => (await store.all()).map(({ sandbox_id }) => sandbox_id),
  }
}

type Plan = (id: string, dueAt: number) => Promise<void>

/** The thread is blocked only until the copy exists, not while the copy is cleaned and saved. */
async function capture(
  dependencies: EnvironmentsDependencies,
  { thread, plan, includesMemory }: { thread: ThreadRow; plan: Plan; includesMemory: boolean },
): Promise<EnvironmentRow> {
  const { store, system } = dependencies
  const begun = await dependencies.turns.whileQuiet(thread.id, {
    work: () => begin(dependencies, { thread, plan }),
    refusal: () => forkTurnRunning({}),
  })
  const { row } = begun
  try {
    const captured = await finishCapture(dependencies, { copy: begun.copy, includesMemory })
    const rescue_json = captured.rescue === null ? begun.earlierRescue : JSON.stringify(captured.rescue)
    const { memoryProblem, cleaned, diskBytes, memory } = captured
    const content_json = JSON.stringify({ memoryProblem, cleaned, diskBytes, memory } satisfies EnvironmentContent)
    const services_json = await withoutSecrets(dependencies, row.services_json)
    const columns = { state: 'ready' as const, rescue_json, content_json, services_json }
    await store.update(row.id, columns)
    return { ...row, ...columns }
  } catch (error) {
    await plan(row.id, system.now())
    throw error
  }
}

async function begin(dependencies: EnvironmentsDependencies, { thread, plan }: { thread: ThreadRow; plan: Plan }) {
  const { store, system, sandboxes } = dependencies
  await dependencies.snapshots.settled(thread.id)
  const source = await sandboxes.find(thread.id)
  if (source === undefined || source.state === 'fresh' || source.has_run === 0) throw environmentEmpty({})
  const [id, now] = [system.newId('environment'), system.now()]
  const row: EnvironmentRow = {
    id,
    owner_id: thread.user_id,
    thread_id: thread.id,
    sandbox_id: system.newId('sandbox'),
    state: 'making',
    created_at: now,
    limits_json: JSON.stringify(ownLimits(source)),
    services_json: JSON.stringify((await dependencies.thread.servicesOf(thread.id)).map(keptService)),
    rescue_json: null,
    content_json: '',
  }
  // Schedules the removal first, so that a crash leaves nothing behind.
  await plan(id, now + draftMs)
  await store.insert(row)
  try {
    const copy = await copySandbox(dependencies, { source, sandboxId: row.sandbox_id, bootId: system.newId('boot') })
    // The disk of a cold sandbox has what was saved when its memory was discarded.
    const earlier = source.state === 'cold' ? await sandboxes.memory(source.id) : undefined
    return { row, copy, earlierRescue: earlier?.rescue_json ?? null }
  } catch (error) {
    await plan(id, now)
    throw error
  }
}

export type EnvironmentContent = Pick<CapturedSandbox, 'memoryProblem' | 'cleaned' | 'diskBytes' | 'memory'>

/**
 * Schedules the removal first, then inserts the row, then creates the sandbox, so that a crash leaves nothing behind.
 */
async function receive(
  { store, host, system, defaultLimits }: EnvironmentsDependencies,
  { userId, file, plan }: { userId: string; file: EnvironmentInFile; plan: Plan },
): Promise<EnvironmentRow> {
  const [id, now, limits] = [system.newId('environment'), system.now(), await defaultLimits()]
  const row: EnvironmentRow = {
    id,
    owner_id: userId,
    thread_id: '',
    sandbox_id: system.newId('sandbox'),
    state: 'making',
    created_at: now,
    limits_json: JSON.stringify({ ...limitColumns(limits), own_limits_json: null, max_services: null }),
    services_json: '[]',
    rescue_json: null,
    content_json: JSON.stringify(file.content),
  }
  await plan(id, now + receivingMs)
  await store.insert(row)
  try {
    await host.receiveDisk(
      row.sandbox_id,
      { imageId: file.imageId, limits },
      Readable.toWeb(file.bytes) as ReadableStream<Uint8Array>,
    )
    await plan(id, system.now() + draftMs)
    await store.update(id, { state: 'ready', created_at: system.now() })
    return { ...row, state: 'ready' }
  } catch (error) {
    await plan(id, system.now())
    throw error
  }
}

/** Kept memory is resumed over the overwritten files and scanned again, or discarded. */
async function redactSelected(
  dependencies: EnvironmentsDependencies,
  { row, redact }: { row: EnvironmentRow; redact: NonNullable<SaveEnvironment['redact']> },
): Promise<Pick<CapturedSandbox, 'cleaned' | 'memory'>> {
  const { host } = dependencies
  const { sandbox_id: sandboxId } = row
  const { memory } = environmentContentOf(row)
  const sealedSecrets = await sealStoredSecrets(dependencies)
  const bootId = memory?.kept ? ((await host.get(sandboxId))?.bootId ?? null) : null
  if (bootId === null) return { cleaned: await host.clean(sandboxId, { sealedSecrets, redact }), memory }
  const [hashKey, budgets] = [dependencies.hashKeyOf(sandboxId), await dependencies.budgets()]
  return await host.preserve(sandboxId, { bootId, hashKey, budgets, sealedSecrets, redact })
}

/** Limits that were set for the source also apply to its copies. */
export type OwnLimits = Pick<
  Sandbox,
  'memory_bytes' | 'cpus' | 'processes' | 'disk_bytes' | 'own_limits_json' | 'max_services'
>

function ownLimits(source: Sandbox): OwnLimits {
  const { memory_bytes, cpus, processes, disk_bytes, own_limits_json, max_services } = source
  return { memory_bytes, cpus, processes, disk_bytes, own_limits_json, max_services }
}

function keptService(row: ServiceRow): KeptService {
  const {
    thread_id: _thread,
    position: _position,
    boot_id: _boot,
    since: _since,
    problem_json: _problem,
    ...kept
  } = row
  return kept
}

/** Masks stored secrets in the start commands and environments of services. */
async function withoutSecrets({ storedSecrets }: CaptureDependencies, json: string): Promise<string> {
  let text = json
  for (const secret of await storedSecrets()) {
    const inJson = JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1)
    for (const form of [inJson, JSON.stringify(secret).slice(1, -1)]) text = text.replaceAll(form, '*'.repeat(8))
  }
  return text
}

export function environmentContentOf(row: EnvironmentRow): EnvironmentContent {
  // Environments of earlier server versions have no `memory` field.
  const content = JSON.parse(row.content_json) as Omit<EnvironmentContent, 'memory'> & Partial<EnvironmentContent>
  return { ...content, memory: content.memory ?? null }
}

/** Presents what an environment includes and excludes. */
export function presentEnvironment(row: EnvironmentRow): Environment {
  const { memoryProblem, cleaned, diskBytes, memory } = environmentContentOf(row)
  const { amounts, removed, redacted, findings, furtherFindings } = cleaned
  const rescue = row.rescue_json === null ? null : (JSON.parse(row.rescue_json) as RescueReport)
  const variables = rescue?.variables ?? []
  const kept = variables.filter(({ outcome }) => outcome === 'kept')
  const lost = variables.filter(({ outcome }) => outcome === 'lost')
  return {
    id: row.id,
    createdAt: row.created_at,
    diskBytes,
    memory,
    findings,
    furtherFindings,
    threadId: row.thread_id === '' ? null : row.thread_id,
    expiresAt: row.state === 'kept' ? null : row.created_at + draftMs,
    captured: {
      home: amounts.home,
      packages: amounts.packages,
      system: amounts.system,
      variables: { names: kept.map(({ name }) => name), bytes: amounts.variables.bytes },
      services: servicesOf(row).map(({ name, command, port }) => ({ name, command, port })),
    },
    notCaptured: { removed, redacted, memoryProblem, variables: lost.map(({ name, reason }) => ({ name, reason })) },
  }
}

/** The services that a thread started from it gets, in start order. */
export function servicesOf(row: EnvironmentRow): KeptService[] {
  return JSON.parse(row.services_json) as KeptService[]
}
