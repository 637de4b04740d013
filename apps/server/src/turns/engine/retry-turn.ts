import type { Entry } from '@threadbox/protocol/public'
import type { ThreadChange } from '../../threads/public.ts'
import { writerOf } from '../record/turn-history.ts'
import type { StepRecord, TurnRecord } from '../record/turn-record.ts'
import { slashCommandIn } from './slash-command.logic.ts'
import { notice, type Recording, type TurnDependencies, turnView } from './turn-dependencies.ts'
import { noModelConnected, turnNotRepeatable, turnRunning } from './turns.errors.ts'

/**
 * Runs the last turn of a thread again. `retry` discards its last response, complete or cut off; `continue` keeps it.
 * Completed tool calls stay and are not repeated. Another model can continue the turn.
 */
export async function retryTurn(
  dependencies: Recording & Pick<TurnDependencies, 'models' | 'threads'>,
  threadId: string,
  options: { mode: 'retry' | 'continue'; modelId?: string | undefined },
): Promise<TurnRecord> {
  const { store, log, models, system } = dependencies
  const turn = await store.lastTurn(threadId)
  if (turn === undefined) throw turnNotRepeatable({})
  if (turn.status === 'running') throw turnRunning({})
  if (!isRepeatable(turn)) throw turnNotRepeatable({})
  const facts = await dependencies.threads.facts(threadId)
  const model = await models.usable(options.modelId ?? turn.firstModelId ?? turn.modelId ?? facts?.modelId ?? null)
  if (model === undefined) throw noModelConnected({})
  const discarded = options.mode === 'retry' ? stepsToDiscard(turn) : []
  const change = {
    mode: 'agent' as const,
    status: 'running' as const,
    isStopRequested: false,
    modelId: model.connection.id,
    modelName: model.connection.name,
    firstModelId: null,
    allowanceFromStep: (turn.steps.at(-1)?.index ?? -1) + 1,
    allowanceFrom: system.now(),
  }
  const retried = { ...turn, ...change }
  const isSwitched = turn.modelId !== null && turn.modelId !== model.connection.id
  const params = { from: turn.modelName ?? '', to: model.connection.name }
  const changes: ThreadChange[] = [
    ...discarded.flatMap((step) => step.entryIds.map((entryId): ThreadChange => ({ type: 'entry-removed', entryId }))),
    ...(await outdatedNotices(dependencies, turn)).map(
      ({ id }): ThreadChange => ({ type: 'entry-removed', entryId: id }),
    ),
    ...(isSwitched
      ? [{ type: 'entry-added' as const, entry: notice(system, { turnId: turn.id, code: 'model-switched', params }) }]
      : []),
    { type: 'turn-updated', turn: turnView(retried, { status: 'running', endedAt: null }) },
  ]
  await log.append(threadId, changes, async (transaction) => {
    const writer = writerOf(transaction)
    await store.changeTurn(turn.id, change, writer)
    for (const step of discarded) await store.changeStep(step.id, { status: 'discarded', entryIds: [] }, writer)
    // A complete response that is continued is no longer the end of its turn.
    const last = turn.steps.findLast((step) => step.status === 'finished' && step.isFinal)
    if (options.mode === 'continue' && last !== undefined)
      await store.changeStep(last.id, { status: 'partial' }, writer)
  })
  return retried
}

/** A turn for a model, or a message for which no model was connected. */
function isRepeatable(turn: TurnRecord): boolean {
  return turn.mode === 'agent' || (turn.steps.length === 0 && slashCommandIn(turn.userText) === undefined)
}

function stepsToDiscard(turn: TurnRecord): StepRecord[] {
  const shown = turn.steps.filter((step) => step.status !== 'discarded')
  const last = shown.at(-1)
  const isAnswer = last !== undefined && (last.status === 'partial' || (last.status === 'finished' && last.isFinal))
  return isAnswer ? [last] : []
}

async function outdatedNotices(dependencies: Pick<Recording, 'log'>, turn: TurnRecord): Promise<Entry[]> {
  const codes = ['turn-stopped', 'connect-model', 'model-available']
  const entries = await dependencies.log.entries(turn.threadId)
  return entries.filter((entry) => entry.turnId === turn.id && entry.kind === 'notice' && codes.includes(entry.code))
}
