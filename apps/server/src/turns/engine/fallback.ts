import type { ThreadChange } from '../../threads/public.ts'
import type { UsableModel } from '../models/models.usecases.ts'
import { writerOf } from '../record/turn-history.ts'
import type { TurnRecord } from '../record/turn-record.ts'
import { canTakeOver, type FallbackCause, type FallbackNeeds } from './fallback.logic.ts'
import { isImage } from './history.logic.ts'
import { notice, type Recording, type TurnDependencies, turnView } from './turn-dependencies.ts'

/** Dependencies of `nextModel` and `switchModel`. */
export type FallbackDependencies = Recording & Pick<TurnDependencies, 'above' | 'models' | 'settings'>

/**
 * Returns the model that takes over from the turn’s present one: the next in the list of the model that the turn began
 * with, which stays for the rest of the turn. Undefined if none can.
 */
export async function nextModel(
  dependencies: FallbackDependencies,
  { turn, tokens }: { turn: TurnRecord; tokens: number },
): Promise<UsableModel | undefined> {
  const { models } = dependencies
  const firstId = turn.firstModelId ?? turn.modelId
  const first = firstId === null ? undefined : await models.usable(firstId)
  if (first === undefined || first.connection.id !== firstId) return undefined
  const order = [firstId, ...first.connection.fallbackIds]
  const candidates = order.slice(order.indexOf(turn.modelId ?? firstId) + 1)
  const needs: FallbackNeeds = {
    hasImages: hasImages(turn),
    tokens,
    fill: dependencies.settings.compactAtPercent / 100,
    staysWithProvider: await dependencies.models.staysWithProvider(turn.threadId),
  }
  for (const id of candidates) {
    const candidate = await models.usable(id)
    // A model that was removed is not replaced by the default one.
    if (candidate?.connection.id !== id || models.circuits.isOpen(id)) continue
    if (canTakeOver(candidate, first, needs)) return candidate
  }
  return undefined
}

/** Lets another model continue the turn, and says why in the conversation. */
export async function switchModel(
  dependencies: Recording & Pick<TurnDependencies, 'above'>,
  options: { turn: TurnRecord; to: UsableModel; cause: FallbackCause },
): Promise<void> {
  const { log, store, system } = dependencies
  const { turn, to, cause } = options
  const { id, name } = to.connection
  const change = { modelId: id, modelName: name, firstModelId: turn.firstModelId ?? turn.modelId }
  const params = { from: turn.modelName ?? '', to: name, cause }
  const changes: ThreadChange[] = [
    { type: 'entry-added', entry: notice(system, { turnId: turn.id, code: 'model-fallback', params }) },
    { type: 'turn-updated', turn: turnView({ ...turn, ...change }, { status: 'running', endedAt: null }) },
  ]
  await log.append(turn.threadId, changes, (transaction) => store.changeTurn(turn.id, change, writerOf(transaction)))
  void dependencies.above.events.emit('model-fell-back', { cause })
}

function hasImages(turn: TurnRecord): boolean {
  const outputs = turn.steps.flatMap((step) => step.calls.map((call) => call.output))
  return turn.attachments.some(isImage) || outputs.some((output) => output?.image !== undefined)
}
