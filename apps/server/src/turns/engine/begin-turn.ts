import { isThreadboxError } from '@threadbox/errors'
import type { Attachment, NoticeEntry, TurnFailure, UserMessageEntry } from '@threadbox/protocol/public'
import type { AwakeSandbox } from '../../sandboxes/public.ts'
import type { ThreadChange } from '../../threads/public.ts'
import type { UsableModel } from '../models/models.usecases.ts'
import { type Writer, writerOf } from '../record/turn-history.ts'
import type { CallRecord, StepRecord, TurnRecord } from '../record/turn-record.ts'
import { toolNamed } from '../tools/tools.ts'
import { isImage } from './history.logic.ts'
import { callEntry } from './model-step.ts'
import { isToolCommand, type SlashCommand, slashCommandIn, type ToolCommand } from './slash-command.logic.ts'
import { notice, type Recording, type TurnDependencies, turnView } from './turn-dependencies.ts'

/** Dependencies of `beginTurn`. */
export type BeginDependencies = Recording & Pick<TurnDependencies, 'models' | 'sandbox' | 'threads'>

/** A message from which a turn is created. */
export type NewMessage = {
  threadId: string
  entryId: string
  turnId: string
  text: string
  attachments: Attachment[]
  note: string | null
  noteCodes: readonly string[]
  /** See `TurnRecord`. */
  isUnattended: boolean
  authorId: string | null
}

/** A turn that was just recorded. `sandbox` is set if its call was recorded as running there. */
export type BegunTurn = { record: TurnRecord; sandbox: AwakeSandbox | undefined }

/**
 * Creates a turn from a message: for the model, or direct (a slash command, or no model is connected). Everything,
 * including `alongside`, is recorded in one transaction. Returns the turn if it runs; a turn with nothing to run has
 * already ended. With `startsAtOnce` the command of a direct turn is recorded as running if its sandbox is believed to
 * be ready, so that nothing is recorded or awaited between the message and the start. The caller must then start it.
 */
export async function beginTurn(
  dependencies: BeginDependencies,
  options: {
    message: NewMessage
    before?: readonly ThreadChange[]
    alongside?: (writer: Writer) => Promise<void>
    startsAtOnce?: boolean
  },
): Promise<BegunTurn | undefined> {
  const { log, store, system, models } = dependencies
  const { message } = options
  const facts = await dependencies.threads.facts(message.threadId)
  const command = slashCommandIn(message.text)
  const model = await models.usable(facts?.modelId ?? null)
  const turn = newTurn(message, { now: system.now(), mode: command === undefined && model ? 'agent' : 'direct', model })
  const call = isToolCommand(command) ? callFor(dependencies, { turn, command }) : undefined
  const isNext = call !== undefined && options.startsAtOnce === true
  const sandbox = isNext ? await readyFor(dependencies, call.record) : undefined
  // It starts or wakes while the message is being recorded.
  if (isNext && sandbox === undefined) dependencies.sandbox.access.wakeAhead(message.threadId)
  if (call !== undefined && sandbox !== undefined) Object.assign(call.record, runningIn(sandbox))
  const response =
    call === undefined && turn.mode === 'direct' ? await answerFor(dependencies, { turn, command }) : undefined
  const status: 'running' | 'finished' | 'failed' =
    response === undefined ? 'running' : response.failure === undefined ? 'finished' : 'failed'
  const end = { status, endedAt: response === undefined ? null : system.now(), failure: response?.failure }
  const changes: ThreadChange[] = [
    ...(options.before ?? []),
    { type: 'entry-added', entry: userEntry(message, { now: system.now(), status: 'delivered' }) },
    ...(call === undefined ? [] : callEntry(call.record, { step: null, at: system.now() })),
    ...(response?.entry === undefined ? [] : [{ type: 'entry-added' as const, entry: response.entry }]),
    ...unseenImagesNotice(dependencies, { turn, model }),
    { type: 'turn-updated', turn: turnView(turn, end) },
  ]
  let ordinal = 0
  await log.append(message.threadId, changes, async (transaction) => {
    const writer = writerOf(transaction)
    await options.alongside?.(writer)
    ordinal = await store.nextOrdinal(message.threadId, writer)
    await store.addTurn({ ...turn, status, ordinal }, writer)
    if (call === undefined) return
    await store.addStep(call.step, message.threadId, writer)
    await store.addCall(call.record, writer)
  })
  if (status !== 'running') return undefined
  const steps = call === undefined ? [] : [{ ...call.step, calls: [call.record] }]
  return { record: { ...turn, ordinal, steps }, sandbox }
}

/**
 * Returns a sandbox in which the call can start immediately. Only for calls that the guest knows by their id, because
 * others can't be found after a crash.
 */
async function readyFor(
  { sandbox }: Pick<TurnDependencies, 'sandbox'>,
  call: CallRecord,
): Promise<AwakeSandbox | undefined> {
  if (toolNamed(call.tool)?.recovery !== 'attach') return undefined
  return await sandbox.access.believedReady(call.threadId)
}

