/** Items for one reader that can be slower than the writer; reports when it is too full and when it is empty again. */
export type ByteQueue<Item> = {
  push(item: Item, sizeBytes: number): void
  /** No more items; the reader gets what is left. */
  end(): void
  readonly isFull: boolean
  /** Yields items until the end, or until the signal aborts. Yields `idle` after each `idleMs` without items. */
  read(options: { signal: AbortSignal; idleMs: number; idle: Item }): AsyncGenerator<Item>
}

/** A reader that is further behind than this makes the writing program wait. */
const fullBytes = 1024 * 1024

export function makeByteQueue<Item>(onRoom: () => void): ByteQueue<Item> {
  let items: { item: Item; sizeBytes: number }[] = []
  let held = 0
  let ended = false
  let wake = () => {}
  const take = () => {
    const first = items.shift()
    if (first === undefined) return undefined
    const wasFull = held >= fullBytes
    held -= first.sizeBytes
    if (wasFull && held < fullBytes) onRoom()
    return first
  }
  return {
    push: (item, sizeBytes) => {
      items.push({ item, sizeBytes })
      held += sizeBytes
      wake()
    },
    end: () => {
      ended = true
      wake()
    },
    get isFull() {
      return held >= fullBytes
    },
    async *read({ signal, idleMs, idle }) {
      try {
        while (!signal.aborted) {
          const next = take()
          if (next !== undefined) yield next.item
          else if (ended) return
          else if (
            !(await wokenWithin({
              signal,
              idleMs,
              setWake: (call) => {
                wake = call
              },
            }))
          )
            yield idle
        }
      } finally {
        items = []
        held = 0
        onRoom()
      }
    },
  }
}

/** False when nothing has happened for `idleMs`. */
function wokenWithin(options: {
  signal: AbortSignal
  idleMs: number
  setWake(call: () => void): void
}): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => settle(false), options.idleMs)
    const settle = (woken: boolean) => {
      clearTimeout(timer)
      options.signal.removeEventListener('abort', onAbort)
      options.setWake(() => {})
      resolve(woken)
    }
    const onAbort = () => settle(true)
    options.signal.addEventListener('abort', onAbort, { once: true })
    options.setWake(() => settle(true))
  })
}
