import { setImmediate } from 'node:timers/promises'

/** Bounds how long one program works, and with it how long a new order waits. */
const batchSize = 64

export type Batches<Order, Result> = {
  /** Rejects with the reason of this order only. */
  add(order: Order): Promise<Result>
  /** Resolves when no order is in progress. */
  settled(): Promise<void>
}

/**
 * Carries out orders that arrive at the same time, or while others are in progress, together: starting a program takes
 * milliseconds however much it does. `run` reports the outcome of each order, in their order.
 */
export function makeBatches<Order, Result>(
  run: (orders: Order[]) => Promise<PromiseSettledResult<Result>[]>,
): Batches<Order, Result> {
  type Waiting = { order: Order; resolve: (result: Result) => void; reject: (reason: unknown) => void }
  const waiting: Waiting[] = []
  let draining: Promise<void> | undefined

  const drain = async () => {
    // The other orders of this moment.
    await setImmediate()
    while (waiting.length > 0) {
      const batch = waiting.splice(0, batchSize)
      const outcomes = await run(batch.map(({ order }) => order)).catch((reason: unknown) =>
        batch.map(() => ({ status: 'rejected' as const, reason })),
      )
      for (const [index, { resolve, reject }] of batch.entries()) {
        const outcome = outcomes[index]
        if (outcome?.status === 'fulfilled') resolve(outcome.value)
        else reject(outcome?.reason)
      }
    }
    draining = undefined
  }
  return {
    add: (order) =>
      new Promise((resolve, reject) => {
        waiting.push({ order, resolve, reject })
        draining ??= drain()
      }),
    settled: async () => await draining,
  }
}

/** Runs all orders together. If that fails, each alone, so that one bad order does not fail the others. */
export async function togetherOrEach<Order>(
  orders: readonly Order[],
  run: (orders: readonly Order[]) => Promise<unknown>,
): Promise<PromiseSettledResult<void>[]> {
  const outcomes: PromiseSettledResult<void>[] = []
  const together = await outcomeOf(run(orders))
  for (const order of orders) {
    const isFinal = together.status === 'fulfilled' || orders.length === 1
    outcomes.push(isFinal ? together : await outcomeOf(run([order])))
  }
  return outcomes
}

async function outcomeOf(work: Promise<unknown>): Promise<PromiseSettledResult<void>> {
  return await work.then(
    () => ({ status: 'fulfilled', value: undefined }),
    (reason: unknown) => ({ status: 'rejected', reason }),
  )
}
