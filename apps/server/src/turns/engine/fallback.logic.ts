import type { TurnFailure } from '@threadbox/protocol/public'
import type { UsableModel } from '../models/models.usecases.ts'

/** Why another model is asked. `circuit`: this one has failed often in the last minute. */
export type FallbackCause = 'rate-limited' | 'overloaded' | 'network' | 'circuit'

/** A limit that ends sooner is not worth another model. */
const longestWaitMs = 10_000

/**
 * Returns why another model can be asked after this failure; undefined for failures that another model does not avoid
 * (refusal, invalid input, full window, wrong key) or must not (the person’s limit).
 */
export function fallbackCauseOf(failure: TurnFailure, now: number): FallbackCause | undefined {
  if (failure.code === 'overloaded' || failure.code === 'network') return failure.code
  if (failure.code !== 'rate-limited') return undefined
  return failure.retryAt === null || failure.retryAt - now > longestWaitMs ? 'rate-limited' : undefined
}

export type FallbackNeeds = {
  /** Images of this turn that the first model sees. */
  hasImages: boolean
  /** The estimated size of the request; 0: not known. */
  tokens: number
  /** How full a window can get, as a share. */
  fill: number
  /** Only the first model’s provider may get the conversation. */
  staysWithProvider: boolean
}

/** Whether a model can continue what the first one was asked. */
export function canTakeOver(candidate: UsableModel, first: UsableModel, needs: FallbackNeeds): boolean {
  const { connection, contextTokens } = candidate
  if (connection.keySource === 'none' && needsKey(connection.provider)) return false
  if (needs.hasImages && first.connection.supportsImages && !connection.supportsImages) return false
  if (contextTokens < first.contextTokens && needs.tokens > contextTokens * needs.fill) return false
  return !needs.staysWithProvider || isSameProvider(connection, first.connection)
}

function needsKey(provider: UsableModel['connection']['provider']): boolean {
  return provider === 'anthropic' || provider === 'openai' || provider === 'google'
}

type Place = Pick<UsableModel['connection'], 'provider' | 'baseUrl'>

function isSameProvider(a: Place, b: Place): boolean {
  return a.provider === b.provider && a.baseUrl === b.baseUrl
}
