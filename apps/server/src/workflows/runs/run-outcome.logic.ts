import { isThreadboxError } from '@threadbox/errors'
import type { Entry, RunReason, RunStatus, ToolCallEntry, Turn } from '@threadbox/protocol/public'
import { connectionApprovalMissing, noModelConnected } from '../../turns/public.ts'
import { runApprovalNeeded, runCellFailed, runCommandFailed, runStopped } from './runs.errors.ts'

/** Enough for the result; the thread has the full text. */
const maxOutputCharacters = 16_000

export type RunOutcome = {
  status: Extract<RunStatus, 'succeeded' | 'failed' | 'cancelled'>
  reason: RunReason | null
  output: string | null
}

/** The outcome of a run, from its ended turn and the entries of the conversation. */
export function outcomeOf(turn: Turn, entries: readonly Entry[]): RunOutcome {
  const calls = entries.filter((entry): entry is ToolCallEntry => entry.kind === 'tool-call')
  const answer = entries.findLast((entry) => entry.kind === 'text' && entry.text.trim() !== '')
  const direct = turn.mode === 'direct' ? calls.at(-1) : undefined
  const output = answer?.kind === 'text' ? answer.text : (direct?.output.tail ?? null)
  const kept = output === null ? null : endOf(output)
  const reason = reasonOf(turn, { calls, direct, entries })
  if (turn.status === 'stopped') return { status: 'cancelled', reason: reasonFrom(runStopped({})), output: kept }
  return { status: reason === null ? 'succeeded' : 'failed', reason, output: kept }
}

function reasonOf(
  turn: Turn,
  { calls, direct, entries }: { calls: ToolCallEntry[]; direct: ToolCallEntry | undefined; entries: readonly Entry[] },
): RunReason | null {
  // Checked first: a missing approval is the reason, whatever else happened.
  const denied = calls.find((call) => call.error?.code === connectionApprovalMissing.code)
  if (denied !== undefined) {
    const { tool, name } = denied.connection ?? { tool: denied.tool, name: '' }
    return reasonFrom(runApprovalNeeded({ tool, connection: name }))
  }
  if (turn.failure !== null) {
    const { code, message, remedy } = turn.failure
    return { code: `turn.${code}`, message, remedy, details: {} }
  }
  if (entries.some((entry) => entry.kind === 'notice' && entry.code === 'connect-model')) {
    return reasonFrom(noModelConnected({}))
  }
  if (direct?.error != null) return { ...direct.error, details: {} }
  const result = direct?.result
  if (result?.kind === 'command' && result.exitCode !== 0) {
    return reasonFrom(runCommandFailed({ exitCode: result.exitCode ?? -1 }))
  }
  return result?.kind === 'python' && result.traceback !== null ? reasonFrom(runCellFailed({})) : null
}

/** An error as recorded with a run. The text of an unexpected error is left out, because it could contain a secret. */
export function reasonFrom(error: unknown): RunReason {
  if (isThreadboxError(error)) {
    const { code, message, remedy, details } = error
    return { code, message, remedy, details: details as RunReason['details'] }
  }
  return {
    code: 'internal',
    message: 'threadbox had an internal error while starting this run.',
    remedy: 'Try again. The server log has the details.',
    details: {},
  }
}

function endOf(text: string): string {
  if (text.length <= maxOutputCharacters) return text
  // Drops a character that the cut would halve.
  return text.slice(-maxOutputCharacters).replace(/^[\uDC00-\uDFFF]/, '')
}
