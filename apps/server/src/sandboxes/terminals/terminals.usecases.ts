import { Code, ConnectError } from '@connectrpc/connect'
import { type ChangeWaits, type KeyedLock, makeChangeWaits, makeKeyedLock } from '@threadbox/concurrency'
import type { OpenTerminalRequest, Terminal, TerminalsView, UserEvent } from '@threadbox/protocol/public'
import type { Logger } from '@threadbox/telemetry'
import type { System } from '../../platform/system/system.ts'
import { directoryOf, type SandboxFacts } from '../services/services.logic.ts'
import type { ReachableSandbox } from '../state/awake-sandbox.ts'
import {
  terminalLimitReached,
  terminalNotFound,
  terminalRefused,
  terminalUnanswered,
  terminalUnsupported,
} from './terminals.errors.ts'
import { freeTitle, presentTerminal } from './terminals.logic.ts'
import type { TerminalStore } from './terminals.store.ts'
import type { TerminalRow } from './terminals.table.ts'

/** As many as a row of tabs can show; the guest allows more. */
const maxTerminals = 20
/** How long a list waits for the guest’s report about ended shells. */
const listTimeoutMs = 2000
/** A guest responds immediately; a thread’s other terminals wait for it. */
const answerTimeoutMs = 30_000

/** The terminals of threads. */
export type Terminals = {
  /** Wakes nothing. Asks the guest of an awake sandbox which shells have ended. */
  list(threadId: string): Promise<TerminalsView>
  /** Throws `terminal.not-found`. */
  get(threadId: string, id: string): Promise<Terminal>
  /** Wakes the sandbox and opens a shell in it. */
  open(threadId: string, request: OpenTerminalRequest): Promise<Terminal>
  rename(threadId: string, id: string, title: string): Promise<Terminal>
  /** Ends what runs in it and removes it. A suspended terminal is woken for that. */
  close(threadId: string, id: string): Promise<void>
}

export type TerminalDependencies = {
  store: TerminalStore
  awake(threadId: string, signal: AbortSignal | undefined): Promise<ReachableSandbox>
  ifAwake(threadId: string): Promise<ReachableSandbox | undefined>
  sandboxOf(threadId: string): Promise<SandboxFacts | undefined>
  /** Who can see the thread. */
  readersOf(threadId: string): Promise<string[]>
  publish(userId: string, event: UserEvent): void
  system: System
  logger: Logger
}

/** Shared by the parts of this feature. */
export type SharedTerminalDependencies = TerminalDependencies & {
  /** Notified of every change of a thread’s terminals or sandbox. */
  changes: ChangeWaits
  inOrder: KeyedLock
  /** Notifies views and pages. */
  changed(threadId: string): Promise<void>
}

export function makeSharedTerminalDependencies(dependencies: TerminalDependencies): SharedTerminalDependencies {
  const parts: SharedTerminalDependencies = {
    ...dependencies,
    changes: makeChangeWaits(),
    inOrder: makeKeyedLock(),
    changed: async (threadId) => {
      parts.changes.notify(threadId)
      const readers = await dependencies.readersOf(threadId)
      if (readers.length === 0) return
      const terminals = await viewOf(parts, threadId)
      for (const userId of readers) dependencies.publish(userId, { type: 'terminals-updated', threadId, terminals })
    },
  }
  return parts
}

