import type { ToolName } from '@threadbox/protocol/public'
import type { z } from 'zod'
import type { BlobStore } from '../../platform/blobs/blob-store.ts'
import type { AwakeSandbox, Services } from '../../sandboxes/public.ts'
import type { CallOutcome, CallRecord } from '../record/turn-record.ts'
import type { OutputRecorder } from './run-recorder.ts'

/**
 * A tool of the agent. It runs in an awake sandbox and returns its outcome. A `ThreadboxError` becomes a failed call;
 * the model gets the error with its remedy.
 */
export type Tool<Input = unknown> = {
  name: ToolName
  /** For the model: what the tool does, what it is not for, and its limits. Nothing that is untrue. */
  description: string
  input: z.ZodType<Input>
  /**
   * What happens after a crash between start and end. `attach`: the guest still has the execution under the call's id,
   * for as long as the boot runs. `repeat`: repeating is harmless, or the tool's own plan tells whether it was done.
   */
  recovery: 'attach' | 'repeat'
  /** Changes files: such calls of one step run one after another, in the model's order. */
  isWriting: boolean
  run(input: Input, context: ToolContext): Promise<CallOutcome>
}

export type ToolContext = {
  call: CallRecord
  /** `resume`: an execution that may have been started before. `stop`: the same, and it must be stopped. */
  how: 'start' | 'resume' | 'stop'
  sandbox: AwakeSandbox
  services: Services
  /** The sandbox wasn't checked: if it isn't running, an execution throws {@link ExecutionNotStarted}. */
  isBelievedReady: boolean
  /** Returns the sandbox after its connection was lost. It may have another boot. */
  reawake(): Promise<AwakeSandbox>
  blobs: BlobStore
  recorder: OutputRecorder
  /** Aborted when the turn is stopped. */
  signal: AbortSignal
  /** Aborted when the server shuts down: executions keep running. */
  leave: AbortSignal
  /** Records durably what is about to be changed. */
  plan(plan: unknown): Promise<void>
  /** Limit of the output that the model gets. */
  outputCharacters: number
  savedOutputBytes: number
  nowMs(): number
}

export function defineTool<Input>(tool: Tool<Input>): Tool<Input> {
  return tool
}
