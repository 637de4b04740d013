import type { Kysely, Transaction } from 'kysely'
import type { LogTransaction } from '../../threads/public.ts'
import type { CallRecord, CompactionRecord, StepRecord, TurnRecord } from './turn-record.ts'
import type { TurnTables } from './turns.table.ts'

/** Where a write goes: to the database, or into the transaction of the log entry that it belongs to. */
export type Writer = Kysely<TurnTables> | Transaction<TurnTables>

/** The transaction of the thread log, typed for the engine's own tables. */
export function writerOf(transaction: LogTransaction): Writer {
  return transaction as unknown as Transaction<TurnTables>
}

/** Columns of a step or call that can change after it was recorded. */
export type StepChange = Partial<Omit<StepRecord, 'id' | 'turnId' | 'index' | 'calls' | 'provider'>>
export type CallChange = Partial<
  Pick<
    CallRecord,
    'status' | 'bootId' | 'outputBytes' | 'keptOutputBytes' | 'displays' | 'plan' | 'output' | 'stillRunning'
  >
>
export type TurnChange = Partial<
  Pick<
    TurnRecord,
    | 'mode'
    | 'status'
    | 'isStopRequested'
    | 'modelId'
    | 'modelName'
    | 'firstModelId'
    | 'allowanceFromStep'
    | 'allowanceFrom'
    | 'userText'
    | 'note'
  >
>

/** The recorded turns of threads, in order. */
export type TurnHistory = {
  writer: Writer
  turn(turnId: string): Promise<TurnRecord | undefined>
  /** The newest turn of a thread. */
  lastTurn(threadId: string): Promise<TurnRecord | undefined>
  turnOfEntry(threadId: string, userEntryId: string): Promise<TurnRecord | undefined>
  /** Turns from `ordinal` on, with steps and calls, oldest first. */
  turnsFrom(threadId: string, ordinal: number): Promise<TurnRecord[]>
  /** Ids of all turns in the conversation. */
  turnIds(threadId: string): Promise<string[]>
  runningTurn(threadId: string): Promise<string | undefined>
  runningTurns(): Promise<{ id: string; threadId: string }[]>
  call(threadId: string, callId: string): Promise<CallRecord | undefined>
  /** Bytes of output that the thread's other calls keep. */
  keptOutputBytes(threadId: string, exceptCallId: string): Promise<number>
  lastCompaction(threadId: string): Promise<CompactionRecord | undefined>
  /** The measured and the estimated size of the last request, to correct the next estimate. */
  lastMeasure(threadId: string): Promise<{ inputTokens: number; estimatedTokens: number } | undefined>
  nextOrdinal(threadId: string, writer: Writer): Promise<number>
  countAgentTurns(threadId: string): Promise<number>
  /** Turns that are the last of their thread, ran nothing and called no model, newest first. */
  unansweredTurns(limit: number): Promise<{ id: string; threadId: string; userText: string }[]>

  addTurn(turn: Omit<TurnRecord, 'steps'>, writer: Writer): Promise<void>
  changeTurn(turnId: string, change: TurnChange, writer: Writer): Promise<void>
  /** Removes turns from `ordinal` on, their steps and calls, and the summaries that cover them. */
  removeTurnsFrom(threadId: string, ordinal: number, writer: Writer): Promise<void>
  addStep(step: Omit<StepRecord, 'calls'>, threadId: string, writer: Writer): Promise<void>
  /** The same alone, without waiting for the disk: after a power cut, the model is asked again. */
  beginStep(step: Omit<StepRecord, 'calls'>, threadId: string): Promise<void>
  changeStep(stepId: string, change: StepChange, writer: Writer): Promise<void>
  addCall(call: CallRecord, writer: Writer): Promise<void>
  changeCall(callId: string, change: CallChange, writer: Writer): Promise<void>
  addCompaction(compaction: CompactionRecord, writer: Writer): Promise<void>
}
