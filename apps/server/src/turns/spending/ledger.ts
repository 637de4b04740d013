import type { ModelConnection, UsageKind } from '@threadbox/protocol/public'
import type { Events } from '../../platform/events/events.ts'
import type { System } from '../../platform/system/system.ts'
import type { TurnEvents } from '../turns.events.ts'
import { type ModelUsage, noUsage } from './model-usage.ts'
import type { Price } from './prices.ts'
import { modelSpendError, unpricedError } from './spend-refusals.ts'
import type { SpendLimit, UsageStore } from './usage.store.ts'
import type { UsageRow } from './usage.table.ts'

/** Who pays for a request, and where it belongs. */
export type Payer = { userId: string; workspaceId: string | null; threadId: string | null; turnId: string | null }

/** The model that is asked, and its price now; null: not known. */
export type AskedModel = {
  connection: Pick<ModelConnection, 'id' | 'name' | 'provider' | 'model'>
  price: Price | null
}

export type SpendRequest = {
  /** The id of its row. */
  id: string
  payer: Payer
  kind: UsageKind
  model: AskedModel
  /** The estimated size of the request, and the longest response. */
  most: { inputTokens: number; outputTokens: number }
}

/** A request that is paid for. Exactly one of its ends must be called. */
export type Charge = {
  /** The longest response that is paid for: shorter than requested if the limit is near. */
  maxOutputTokens: number
  /** In millionths of a USD; null without a price. */
  costOf(usage: ModelUsage): number | null
  /** `isEstimated`: the provider’s count did not arrive. */
  settle(usage: ModelUsage, options?: { isEstimated: boolean }): Promise<void>
  /** Everything that was reserved: the response was lost on the way, and may have been generated. */
  settleInFull(): Promise<void>
  /** The provider did not respond, so it charges nothing. */
  cancel(): Promise<void>
}

/** What requests to models cost. Its rows stay when threads are deleted. */
export type Ledger = {
  /**
   * Reserves the most that a request can cost. Throws `quota.spend-used-up` if not even a short response fits into the
   * payer’s limit, `quota.installation-spend-used-up`, and `quota.model-unpriced`.
   */
  begin(request: SpendRequest): Promise<Charge>
  /** Settles in full a request that a crash interrupted. Does nothing when it is settled. */
  settleLost(id: string): Promise<void>
  /** Settles requests whose server no longer exists. */
  settleOld(): Promise<void>
}

/** No response takes as long; a request that old was interrupted by a crash. One that ends later replaces the estimate. */
const lostAfterMs = 15 * 60_000

/** What limits the spending of a person at this moment. */
export type SpendLimits = (payer: Payer) => Promise<{
  limits: readonly SpendLimit[]
  /** The payer’s time zone, for the day on which a limit starts again. */
  timeZone: string
  /** Requests to models without a price are not limited; false: they are refused when there is a limit. */
  allowsUnpriced: boolean
}>

/** A response that is shorter is of no use, so the request is refused instead. */
const leastOutputTokens = 1024
/** How much larger a request may be than its estimate, which counts characters. */
const inputMargin = 1.3

export function makeLedger(ports: {
  store: UsageStore
  limitsOf: SpendLimits
  system: Pick<System, 'now'>
  events?: Pick<Events<TurnEvents>, 'emit'>
}): Ledger {
  const { store, system, events } = ports
  const settleOld = () => store.settleLost({ before: system.now() - lostAfterMs })
  return {
    begin: async ({ id, payer, kind, model, most }) => {
      const { connection, price } = model
      const costOf = (usage: ModelUsage) => (price === null ? null : price.microUsdOf(usage))
      const rowOf = (usage: ModelUsage, isEstimated: boolean): UsageRow => ({
        id,
        at,
        user_id: payer.userId,
        workspace_id: payer.workspaceId,
        thread_id: payer.threadId,
        turn_id: payer.turnId,
        kind,
        model_id: connection.id,
        model_name: connection.name,
        provider: connection.provider,
        model: connection.model,
        input_tokens: usage.inputTokens,
        output_tokens: usage.outputTokens,
        cached_input_tokens: usage.cachedInputTokens,
        cache_write_tokens: usage.cacheWriteTokens,
        cost_micro_usd: costOf(usage),
        price_version: price?.version ?? null,
        is_estimated: isEstimated ? 1 : 0,
      })
      const at = system.now()
      const { limits, timeZone, allowsUnpriced } = await ports.limitsOf(payer)
      if (price === null && limits.length > 0 && !allowsUnpriced) throw unpricedError(connection.name)
      const inputTokens = Math.ceil(most.inputTokens * inputMargin)
      const usageWith = (outputTokens: number) => ({ ...noUsage, inputTokens, outputTokens })
      const version = price === null ? null : { id: price.version, definition_json: price.definition, created_at: at }
      const result = await store.reserve({
        price: version,
        limits: price === null ? [] : limits,
        rowFor: (left) => {
          const outputTokens = longestWithin(left, {
            most: most.outputTokens,
            costOf: (count) => costOf(usageWith(count)) ?? 0,
          })
          return outputTokens === undefined ? undefined : rowOf(usageWith(outputTokens), true)
        },
      })
      if ('exceeded' in result) {
        void events?.emit('quota-refused', { quota: 'modelMicroUsdPerMonth' })
        throw modelSpendError(result, timeZone)
      }
      const mostUsage = usageWith(result.row.output_tokens)
      const ended = (outcome: TurnEvents['model-request-ended']['outcome'], usage: ModelUsage) => {
        const { inputTokens, cachedInputTokens, outputTokens } = usage
        const tokens = { input: inputTokens, cached: cachedInputTokens, output: outputTokens }
        const took = { provider: connection.provider, outcome, seconds: (system.now() - at) / 1000 }
        void events?.emit('model-request-ended', { ...took, tokens, microUsd: costOf(usage) ?? 0 })
      }
      return {
        maxOutputTokens: result.row.output_tokens,
        costOf,
        settle: async (usage, options) => {
          const isEstimated = options?.isEstimated === true
          await store.settle(rowOf(usage, isEstimated))
          ended(isEstimated ? 'estimated' : 'answered', usage)
        },
        settleInFull: async () => {
          await store.settle(rowOf(mostUsage, true))
          ended('estimated', mostUsage)
        },
        cancel: async () => {
          await store.cancel(id)
          ended('rejected', noUsage)
        },
      }
    },
    settleLost: (id) => store.settleLost({ id }),
    settleOld,
  }
}

/** The longest response whose cost is within `left`; undefined if that is too short. */
function longestWithin(
  left: number,
  { most, costOf }: { most: number; costOf: (outputTokens: number) => number },
): number | undefined {
  if (costOf(most) <= left) return most
  let fits = Math.min(leastOutputTokens, most)
  if (costOf(fits) > left) return undefined
  let tooLong = most
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2)
    if (costOf(middle) <= left) fits = middle
    else tooLong = middle
  }
  return fits
}
