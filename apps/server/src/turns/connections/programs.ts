import { type KeyedLock, makeKeyedLock, waitAtMost } from '@threadbox/concurrency'
import { isThreadboxError } from '@threadbox/errors'
import type { HostSandbox } from '@threadbox/protocol/host'
import type { ProgramPhase } from '@threadbox/protocol/public'
import type { Logger } from '@threadbox/telemetry'
import type { Operations } from '../../platform/operations/operations.ts'
import type { System } from '../../platform/system/system.ts'
import { type HostClient, hostnameOf } from '../../sandboxes/public.ts'
import { connectionNotFound, connectionProgramBusy, connectionProgramRestarts } from './connections.errors.ts'
import type { ProgramStart } from './program.logic.ts'
import { startProgramProcess } from './program-process.ts'
import type { StartedProgram } from './program-transport.ts'
import type { ProgramStore } from './programs.store.ts'
import type { ProgramSandboxRow } from './programs.table.ts'

/** Deletes the sandbox of a connection that was deleted or now has another program. */
export const eraseProgramOperation = 'erase-connection-sandbox'

/**
 * Programs of connections, each connection's in its own sandbox, which belongs to no thread. The sandbox is created at
 * the first use, runs a little longer than its programs, and keeps its disk with everything that was installed.
 */
export type Programs = AsyncDisposable & {
  /**
   * Starts a program. Throws `connection.program-not-started`, `connection.program-busy`, `connection.program-restarts`
   * and the host's errors, such as `host.no-memory`.
   */
  start(
    order: ProgramStart & { connectionId: string },
    options: {
      signal: AbortSignal
      /** Ends an unused program; false when all are in use. */
      makeRoom(): boolean
    },
  ): Promise<StartedProgram>
  /** The phase of a start in progress; null: the program runs, or none is being started. */
  phase(connectionId: string): ProgramPhase | null
  /** The program has responded: its start is complete. */
  answered(connectionId: string): void
  /** The program has failed. After too many failures it isn't started for a while. */
  failed(connectionId: string): void
  /** Clears the recorded failures, because a user has changed or tests the connection. */
  forgive(connectionId: string): void
  /** Deletes the program's sandbox; the next start creates a new one. */
  erase(connectionId: string): Promise<void>
  /** Deletes the sandboxes of a workspace's connections while the workspace is being deleted. */
  eraseOfWorkspace(workspaceId: string): Promise<void>
  sandboxIds(): Promise<string[]>
  /** Call at start: marks checks of a previous server as canceled, and deletes sandboxes without a connection. */
  recover(): Promise<void>
  /** Call when policies have changed, and when the host is reachable. */
  applyEgress(): Promise<void>
  /** Call when the host is reachable: ends boots that a previous server left or that couldn't be ended. */
  settle(): Promise<void>
}

export type ProgramsDependencies = {
  store: ProgramStore
  host: HostClient
  operations: Operations
  hashKeyOf: (sandboxId: string) => string
  /** What the programs of a workspace’s connections, or of a person’s (null), reach. */
  egressFor: (workspaceId: string | null) => Promise<HostSandbox['egress']>
  memoryMebibytes: number
  system: System
  logger: Logger
}

/**
 * MCP sessions have state, so each conversation has its own process. This many fit in memory beside an installation by
 * npx.
 */
const maxProcesses = 3
/** A sandbox that ran for a test is usually needed immediately afterward, for the first call. */
const idleMs = 60_000
/** Limits restarts, because a program that exits at each use costs a start each time. */
const maxFailures = 6
const failureMinutes = 5
const shutdownMs = 10_000

const MiB = 1024 * 1024
/** Enough for a service and its helpers. Installed packages take a few hundred MB. */
const otherLimits = { cpus: 1, processes: 256, diskBytes: 2048 * MiB }

type Usage = { processes: number; timer: NodeJS.Timeout | undefined; phase: ProgramPhase | null; failures: number[] }

