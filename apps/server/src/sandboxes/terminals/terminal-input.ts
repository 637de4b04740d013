import { Code, ConnectError } from '@connectrpc/connect'
import { isThreadboxError } from '@threadbox/errors'
import { errorHeader } from '@threadbox/protocol/host'
import type { ReachableSandbox } from '../state/awake-sandbox.ts'
import type { View } from './terminal-output.ts'
import { statusOf } from './terminals.logic.ts'
import { type SharedTerminalDependencies, terminalProblem } from './terminals.usecases.ts'

/** How often typing is recorded as use of the sandbox. The guest reports it too, but only now and then. */
const noteEveryMs = 5000
/** The host’s error codes for a boot that is no longer awake: nothing was typed. */
const asleepCodes = new Set(['sandbox.paused', 'sandbox.not-running', 'sandbox.other-boot'])

/** A person’s input to a terminal from one view. Each call has to wait for the one before it. */
export type TerminalInput = {
  /** Types, and wakes a paused sandbox for it. Does nothing if the shell is gone, which the view learns anyway. */
  type(data: Uint8Array): Promise<void>
  /** Sends the terminal’s own reports, only while it is followed. */
  report(data: Uint8Array): Promise<void>
  /** Only while it is followed: a resize does not wake a sandbox. */
  resize(size: { cols: number; rows: number }): Promise<void>
  wake(): Promise<void>
}

export function makeTerminalInput(parts: SharedTerminalDependencies, view: View): TerminalInput {
  const { threadId, terminalId, signal } = view
  let notedAt = Number.NEGATIVE_INFINITY
  const awake = async (): Promise<ReachableSandbox | undefined> => {
    const row = await parts.store.find(threadId, terminalId)
    const status = row && statusOf(row, await parts.sandboxOf(threadId))
    if (status !== 'running' && status !== 'suspended') return undefined
    const sandbox = await parts.awake(threadId, signal)
    notedAt = parts.system.now()
    // Its memory may have been lost during the wake, and the shell with it.
    return sandbox.bootId === row?.boot_id ? sandbox : undefined
  }
  const reach = async () => {
    const isRecent = Math.abs(parts.system.now() - notedAt) < noteEveryMs
    return isRecent && view.sandbox !== undefined ? view.sandbox : await awake()
  }
  const write = async (sandbox: ReachableSandbox, data: Uint8Array) => {
    await sandbox.terminals.writeTerminal({ id: terminalId, data }, { signal })
  }
  return {
    type: async (data) => {
      const sandbox = await reach()
      if (sandbox === undefined) return
      try {
        await write(sandbox, data)
      } catch (error) {
        if (isGone(error)) return
        if (!wasAsleep(error)) throw terminalProblem(error)
        const again = await awake()
        if (again !== undefined) await write(again, data)
      }
    },
    report: async (data) => {
      const request = { id: terminalId, data, isReport: true }
      await view.sandbox?.terminals.writeTerminal(request, { signal }).catch(ignoreAsleep)
    },
    resize: async (size) => {
      await view.sandbox?.terminals.resizeTerminal({ id: terminalId, ...size }, { signal }).catch(ignoreAsleep)
    },
    wake: async () => {
      await awake()
    },
  }
}

/** True if the shell has ended or was closed by another view. */
function isGone(error: unknown): boolean {
  return (
    error instanceof ConnectError &&
    (error.code === Code.AlreadyExists || error.code === Code.NotFound) &&
    !wasAsleep(error)
  )
}

function wasAsleep(error: unknown): boolean {
  if (isThreadboxError(error)) return asleepCodes.has(error.code)
  return error instanceof ConnectError && asleepCodes.has(error.metadata.get(errorHeader) ?? '')
}

function ignoreAsleep(error: unknown): void {
  if (!(error instanceof ConnectError)) throw error
}
