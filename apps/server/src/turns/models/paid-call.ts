import type { Charge, Ledger, SpendRequest } from '../spending/ledger.ts'
import { noUsage } from '../spending/model-usage.ts'
import { callModel, type ModelAnswer, type ModelPart, type ModelRequest } from './model-call.ts'
import { owedAfter } from './owed.logic.ts'

export type PaidAnswer = {
  answer: ModelAnswer
  /** In millionths of a USD; null: the model has no price. */
  microUsd: number | null
}

/** Lower than the average of all languages, so that an estimate is not too low. */
const charactersPerToken = 3

/**
 * Calls a model, with what it can cost reserved before and settled after. When it fails, what the provider may charge is
 * settled as an estimate. Rejects as {@link callModel}.
 */
export async function callPaidModel(
  ledger: Pick<Ledger, 'begin'>,
  call: {
    request: ModelRequest
    spend: Omit<SpendRequest, 'most'> & { inputTokens: number }
  },
  onPart: (part: ModelPart) => Promise<void>,
): Promise<PaidAnswer> {
  const { request } = call
  const { inputTokens, ...spend } = call.spend
  const charge = await ledger.begin({ ...spend, most: { inputTokens, outputTokens: request.maxOutputTokens } })
  let characters = 0
  const counted = async (part: ModelPart) => {
    if (part.kind === 'block-delta') characters += part.text.length
    await onPart(part)
  }
  let answer: ModelAnswer
  try {
    answer = await callModel({ ...request, maxOutputTokens: charge.maxOutputTokens }, counted)
  } catch (error) {
    await settleFailed(charge, { error, isStopped: request.signal.aborted, inputTokens, characters })
    throw error
  }
  await charge.settle(answer.usage)
  return { answer, microUsd: charge.costOf(answer.usage) }
}

async function settleFailed(
  charge: Charge,
  failed: { error: unknown; isStopped: boolean; inputTokens: number; characters: number },
): Promise<void> {
  const { error, isStopped, inputTokens, characters } = failed
  const owed = owedAfter(error, { isStopped, hasReceived: characters > 0 })
  if (owed === 'nothing') return await charge.cancel()
  if (owed === 'everything') return await charge.settleInFull()
  const outputTokens = Math.ceil(characters / charactersPerToken)
  await charge.settle({ ...noUsage, inputTokens, outputTokens }, { isEstimated: true })
}