export function makePrograms(dependencies: ProgramsDependencies): Programs {
  const { store, host, operations, system, logger } = dependencies
  const oneAtATime = makeKeyedLock()
  const uses = new Map<string, Usage>()
  const usageOf = (connectionId: string): Usage => {
    const known = uses.get(connectionId)
    if (known !== undefined) return known
    const usage: Usage = { processes: 0, timer: undefined, phase: null, failures: [] }
    uses.set(connectionId, usage)
    return usage
  }
  const recentFailures = (usage: Usage) => {
    usage.failures = usage.failures.filter((at) => at > system.now() - failureMinutes * 60_000)
    return usage.failures.length
  }
  const endIfIdle = (connectionId: string) =>
    oneAtATime(connectionId, async () => {
      if ((uses.get(connectionId)?.processes ?? 0) > 0) return
      const row = await store.find(connectionId)
      if (row?.boot_id == null) return
      // Stops any boot, because the start that was recorded last may not have reached the host.
      const actual = await host.get(row.sandbox_id)
      const bootId = actual?.actual === 'stopped' ? null : (actual?.bootId ?? null)
      if (bootId !== null) await host.stop(row.sandbox_id, { bootId })
      await store.update(row.sandbox_id, { boot_id: null })
    })
  const release = (connectionId: string) => {
    const usage = usageOf(connectionId)
    usage.processes -= 1
    clearTimeout(usage.timer)
    if (usage.processes > 0) return
    usage.timer = setTimeout(() => {
      endIfIdle(connectionId).catch((error: unknown) => {
        // `settle` ends it when the host is reachable again.
        logger.warn({ err: error, connectionId }, 'sandbox of a connection was not stopped yet')
      })
    }, idleMs).unref()
  }
  const erase = (connectionId: string) =>
    oneAtATime(connectionId, async () => {
      const row = await store.find(connectionId)
      if (row === undefined) return
      await planErasure(dependencies, row)
    })
  operations.register(eraseProgramOperation, async ({ subjectId }) => {
    await host.delete(subjectId)
    await store.remove(subjectId)
  })
  return {
    start: async (order, { signal, makeRoom }) => {
      const { connectionId } = order
      const usage = usageOf(connectionId)
      if (recentFailures(usage) >= maxFailures) {
        throw connectionProgramRestarts({ failures: usage.failures.length, minutes: failureMinutes })
      }
      if (usage.processes >= maxProcesses && !makeRoom()) throw connectionProgramBusy({ limit: maxProcesses })
      usage.processes += 1
      clearTimeout(usage.timer)
      try {
        usage.phase = 'sandbox'
        const target = await oneAtATime(connectionId, () => bringUp(dependencies, { connectionId, signal }))
        usage.phase = 'program'
        const program = await startProgramProcess(host, { target, start: order, signal })
        return releasedAtEnd(program, () => release(connectionId))
      } catch (error) {
        usage.phase = null
        release(connectionId)
        throw error
      }
    },
    phase: (connectionId) => uses.get(connectionId)?.phase ?? null,
    answered: (connectionId) => {
      usageOf(connectionId).phase = null
    },
    failed: (connectionId) => {
      const usage = usageOf(connectionId)
      usage.phase = null
      usage.failures.push(system.now())
    },
    forgive: (connectionId) => {
      usageOf(connectionId).failures = []
    },
    erase,
    eraseOfWorkspace: async (workspaceId) => {
      for (const connectionId of await store.programsIn(workspaceId)) await erase(connectionId)
    },
    sandboxIds: async () => (await store.all()).map(({ sandbox_id }) => sandbox_id),
    recover: async () => {
      await store.resetStarting()
      for (const row of await store.all()) if (row.state === 'going') await planErasure(dependencies, row)
      for (const row of await store.orphans()) await planErasure(dependencies, row)
    },
    // In order with starts: a start that read an earlier policy is finished before.
    applyEgress: () => applyEgress(dependencies, oneAtATime),
    settle: async () => {
      for (const row of await store.all()) if (row.boot_id !== null) await endIfIdle(row.connection_id)
    },
    [Symbol.asyncDispose]: async () => {
      const used = [...uses]
      for (const [, { timer }] of used) clearTimeout(timer)
      const all = Promise.allSettled(used.map(([connectionId]) => endIfIdle(connectionId)))
      await waitAtMost(shutdownMs, { work: all })
    },
  }
}

