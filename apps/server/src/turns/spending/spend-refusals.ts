import { installationSpendUsedUp, modelSpendUsedUp, modelUnpriced } from '../../people/public.ts'
import { dayOf } from '../../platform/system/days.ts'
import type { SpendLimit } from './usage.store.ts'

/** The error of a request for which no money is left. */
export function modelSpendError({ exceeded, used }: { exceeded: SpendLimit; used: number }, timeZone: string): Error {
  const { microUsd, to, userId } = exceeded
  const facts = { used: usd(used), limit: usd(microUsd), resets: dayOf(to, timeZone), resetsAt: to }
  return userId === null ? installationSpendUsedUp(facts) : modelSpendUsedUp(facts)
}

export function unpricedError(model: string): Error {
  return modelUnpriced({ model })
}

/** With cents: what is left is rounded down by the reader. */
function usd(micro: number): string {
  return (micro / 1_000_000).toFixed(2)
}
