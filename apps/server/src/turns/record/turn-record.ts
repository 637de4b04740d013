import type { Attachment, CallError, ToolCallEntry, ToolResult } from '@threadbox/protocol/public'
import type { ModelMessage } from 'ai'

export type CallStatus = ToolCallEntry['status']

/** What the model gets of a call. An image is stored as a blob and added to the request when that is created. */
export type ModelOutput = {
  text: string
  isError: boolean
  image?: { key: string; mediaType: string }
  /** Further images, if there are several. */
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
  /** Bytes of output that were written. Everything before that is, or can be, acknowledged to the guest. */
  outputBytes: number
  /** How many of them are kept; null if all are. */
  keptOutputBytes: number | null
  displays: number
  /** What a tool recorded before a change, to determine after a crash whether the change was made. */
  plan: unknown
  output: ModelOutput | null
  stillRunning: string[]
}

export type StepRecord = {
  id: string
  turnId: string
  index: number
  /** `direct`: created by a slash command, not by a model. */
  provider: string
  status: 'asking' | 'finished' | 'partial' | 'discarded'
  isFinal: boolean
  /** The assistant's message. Its calls have threadbox's own ids, which are unique and which every provider accepts. */
  messages: ModelMessage[]
  /** Entries that show this step while it runs. */
  entryIds: string[]
  inputTokens: number
  outputTokens: number
  cachedInputTokens: number
  costUsd: number | null
  estimatedTokens: number
  /** A note to the model before the step: what happened to its sandbox since the previous one. */
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
  /** An unattended turn: a call that needs approval is denied. */
  isUnattended: boolean
  /** Who sent its message; null: not known, as in turns from before people could share threads. */
  authorId: string | null
  modelId: string | null
  modelName: string | null
  /** The model that it began with, if another one has taken over. */
  firstModelId: string | null
  userEntryId: string
  userText: string
  attachments: Attachment[]
  /** A note to the model before the message: what it couldn't know otherwise. */
  note: string | null
  /** Codes of the notes by features above that `note` contains. */
  noteCodes: readonly string[]
  startedAt: number
  /** Limits are counted from this step and this time on. */
  allowanceFromStep: number
  allowanceFrom: number
  steps: StepRecord[]
}

/** A summary that replaces everything before its boundary in requests to the model. The original messages stay. */
export type CompactionRecord = {
  id: string
  threadId: string
  /** The last step that is summarized; `-1` is the turn's message itself. */
  turnOrdinal: number
  stepIndex: number
  summary: string
  files: string[]
  createdAt: number
}

/** The outcome of a tool call. */
export type CallOutcome = {
  status: Extract<CallStatus, 'succeeded' | 'failed' | 'stopped' | 'interrupted'>
  result: ToolResult | null
  error: CallError | null
  output: ModelOutput
  stillRunning?: string[]
}