export function makeTerminals(parts: SharedTerminalDependencies): Terminals {
  const { store, system } = parts
  const find = async (threadId: string, id: string) => {
    const row = await store.find(threadId, id)
    if (row === undefined) throw terminalNotFound({})
    return row
  }
  const present = async (row: TerminalRow) => presentTerminal(row, await parts.sandboxOf(row.thread_id))
  return {
    list: async (threadId) => {
      await noteEnds(parts, threadId).catch((error: unknown) => {
        parts.logger.debug({ err: error, threadId }, 'a guest did not report which terminals have ended')
      })
      return await viewOf(parts, threadId)
    },
    get: async (threadId, id) => present(await find(threadId, id)),
    open: (threadId, request) =>
      parts.inOrder(threadId, async () => {
        const rows = await store.list(threadId)
        if (rows.length >= maxTerminals) throw terminalLimitReached({ max: maxTerminals })
        const sandbox = await parts.awake(threadId, undefined)
        const id = system.newId('terminal')
        const title = request.title ?? freeTitle(rows)
        // Later than the previous one, whatever the clock says: terminals are ordered by it.
        const created_at = Math.max(system.now(), (rows.at(-1)?.created_at ?? 0) + 1)
        const boot = { boot_id: sandbox.bootId, created_at, exit_code: null }
        const row: TerminalRow = { thread_id: threadId, id, title, ...boot }
        // Stored first: a shell without a record would run forever.
        await store.add(row)
        try {
          await answered(
            sandbox.terminals.openTerminal(
              { id, cols: request.cols ?? 0, rows: request.rows ?? 0, cwd: directoryOf(request.cwd) },
              { timeoutMs: answerTimeoutMs },
            ),
          )
        } catch (error) {
          await store.remove(threadId, id)
          throw error
        }
        await parts.changed(threadId)
        return await present(row)
      }),
    rename: async (threadId, id, title) => {
      const row = await find(threadId, id)
      await store.change(row, { title })
      await parts.changed(threadId)
      return await present({ ...row, title })
    },
    close: (threadId, id) =>
      parts.inOrder(threadId, async () => {
        const row = await find(threadId, id)
        const { status } = await present(row)
        const facts = await parts.sandboxOf(threadId)
        // The guest keeps an ended terminal for its last output. A paused sandbox is not woken to remove that.
        const existsInGuest =
          status === 'running' || status === 'suspended' || (status === 'ended' && facts?.state === 'active')
        if (existsInGuest && facts?.bootId === row.boot_id) {
          const sandbox = await parts.awake(threadId, undefined)
          if (sandbox.bootId === row.boot_id) {
            await answered(sandbox.terminals.closeTerminal({ id }, { timeoutMs: answerTimeoutMs }))
          }
        }
        await store.remove(threadId, id)
        await parts.changed(threadId)
      }),
  }
}

async function viewOf(parts: SharedTerminalDependencies, threadId: string): Promise<TerminalsView> {
  const sandbox = await parts.sandboxOf(threadId)
  return { terminals: (await parts.store.list(threadId)).map((row) => presentTerminal(row, sandbox)) }
}

/** Stores which shells have ended without a follower. */
async function noteEnds(parts: SharedTerminalDependencies, threadId: string): Promise<void> {
  const running = (await parts.store.list(threadId)).filter(({ exit_code }) => exit_code === null)
  if (running.length === 0) return
  const sandbox = await parts.ifAwake(threadId)
  if (sandbox === undefined) return
  const { terminals } = await sandbox.terminals.listTerminals({}, { timeoutMs: listTimeoutMs })
  for (const row of running.filter(({ boot_id }) => boot_id === sandbox.bootId)) {
    const end = terminals.find(({ id }) => id === row.id)?.end
    if (end !== undefined) await parts.store.change(row, { exit_code: end.exitCode })
  }
}

/** Converts the guest’s errors to those of this feature. */
async function answered<Answer>(call: Promise<Answer>): Promise<Answer> {
  try {
    return await call
  } catch (error) {
    throw terminalProblem(error)
  }
}

export function terminalProblem(error: unknown): unknown {
  if (!(error instanceof ConnectError)) return error
  if (error.code === Code.Unimplemented) return terminalUnsupported({}, { cause: error })
  if (error.code === Code.InvalidArgument || error.code === Code.ResourceExhausted)
    return terminalRefused({ problem: error.rawMessage.slice(0, 500) }, { cause: error })
  return terminalUnanswered({}, { cause: error })
}
