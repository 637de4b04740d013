import { Code, ConnectError } from '@connectrpc/connect'
import { type ChangeWaits, type KeyedLock, makeChangeWaits, makeKeyedLock } from '@threadbox/concurrency'
import type { OpenTerminalRequest, Terminal, TerminalsView, UserEvent } from '@threadbox/protocol/public'
import type { Logger } from '@threadbox/telemetry'
import type { System } from '../../platform/system/system.ts'
import { directoryOf, type SandboxFacts } from '../services/services.models.ts'
import type { ReachableSandbox } from '../state/awake-sandbox.ts'
import {
  terminalLimitReached,
  terminalNotFound,
  terminalRefused,
  terminalUnanswered,
  terminalUnsupported,
} from './terminals.errors.ts'
import { freeTitle, presentTerminal } from './terminals.models.ts'
import type { TerminalStore } from './terminals.store.ts'
import type { TerminalRow } from './terminals.table.ts'

/** As many as a row of tabs can hold; the guest has room for more. */
const maxTerminals = 20
/** How long a list waits for the guest's word about which shells have ended. */
const lookMs = 2000

/** The terminals of threads. */
export type Terminals = {
  /** Wakes nothing; the guest of an awake sandbox is asked which shells have ended. */
  list(threadId: string): Promise<TerminalsView>
  /** Throws `terminal.not-found`. */
  get(threadId: string, id: string): Promise<Terminal>
  /** Brings the sandbox awake and opens a shell in it. */
  open(threadId: string, request: OpenTerminalRequest): Promise<Terminal>
  rename(threadId: string, id: string, title: string): Promise<Terminal>
  /** Ends what runs in it and forgets it. One that is suspended is woken for it. */
  close(threadId: string, id: string): Promise<void>
}

export type TerminalDependencies = {
  store: TerminalStore
  awake(threadId: string, signal: AbortSignal | undefined): Promise<ReachableSandbox>
  ifAwake(threadId: string): Promise<ReachableSandbox | undefined>
  sandboxOf(threadId: string): Promise<SandboxFacts | undefined>
  /** Whose thread it is; undefined when it is gone. */
  ownerOf(threadId: string): Promise<string | undefined>
  publish(userId: string, event: UserEvent): void
  system: System
  logger: Logger
}

/** What several parts of the feature share in this process. */
export type TerminalParts = TerminalDependencies & {
  /** Something about the terminals of a thread, or its sandbox, is different. */
  changes: ChangeWaits
  inOrder: KeyedLock
  /** Tells views and pages. */
  changed(threadId: string): Promise<void>
}

export function makeTerminalParts(dependencies: TerminalDependencies): TerminalParts {
  const parts: TerminalParts = {
    ...dependencies,
    changes: makeChangeWaits(),
    inOrder: makeKeyedLock(),
    changed: async (threadId) => {
      parts.changes.notify(threadId)
      const userId = await dependencies.ownerOf(threadId)
      if (userId === undefined) return
      const terminals = await viewOf(parts, threadId)
      dependencies.publish(userId, { type: 'terminals-updated', threadId, terminals })
    },
  }
  return parts
}

export function makeTerminals(parts: TerminalParts): Terminals {
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
        parts.logger.debug({ err: error, threadId }, 'a guest did not say which terminals have ended')
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
        // Later than the one before, whatever the clock says: it is their order.
        const created_at = Math.max(system.now(), (rows.at(-1)?.created_at ?? 0) + 1)
        const boot = { boot_id: sandbox.bootId, created_at, exit_code: null }
        const row: TerminalRow = { thread_id: threadId, id, title, ...boot }
        // Written down first: a shell that nobody knows of would run for ever.
        await store.add(row)
        try {
          await answered(
            sandbox.terminals.openTerminal({
              id,
              cols: request.cols ?? 0,
              rows: request.rows ?? 0,
              cwd: directoryOf(request.cwd),
            }),
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
        // One that has ended is kept by the guest for its last words; memory that sleeps is not woken for those.
        const isThere =
          status === 'running' || status === 'suspended' || (status === 'ended' && facts?.state === 'active')
        if (isThere && facts?.bootId === row.boot_id) {
          const sandbox = await parts.awake(threadId, undefined)
          if (sandbox.bootId === row.boot_id) await answered(sandbox.terminals.closeTerminal({ id }))
        }
        await store.remove(threadId, id)
        await parts.changed(threadId)
      }),
  }
}

async function viewOf(parts: TerminalParts, threadId: string): Promise<TerminalsView> {
  const sandbox = await parts.sandboxOf(threadId)
  return { terminals: (await parts.store.list(threadId)).map((row) => presentTerminal(row, sandbox)) }
}

/** Takes over which shells have ended while nobody looked at them. */
async function noteEnds(parts: TerminalParts, threadId: string): Promise<void> {
  const running = (await parts.store.list(threadId)).filter(({ exit_code }) => exit_code === null)
  if (running.length === 0) return
  const sandbox = await parts.ifAwake(threadId)
  if (sandbox === undefined) return
  const { terminals } = await sandbox.terminals.listTerminals({}, { timeoutMs: lookMs })
  for (const row of running.filter(({ boot_id }) => boot_id === sandbox.bootId)) {
    const end = terminals.find(({ id }) => id === row.id)?.end
    if (end !== undefined) await parts.store.change(row, { exit_code: end.exitCode })
  }
}

/** What the guest answers, with its refusals in words of this feature. */
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
