import type { ToolCallEntry } from '@threadbox/protocol/public'
import type { LogTransaction, ThreadChange } from '../../threads/public.ts'
import { type CallChange, writerOf } from '../record/turn-history.ts'
import type { CallOutcome, CallRecord } from '../record/turn-record.ts'
import type { OutputRecorder } from '../tools/run-recorder.ts'
import { notice, type Recording } from './turn-dependencies.ts'

/**
 * The end of a turn, recorded together with its last call. Its methods are called at most once, and not if the call was
 * stopped.
 */
export type TurnEnding = {
  change(): ThreadChange
  record(transaction: LogTransaction): Promise<void>
}

/** The outcome of a tool that threw an unexpected error. */
export const unexpectedOutcome: CallOutcome = {
  status: 'failed',
  result: null,
  error: {
    code: 'internal.unexpected',
    message: 'The tool failed unexpectedly.',
    remedy: 'Do it another way. The server log has the details.',
  },
  output: { text: 'Error: the tool failed unexpectedly. Do it another way.', isError: true },
}

/** Records how a call ended, for the model and in the conversation, in one transaction. */
export async function finishCall(
  dependencies: Recording,
  options: {
    call: CallRecord
    outcome: CallOutcome
    recorder?: OutputRecorder | undefined
    ending?: TurnEnding | undefined
  },
): Promise<void> {
  const { log, store, system } = dependencies
  const { call, outcome, recorder, ending } = options
  await recorder?.flush()
  const entry = await callEntryOf(dependencies, call)
  const { status, output, error } = outcome
  const changes: ThreadChange[] = []
  if (entry !== undefined) {
    const shown = { output: recorder?.tail() ?? entry.output, result: mergedResult(entry, outcome) }
    changes.push({ type: 'entry-updated', entry: { ...entry, status, ...shown, error, endedAt: system.now() } })
  }
  if (status === 'interrupted') {
    const interrupted = notice(system, { turnId: call.turnId, code: 'call-interrupted', params: { tool: call.tool } })
    changes.push({ type: 'entry-added', entry: interrupted })
  }
  if (ending !== undefined) changes.push(ending.change())
  const change: CallChange = { status, output, stillRunning: outcome.stillRunning ?? [] }
  await log.append(call.threadId, changes, async (transaction) => {
    await store.changeCall(call.id, change, writerOf(transaction))
    await ending?.record(transaction)
  })
}

/** Figures from before a crash are already in the entry; the resumed execution reports only later ones. */
function mergedResult(entry: ToolCallEntry, outcome: CallOutcome): ToolCallEntry['result'] {
  const { result } = outcome
  if (result?.kind !== 'python') return result
  const earlier = entry.result?.kind === 'python' ? entry.result.displays : []
  const added = result.displays.filter((display) => !earlier.some((known) => known.id === display.id))
  return { ...result, displays: [...earlier, ...added] }
}

export async function callEntryOf(
  dependencies: Pick<Recording, 'log'>,
  call: CallRecord,
): Promise<ToolCallEntry | undefined> {
  const entry = await dependencies.log.entry(call.threadId, call.id)
  return entry?.kind === 'tool-call' ? entry : undefined
}
