import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { LRUCache } from 'lru-cache'

/** Draws the diagrams of one export and is disposed with it. */
export type DiagramDrawer = AsyncDisposable & {
  /** Returns the diagram as SVG; null for a kind of diagram, a size or a mistake that it cannot draw. */
  draw(source: string): Promise<string | null>
}

/** A layout of this much text takes less than 1 s; the limits protect against sources that are made to take long. */
const limits = { characters: 20_000, timeMs: 10_000, memoryMegabytes: 256 }

/** A shared page is read many times; its diagrams are drawn once. `none`: could not be drawn. */
const drawn = new LRUCache<string, { svg: string } | 'none'>({
  maxSize: 16 * 1024 * 1024,
  sizeCalculation: (value, source) => source.length + (value === 'none' ? 1 : value.svg.length),
})

/** Draws in a worker thread, which is terminated when a source takes too long; another one draws the rest. */
export function makeDiagramDrawer(): DiagramDrawer {
  let thread: Worker | undefined
  const end = async () => {
    await thread?.terminate()
    thread = undefined
  }
  const drawUncached = async (source: string): Promise<string | null> => {
    thread ??= startThread()
    const reply = once(thread, 'message', { signal: AbortSignal.timeout(limits.timeMs) })
    thread.postMessage(source)
    try {
      const [svg] = (await reply) as [string | null]
      return svg
    } catch {
      await end()
      return null
    }
  }
  return {
    async draw(source) {
      if (source.length > limits.characters) return null
      const known = drawn.get(source)
      if (known !== undefined) return known === 'none' ? null : known.svg
      const svg = await drawUncached(source)
      drawn.set(source, svg === null ? 'none' : { svg })
      return svg
    },
    [Symbol.asyncDispose]: end,
  }
}

function startThread(): Worker {
  const here = dirname(import.meta.filename)
  const isSource = import.meta.filename.endsWith('.ts')
  const file = isSource ? join(here, 'draw-diagram/main.ts') : join(here, '../diagram-drawer/main.js')
  const thread = new Worker(file, {
    env: {},
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: limits.memoryMegabytes },
  })
  thread.unref()
  // A pending `draw` gets the error too; between two drawings there is no other listener.
  thread.on('error', () => undefined)
  return thread
}
