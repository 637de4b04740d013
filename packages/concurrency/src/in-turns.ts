import { setImmediate as nextTurn } from 'node:timers/promises'

/** How long the values of one stream are handled before everything else gets its turn. */
const turnMs = 5

/**
 * The same values. A stream that never has to wait for its source, and whose values are handled without waiting, would keep the process from
 * doing anything else.
 */
export async function* inTurns<Value>(values: AsyncIterable<Value>): AsyncGenerator<Value, void, undefined> {
  let startedAt = performance.now()
  for await (const value of values) {
    yield value
    if (performance.now() - startedAt < turnMs) continue
    await nextTurn()
    startedAt = performance.now()
  }
}
