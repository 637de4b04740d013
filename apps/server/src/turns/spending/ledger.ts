import type { ModelConnection, UsageKind } from '@threadbox/protocol/public'
import type { System } from '../../platform/system/system.ts'
import { type ModelUsage, noUsage } from './model-usage.ts'
import type { Price } from './prices.ts'
import type { UsageStore } from './usage.store.ts'
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
  /** Reserves the most that a request can cost. */
  begin(request: SpendRequest): Promise<Charge>
  /** Settles in full a request that a crash interrupted. Does nothing when it is settled. */
  settleLost(id: string): Promise<void>
  /** Settles requests whose server does not exist any more. */
  settleOld(): Promise<void>
}

/** No response takes as long; a request that old was interrupted by a crash. One that ends later replaces the estimate. */
const lostAfterMs = 15 * 60_000

export function makeLedger({ store, system }: { store: UsageStore; system: Pick<System, 'now'> }): Ledger {
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
      const mostUsage = { ...noUsage, ...most }
      const version = price === null ? null : { id: price.version, definition_json: price.definition, created_at: at }
      await store.reserve(rowOf(mostUsage, true), version)
      return {
        costOf,
        settle: (usage, options) => store.settle(rowOf(usage, options?.isEstimated === true)),
        settleInFull: () => store.settle(rowOf(mostUsage, true)),
        cancel: () => store.cancel(id),
      }
    },
    settleLost: (id) => store.settleLost({ id }),
    settleOld,
  }
}