/** Columns of a call that is about to start. */
export function runningIn(sandbox: AwakeSandbox): { status: 'running'; bootId: string } {
  return { status: 'running', bootId: sandbox.bootId }
}

export function userEntry(
  message: Pick<NewMessage, 'entryId' | 'turnId' | 'text' | 'attachments' | 'authorId'>,
  options: { now: number; status: UserMessageEntry['status'] },
): UserMessageEntry {
  const { entryId, turnId, text, attachments, authorId } = message
  const entry = { id: entryId, turnId, at: options.now, kind: 'user-message' as const, text, attachments }
  return { ...entry, ...(authorId === null ? {} : { authorId }), status: options.status }
}

function newTurn(
  message: NewMessage,
  options: { now: number; mode: TurnRecord['mode']; model: UsableModel | undefined },
): TurnRecord {
  const { now, mode, model } = options
  const isAgent = mode === 'agent'
  return {
    id: message.turnId,
    threadId: message.threadId,
    ordinal: 0,
    mode,
    status: 'running',
    isStopRequested: false,
    isUnattended: message.isUnattended,
    authorId: message.authorId,
    modelId: isAgent ? (model?.connection.id ?? null) : null,
    modelName: isAgent ? (model?.connection.name ?? null) : null,
    firstModelId: null,
    userEntryId: message.entryId,
    userText: message.text,
    attachments: message.attachments,
    note: message.note,
    noteCodes: message.noteCodes,
    startedAt: now,
    allowanceFromStep: 0,
    allowanceFrom: now,
    steps: [],
  }
}

/** Adds a notice that the model doesn't get the images of the message. */
function unseenImagesNotice(
  { system }: Pick<Recording, 'system'>,
  { turn, model }: { turn: TurnRecord; model: UsableModel | undefined },
): ThreadChange[] {
  const images = turn.attachments.filter(isImage)
  if (turn.mode !== 'agent' || model?.connection.supportsImages !== false || images.length === 0) return []
  const params = { model: model.connection.name, count: images.length }
  return [{ type: 'entry-added', entry: notice(system, { turnId: turn.id, code: 'images-not-seen', params }) }]
}

/** The step and the call of a slash command that runs a tool. */
function callFor(
  dependencies: Pick<Recording, 'system'>,
  options: { turn: TurnRecord; command: ToolCommand },
): { step: StepRecord; record: CallRecord } {
  const { system } = dependencies
  const { turn, command } = options
  const step: StepRecord = {
    id: system.newId('step'),
    turnId: turn.id,
    index: 0,
    provider: 'direct',
    status: 'finished',
    isFinal: true,
    messages: [],
    entryIds: [],
    inputTokens: 0,
    outputTokens: 0,
    cachedInputTokens: 0,
    costUsd: null,
    estimatedTokens: 0,
    note: null,
    calls: [],
  }
  const record: CallRecord = {
    id: system.newId('call'),
    stepId: step.id,
    turnId: turn.id,
    threadId: turn.threadId,
    index: 0,
    ...toolFor(command),
    status: 'waiting',
    bootId: null,
    outputBytes: 0,
    keptOutputBytes: null,
    displays: 0,
    plan: null,
    output: null,
    stillRunning: [],
  }
  return { step, record }
}

/** The user watches and can stop it, so the limit that keeps an agent from waiting forever is raised to a day. */
const directTimeoutSeconds = 86_400

function toolFor(command: ToolCommand): Pick<CallRecord, 'tool' | 'input'> {
  switch (command.kind) {
    case 'run':
      return { tool: 'run_command', input: { command: command.command, timeout_seconds: directTimeoutSeconds } }
    case 'python':
      return { tool: 'run_python', input: { code: command.code, timeout_seconds: directTimeoutSeconds } }
    case 'share':
      return { tool: 'share_file', input: { path: command.path } }
    case 'look':
      return { tool: 'view_page', input: { url: command.url } }
    case 'serve': {
      const { port, command: line } = command
      return { tool: 'start_service', input: { name: `port-${port}`, port, command: line } }
    }
  }
}

type DirectAnswer = { entry?: NoticeEntry; failure?: TurnFailure }

/** The response of a turn that runs no tool and calls no model. */
async function answerFor(
  dependencies: Pick<TurnDependencies, 'sandbox' | 'system'>,
  options: { turn: TurnRecord; command: SlashCommand | undefined },
): Promise<DirectAnswer> {
  const { sandbox, system } = dependencies
  const { turn, command } = options
  const line = (code: NoticeEntry['code'], params: NoticeEntry['params'] = {}): DirectAnswer => ({
    entry: notice(system, { turnId: turn.id, code, params }),
  })
  try {
    if (command === undefined) return line('connect-model')
    if (command.kind === 'status') return line('sandbox-status', await sandbox.lifecycle.status(turn.threadId))
    if (command.kind !== 'pause') return line('help')
    await sandbox.lifecycle.pause(turn.threadId)
    return line('sandbox-paused', { cause: 'person' })
  } catch (error) {
    if (!isThreadboxError(error)) throw error
    const { message, remedy } = error
    return { failure: { code: 'sandbox', message, remedy, retryAt: null, actions: [] } }
  }
}
