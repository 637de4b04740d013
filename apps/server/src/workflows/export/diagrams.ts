import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { LRUCache } from 'lru-cache'

/** Draws the diagrams of one export; ended with it. */
export type DiagramDrawer = AsyncDisposable & {
  /** The picture (SVG); null for a kind of diagram, a size or a mistake that it cannot draw. */
  draw(source: string): Promise<string | null>
}

/** A layout of this much text takes under a second; the limits are for sources that were made to take long. */
const limits = { characters: 20_000, timeMs: 10_000, memoryMegabytes: 256 }

/** A shared page is read many times; its pictures are drawn once. `none`: could not be drawn. */
const drawn = new LRUCache<string, { svg: string } | 'none'>({
  maxSize: 16 * 1024 * 1024,
  sizeCalculation: (value, source) => source.length + (value === 'none' ? 1 : value.svg.length),
})

/** In a thread of its own, which is ended when a source takes too long; the rest is drawn by another one. */
export function makeDiagramDrawer(): DiagramDrawer {
  let thread: Worker | undefined
  const end = async () => {
    await thread?.terminate()
    thread = undefined
  }
  const drawAnew = async (source: string): Promise<string | null> => {
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
      const svg = await drawAnew(source)
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
  // Whoever waits for a picture hears of it too; between two pictures nobody does.
  thread.on('error', () => undefined)
  return thread
}