/** The row stays until the sandbox is deleted, so that the deletion resumes after a crash at any point. */
async function planErasure({ store, operations, system }: ProgramsDependencies, row: ProgramSandboxRow): Promise<void> {
  await operations.plan({ kind: eraseProgramOperation, subjectId: row.sandbox_id, dueAt: system.now() })
  await store.update(row.sandbox_id, { state: 'going' })
}

async function applyEgress(dependencies: ProgramsDependencies, oneAtATime: KeyedLock): Promise<void> {
  const { store, host, logger } = dependencies
  const apply = async (connectionId: string) => {
    const row = await store.find(connectionId)
    if (row?.boot_id == null) return
    const egress = await dependencies.egressFor(await store.workspaceOf(connectionId))
    await host.change(row.sandbox_id, { egress })
  }
  const running = (await store.all()).filter(({ boot_id }) => boot_id !== null)
  const applied = running.map(({ connection_id: connectionId }) =>
    oneAtATime(connectionId, () => apply(connectionId)).catch((error: unknown) => {
      logger.error({ err: error, connectionId }, 'a network policy did not reach the sandbox of a connection')
    }),
  )
  await Promise.all(applied)
}

/** Returns a ready boot of the connection's sandbox. Call it once at a time per connection. */
async function bringUp(
  dependencies: ProgramsDependencies,
  order: { connectionId: string; signal: AbortSignal },
): Promise<{ sandboxId: string; bootId: string }> {
  const { store, host, system } = dependencies
  const { connectionId, signal } = order
  signal.throwIfAborted()
  if (!(await store.isProgram(connectionId))) throw connectionNotFound({})
  let row = await store.find(connectionId)
  if (row === undefined) {
    const now = system.now()
    row = {
      sandbox_id: system.newId('sandbox'),
      connection_id: connectionId,
      state: 'kept',
      boot_id: null,
      created_at: now,
    }
    await store.insert(row)
  }
  if (row.boot_id !== null) {
    const actual = await host.get(row.sandbox_id)
    if (actual?.actual === 'ready' && actual.bootId === row.boot_id)
      return { sandboxId: row.sandbox_id, bootId: row.boot_id }
  }
  try {
    return await boot(dependencies, row)
  } catch (error) {
    if (!isThreadboxError(error) || error.code !== 'disk.not-found') throw error
    // The disk contains nothing that can't be installed again.
    await host.delete(row.sandbox_id)
    return await boot(dependencies, row)
  }
}

async function boot(dependencies: ProgramsDependencies, row: ProgramSandboxRow) {
  const { store, host, system } = dependencies
  const { sandbox_id: sandboxId } = row
  const limits: HostSandbox['limits'] = { memoryBytes: dependencies.memoryMebibytes * MiB, ...otherLimits }
  const hashKey = dependencies.hashKeyOf(sandboxId)
  const egress = await dependencies.egressFor(await store.workspaceOf(row.connection_id))
  const actual = await host.ensure(sandboxId, { limits, egress, hashKey })
  if (actual.actual !== 'stopped' && actual.bootId !== null) await host.stop(sandboxId, { bootId: actual.bootId })
  const bootId = system.newId('boot')
  await store.update(sandboxId, { boot_id: bootId })
  try {
    await host.start(sandboxId, { bootId, hostname: hostnameOf(sandboxId) })
  } catch (error) {
    // The boot may still start after the failure: it is stopped now, or by the next use or server start.
    const stopped = await host.stop(sandboxId, { bootId }).then(
      () => true,
      () => false,
    )
    if (stopped) await store.update(sandboxId, { boot_id: null })
    throw error
  }
  return { sandboxId, bootId }
}

function releasedAtEnd(program: StartedProgram, release: () => void): StartedProgram {
  let isReleased = false
  return {
    ...program,
    end: async () => {
      if (!isReleased) release()
      isReleased = true
      await program.end()
    },
  }
}
