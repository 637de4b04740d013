import { isThreadboxError } from '@threadbox/errors'
import type { ToolCallEntry } from '@threadbox/protocol/public'
import { excerptOfText, formatBytes } from '../../platform/texts/excerpt.logic.ts'
import { resultBlob, type ThreadChange } from '../../threads/public.ts'
import type { ConnectionPlan } from '../connections/agent-connections.ts'
import type { CallContent } from '../connections/call-content.logic.ts'
import { connectionApprovalMissing, connectionToolGone } from '../connections/connections.errors.ts'
import { type CallChange, writerOf } from '../record/turn-history.ts'
import type { CallOutcome, CallRecord, TurnRecord } from '../record/turn-record.ts'
import { failedWith } from '../tools/outcomes.ts'
import { callInputInvalid, callInterrupted, callStopped } from '../tools/tools.errors.ts'
import { callEntryOf, finishCall, unexpectedOutcome } from './call-end.ts'
import type { Recording, TurnDependencies } from './turn-dependencies.ts'
import type { CallOrder } from './turn-state.logic.ts'

/** Dependencies of calls to tools of connections. */
export type ConnectionCallDependencies = Recording &
  Pick<TurnDependencies, 'connections' | 'blobs' | 'settings' | 'logger'>

/** Size of the part of a result that the conversation contains; the complete result has its own URL. */
const shownCharacters = 16 * 1024

type ConnectionCall = {
  turn: TurnRecord
  call: CallRecord
  order: CallOrder
  signal: AbortSignal
  leave: AbortSignal
}

/** Returns the connection and tool that a recorded call is for; undefined for a built-in tool. */
export function connectionPlanOf(call: Pick<CallRecord, 'tool' | 'plan'>): ConnectionPlan | undefined {
  const plan = call.plan as Partial<ConnectionPlan> | null
  return typeof plan?.connectionId === 'string' ? (plan as ConnectionPlan) : undefined
}

/**
 * Runs a call of a connection's tool to its end, or until it needs approval. Needs no sandbox. A call that a crash cut
 * off is not repeated, because it is unknown what the server did.
 */
export async function runConnectionCall(dependencies: ConnectionCallDependencies, one: ConnectionCall): Promise<void> {
  const { call, order } = one
  const finish = (outcome: CallOutcome | undefined) =>
    finishCall(dependencies, { call, outcome: outcome ?? unexpectedOutcome })
  const plan = connectionPlanOf(call)
  if (order.how === 'cancel' || order.how === 'stop') return await finish(failedWith(callStopped({}), 'stopped'))
  if (order.how === 'resume') return await finish(failedWith(callInterrupted({}), 'interrupted'))
  if (plan === undefined) return await finish(failedWith(connectionToolGone({ tool: call.tool })))
  if (typeof call.input !== 'object' || call.input === null || Array.isArray(call.input)) {
    return await finish(failedWith(callInputInvalid({ problem: 'the input is not an object.' })))
  }
  try {
    const permission = await dependencies.connections.permission(call.threadId, plan)
    if (permission === 'ask') return await askPerson(dependencies, { ...one, plan })
    await changeStatus(dependencies, { call, change: { status: 'running' } })
    const input = call.input as Record<string, unknown>
    const signal = AbortSignal.any([one.signal, one.leave])
    const result = await dependencies.connections.call(call.threadId, plan, { input, signal })
    if (result.kind === 'ask') return await askPerson(dependencies, { ...one, plan })
    await finish(await outcomeOf(dependencies, { call, content: result.content }))
  } catch (error) {
    if (one.leave.aborted) throw error
    if (one.signal.aborted) return await finish(failedWith(callStopped({}), 'stopped'))
    if (!isThreadboxError(error)) {
      dependencies.logger.error({ err: error, callId: call.id }, 'call of a connection failed unexpectedly')
    }
    await finish(failedWith(error))
  }
}

/** Waits for approval of the tool as currently described. In an unattended turn the call fails. */
async function askPerson(
  dependencies: Recording & Pick<TurnDependencies, 'connections'>,
  { turn, call, plan }: ConnectionCall & { plan: ConnectionPlan },
): Promise<void> {
  if (turn.isUnattended) {
    const outcome = failedWith(connectionApprovalMissing({ tool: plan.tool }))
    return await finishCall(dependencies, { call, outcome: outcome ?? unexpectedOutcome })
  }
  const question = await dependencies.connections.question(call.threadId, plan)
  const change = { status: 'awaiting-approval' as const, plan: question.plan }
  await changeStatus(dependencies, { call, change, connection: question.connection })
}

async function changeStatus(
  dependencies: Recording,
  options: {
    call: CallRecord
    change: CallChange & { status: 'running' | 'awaiting-approval' }
    connection?: ToolCallEntry['connection']
  },
): Promise<void> {
  const { log, store, system } = dependencies
  const { call, change, connection } = options
  const entry = await callEntryOf(dependencies, call)
  const startedAt = change.status === 'running' ? system.now() : null
  const named = connection === undefined ? {} : { connection }
  const changes: ThreadChange[] =
    entry === undefined
      ? []
      : [{ type: 'entry-updated', entry: { ...entry, ...named, status: change.status, startedAt } }]
  await log.append(call.threadId, changes, (transaction) => store.changeCall(call.id, change, writerOf(transaction)))
}

/** Stores a server's result and returns what the conversation and the model get of it. */
async function outcomeOf(
  { blobs, settings }: Pick<TurnDependencies, 'blobs' | 'settings'>,
  { call, content }: { call: CallRecord; content: CallContent },
): Promise<CallOutcome> {
  const { text, notes } = content
  const bytes = Buffer.from(text)
  const images = await Promise.all(
    content.images.map(async (image, index) => {
      const blob = resultBlob(call, `image-${index + 1}`)
      await blobs.put(blob.key, image.bytes)
      return { ...blob, mediaType: image.mediaType, sizeBytes: image.bytes.length }
    }),
  )
  const isCut = text.length > shownCharacters
  const whole = resultBlob(call, 'answer')
  if (isCut) await blobs.put(whole.key, bytes)
  const [first, ...further] = images.map(({ key, mediaType }) => ({ key, mediaType }))
  const imageLines = images.map(({ sizeBytes, mediaType }) => `(an image, ${mediaType}, ${formatBytes(sizeBytes)})`)
  const parts = [
    excerptOfText(text, settings.toolOutputCharacters).text,
    ...imageLines,
    ...notes.map((note) => `[${note}]`),
  ]
  const forModel = parts.filter((part) => part !== '').join('\n')
  return {
    status: content.isError ? 'failed' : 'succeeded',
    result: {
      kind: 'connection',
      text: isCut ? text.slice(0, shownCharacters) : text,
      sizeBytes: bytes.length,
      url: isCut ? whole.url : null,
      images: images.map(({ mediaType, sizeBytes, url }) => ({ mediaType, sizeBytes, url })),
      notes,
    },
    error: content.isError ? serverSaysFailed : null,
    output: {
      text: forModel === '' ? '(empty result)' : forModel,
      isError: content.isError,
      ...(first === undefined ? {} : { image: first }),
      ...(further.length === 0 ? {} : { furtherImages: further }),
    },
  }
}

const serverSaysFailed = {
  code: 'connection.call-failed',
  message: 'The MCP server reported that the call failed.',
  remedy: 'See its result for the reason.',
}
