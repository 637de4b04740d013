import { createStore } from 'zustand/vanilla'
import { randomId } from '../../../page/client/random-id.ts'
import type { Readable } from '../../../page/client/readable.ts'
import type { AppMessage, ConsoleLine, Region } from '../../../preview-bridge/messages.ts'
import { bridgeMessageSchema, type Captured } from './bridge-messages.models.ts'

/**
 * What a page says of itself. `path` is null while none speaks: there is none, or it is one that cannot (a PDF).
 * `isLocked`: it allows no picture.
 */
export type PageSays = {
  path: string | null
  title: string
  isLocked: boolean
  lines: readonly ConsoleLine[]
  dropped: number
}

/**
 * The app's end of the bridge into the page of a preview. Whatever comes out of it was said by the page, which may be
 * hostile: it is bounded, shown as the page's, and never a reason to do something that the page could not do itself.
 */
export type PageBridge = {
  says: Readable<PageSays>
  /** Something that came from the page's window and origin. */
  receive(data: unknown): void
  /** Another page takes the place of this one. */
  leave(): void
  /** The frame has loaded something, which may be able to speak or not. */
  loaded(): void
  /**
   * Rejects when the page does not answer, answers what is no picture, or says that it could not; and when it is wanted no
   * longer: then the page is not heard about it any more.
   */
  capture(region: Region, options: { scale: number; signal: AbortSignal }): Promise<Captured>
  /** The box of the element at a point of the viewport; null when there is none or nobody answers. */
  pick(point: { x: number; y: number }): Promise<Region | null>
}

/** A page that sends more is not listened to until the second is over; the bridge itself sends a tenth of it. */
const messagesPerSecond = 200
const keptLines = 300
/** As often as it is told further what a page says. */
const tellMs = 100
/** Asked more than once: what the page before it sent without end may have used up the second of the first answer. */
const helloEveryMs = 1000
const hellos = 4
const captureTimeoutMs = 30_000
const pickTimeoutMs = 2000

const silent: PageSays = { path: null, title: '', isLocked: false, lines: [], dropped: 0 }

type Answer = Exclude<ReturnType<typeof bridgeMessageSchema.parse>, { threadbox: 'page' | 'console' }>

export function makePageBridge(options: { post: (message: AppMessage) => void; now: () => number }): PageBridge {
  const { post, now } = options
  const waiting = new Map<string, (answer: Answer | null) => void>()
  let says = silent
  const shown = createStore<PageSays>()(() => silent)
  let telling: ReturnType<typeof setTimeout> | undefined
  let silence: ReturnType<typeof setTimeout> | undefined
  let second = { start: 0, count: 0 }

  const tell = () => {
    telling = undefined
    shown.setState(says, true)
  }
  const change = (values: Partial<PageSays>) => {
    says = { ...says, ...values }
    if (telling === undefined) telling = setTimeout(tell, tellMs)
  }
  const isTooMuch = () => {
    const at = now()
    if (at - second.start >= 1000 || at < second.start) second = { start: at, count: 0 }
    second.count += 1
    return second.count > messagesPerSecond
  }
  const ask = async (message: AppMessage & { id: string }, options: { timeoutMs: number; signal?: AbortSignal }) => {
    const { timeoutMs, signal } = options
    signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<Answer | null>()
    const end = (reason: unknown) => {
      waiting.delete(message.id)
      reject(reason)
    }
    const cancel = () => end(signal?.reason)
    const timer = setTimeout(() => end(new Error('The page didn’t respond.')), timeoutMs)
    signal?.addEventListener('abort', cancel)
    waiting.set(message.id, resolve)
    post(message)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', cancel)
      waiting.delete(message.id)
    }
  }
  return {
    says: shown,
    receive: (data) => {
      const answered = waiting.get(idOf(data))
      if (answered === undefined && isTooMuch()) return
      const { data: message } = bridgeMessageSchema.safeParse(data)
      // Who knows the number of a question is the page that was asked: it will not answer better later.
      if (message === undefined) return answered?.(null)
      clearTimeout(silence)
      if (message.threadbox === 'page') {
        const { path, title, isLocked, isNew } = message
        change({ path, title, isLocked, ...(isNew ? { lines: [], dropped: 0 } : {}) })
      } else if (message.threadbox === 'console') {
        const lines = [...says.lines, ...message.lines].slice(-keptLines)
        change({ lines, dropped: says.dropped + message.dropped })
      } else {
        answered?.(message)
      }
    },
    leave: () => {
      clearTimeout(silence)
      change(silent)
    },
    loaded: () => {
      clearTimeout(silence)
      const greet = (left: number) => {
        post({ threadbox: 'hello' })
        silence = setTimeout(() => (left > 1 ? greet(left - 1) : change(silent)), helloEveryMs)
      }
      greet(hellos)
    },
    // Ids that nobody guesses: another frame of the page cannot answer in its place.
    capture: async (region, { scale, signal }) => {
      const order = { threadbox: 'capture', id: randomId(), region, scale } as const
      const answer = await ask(order, { timeoutMs: captureTimeoutMs, signal })
      if (answer?.threadbox === 'captured') return answer
      throw new Error(answer?.threadbox === 'failed' ? answer.message : 'The page sent an unexpected response.')
    },
    pick: async (point) => {
      const question = { threadbox: 'pick', id: randomId(), ...point } as const
      const answer = await ask(question, { timeoutMs: pickTimeoutMs }).catch(() => null)
      return answer?.threadbox === 'picked' ? answer.region : null
    },
  }
}

function idOf(data: unknown): string {
  const id = typeof data === 'object' && data !== null && 'id' in data ? data.id : ''
  return typeof id === 'string' && id.length <= 64 ? id : ''
}
