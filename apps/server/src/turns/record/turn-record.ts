import type { Attachment, CallError, ToolCallEntry, ToolResult } from '@threadbox/protocol/public'
import type { ModelMessage } from 'ai'

export type CallStatus = ToolCallEntry['status']

/** What the model is told about a call. An image is kept as a blob and put into the request when it is made. */
export type ModelOutput = {
  text: string
  isError: boolean
  image?: { key: string; mediaType: string }
  /** Where there are several. */
  furtherImages?: { key: string; mediaType: string }[]
}

/** A recorded tool call, as the model's history and recovery need it. */
export type CallRecord = {
  id: string
  stepId: string
  turnId: string
  threadId: string
  index: number
  tool: string
  input: unknown
  status: CallStatus
  bootId: string | null
  /** Bytes of output that are stored. Everything before is acknowledged, or may be, to the guest. */
  outputBytes: number
  displays: number
  /** What a tool noted before it changed something, to tell after a crash whether the change was made. */
  plan: unknown
  output: ModelOutput | null
  stillRunning: string[]
}

export type StepRecord = {
  id: string
  turnId: string
  index: number
  /** `direct`: made by a slash command, not by a model. */
  provider: string
  status: 'asking' | 'finished' | 'partial' | 'discarded'
  isFinal: boolean
  /** The assistant's message. Its calls carry our ids, which are unique and which every provider accepts. */
  messages: ModelMessage[]
  /** Entries that show this step while it runs. */
  entryIds: string[]
  inputTokens: number
  outputTokens: number
  cachedInputTokens: number
  costUsd: number | null
  estimatedTokens: number
  /** Said to the model before it answered: what happened to its sandbox meanwhile. */
  note: string | null
  calls: CallRecord[]
}

export type TurnRecord = {
  id: string
  threadId: string
  /** Position among the turns of the thread. */
  ordinal: number
  mode: 'agent' | 'direct'
  status: 'running' | 'finished' | 'stopped' | 'failed'
  isStopRequested: boolean
  /** Nobody watches: a call that a person would have to allow is denied. */
  isUnattended: boolean
  modelId: string | null
  modelName: string | null
  userEntryId: string
  userText: string
  attachments: Attachment[]
  /** Said to the model before the message: what it could not know otherwise. */
  note: string | null
  /** Which notes of features above are in `note`. */
  noteCodes: readonly string[]
  startedAt: number
  /** Limits are counted from this step and this time on. */
  allowanceFromStep: number
  allowanceFrom: number
  steps: StepRecord[]
}

/** What stands for everything before its boundary when the model is asked. The originals stay. */
export type CompactionRecord = {
  id: string
  threadId: string
  /** The last step that is summarised; `-1` is the turn's message itself. */
  turnOrdinal: number
  stepIndex: number
  summary: string
  files: string[]
  createdAt: number
}

/** What a tool call came to. */
export type CallOutcome = {
  status: Extract<CallStatus, 'succeeded' | 'failed' | 'stopped' | 'interrupted'>
  result: ToolResult | null
  error: CallError | null
  output: ModelOutput
  stillRunning?: string[]
}
