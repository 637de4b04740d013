import { createStore } from 'zustand/vanilla'
import { randomId } from '../../../page/client/random-id.ts'
import type { Readable } from '../../../page/client/readable.ts'
import type { AppMessage, ConsoleLine, Region } from '../../../preview-bridge/messages.ts'
import { bridgeMessageSchema, type Captured } from './bridge-messages.logic.ts'

/**
 * What a page reports about itself. `path` is null while no page reports: none is loaded, or it can’t report (a PDF).
 * `isLocked`: no screenshot of it can be taken.
 */
export type PageState = {
  path: string | null
  title: string
  isLocked: boolean
  lines: readonly ConsoleLine[]
  dropped: number
}

/**
 * The app’s end of the bridge into a previewed page. Everything received is a claim of the page, which can be hostile:
 * it is bounded, shown as the page’s, and never a reason to do something that the page could not do itself.
 */
export type PageBridge = {
  page: Readable<PageState>
  /** Takes a message that came from the page’s window and origin. */
  receive(data: unknown): void
  /** Another page replaces this one. */
  leave(): void
  /** The frame has loaded a document, with or without a bridge in it. */
  loaded(): void
  /**
   * Rejects if the page doesn’t respond, sends something other than an image, or reports a failure, and when `signal`
   * aborts. A response after that is ignored.
   */
  capture(region: Region, options: { scale: number; signal: AbortSignal }): Promise<Captured>
  /** The box of the element at a point of the viewport; null if there is none or the page doesn’t respond. */
  pick(point: { x: number; y: number }): Promise<Region | null>
}

/** Further messages within the same second are ignored. The bridge sends a tenth of this. */
const messagesPerSecond = 200
const keptLines = 300
/** Readers get the state of a page at most this often. */
const publishMs = 100
/**
 * Asked more than once: a flood from the previous page may have used up the message limit when the first reply arrives.
 */
const helloEveryMs = 1000
const hellos = 4
const captureTimeoutMs = 30_000
const pickTimeoutMs = 2000

const silent: PageState = { path: null, title: '', isLocked: false, lines: [], dropped: 0 }

type Reply = Exclude<ReturnType<typeof bridgeMessageSchema.parse>, { threadbox: 'page' | 'console' }>

export function makePageBridge(options: { post: (message: AppMessage) => void; now: () => number }): PageBridge {
  const { post, now } = options
  const waiting = new Map<string, (reply: Reply | null) => void>()
  let state = silent
  const published = createStore<PageState>()(() => silent)
  let publishTimer: ReturnType<typeof setTimeout> | undefined
  let silence: ReturnType<typeof setTimeout> | undefined
  let second = { start: 0, count: 0 }

  const publish = () => {
    publishTimer = undefined
    published.setState(state, true)
  }
  const change = (values: Partial<PageState>) => {
    state = { ...state, ...values }
    if (publishTimer === undefined) publishTimer = setTimeout(publish, publishMs)
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
    const { promise, resolve, reject } = Promise.withResolvers<Reply | null>()
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
    page: published,
    receive: (data) => {
      const settle = waiting.get(idOf(data))
      if (settle === undefined && isTooMuch()) return
      const { data: message } = bridgeMessageSchema.safeParse(data)
      // Only the page that was asked knows the ID, so an invalid reply is final: a valid one won’t follow.
      if (message === undefined) return settle?.(null)
      clearTimeout(silence)
      if (message.threadbox === 'page') {
        const { path, title, isLocked, isNew } = message
        change({ path, title, isLocked, ...(isNew ? { lines: [], dropped: 0 } : {}) })
      } else if (message.threadbox === 'console') {
        const lines = [...state.lines, ...message.lines].slice(-keptLines)
        change({ lines, dropped: state.dropped + message.dropped })
      } else {
        settle?.(message)
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
    // Random IDs: another frame of the page can’t guess one and reply instead.
    capture: async (region, { scale, signal }) => {
      const order = { threadbox: 'capture', id: randomId(), region, scale } as const
      const reply = await ask(order, { timeoutMs: captureTimeoutMs, signal })
      if (reply?.threadbox === 'captured') return reply
      throw new Error(reply?.threadbox === 'failed' ? reply.message : 'The page sent an unexpected response.')
    },
    pick: async (point) => {
      const question = { threadbox: 'pick', id: randomId(), ...point } as const
      const reply = await ask(question, { timeoutMs: pickTimeoutMs }).catch(() => null)
      return reply?.threadbox === 'picked' ? reply.region : null
    },
  }
}

function idOf(data: unknown): string {
  const id = typeof data === 'object' && data !== null && 'id' in data ? data.id : ''
  return typeof id === 'string' && id.length <= 64 ? id : ''
}
