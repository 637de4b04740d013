import type { ToolName } from '@threadbox/protocol/public'
import type { z } from 'zod'
import type { BlobStore } from '../../platform/blobs/blob-store.ts'
import type { AwakeSandbox, Services } from '../../sandboxes/public.ts'
import type { CallOutcome, CallRecord } from '../record/turn-record.ts'
import type { RunRecorder } from './run-recorder.ts'

/**
 * Something the agent can do. A tool runs against an awake sandbox and returns what it came to; an error it throws on
 * purpose becomes a failed call that the model is told about, with its remedy.
 */
export type Tool<Input = unknown> = {
  name: ToolName
  /** For the model: what it does, what it is not for, what its limits are. Nothing that is not so. */
  description: string
  input: z.ZodType<Input>
  /**
   * What follows a crash between start and end. `attach`: the guest still holds the run under the call's id, for as long
   * as the boot lives. `repeat`: doing it again is harmless, or the tool's own plan tells whether it was done.
   */
  recovery: 'attach' | 'repeat'
  /** Changes files: such calls of one step run one after another, in the order the model gave them. */
  isWriting: boolean
  run(input: Input, context: ToolContext): Promise<CallOutcome>
}

export type ToolContext = {
  call: CallRecord
  /** `resume`: a run that may have been started before. `stop`: the same, and it is to be ended. */
  how: 'start' | 'resume' | 'stop'
  sandbox: AwakeSandbox
  services: Services
  /** Nobody has asked whether the sandbox is still there: when it is not, a run throws {@link RunNotStarted}. */
  isBelievedReady: boolean
  /** The sandbox again after its connection was lost. It may be another boot by then. */
  reawake(): Promise<AwakeSandbox>
  blobs: BlobStore
  recorder: RunRecorder
  /** Aborted when a person stops the turn. */
  signal: AbortSignal
  /** Aborted when the server goes away: what runs is left running. */
  leave: AbortSignal
  /** Notes, durably, what is about to be changed. */
  plan(plan: unknown): Promise<void>
  /** How much of an output the model is given. */
  outputCharacters: number
  savedOutputBytes: number
  nowMs(): number
}

export function defineTool<Input>(tool: Tool<Input>): Tool<Input> {
  return tool
}
