import {
  type Attachment,
  applyThreadEvent,
  type ThreadboxClient,
  type ThreadEvent,
  type ThreadState,
  threadStateOf,
  withOlderPage,
} from '@threadbox/sdk'
import { createStore } from 'zustand/vanilla'
import type { Readable } from '../../client/readable.ts'

/** A message sent from here that the server hasn’t confirmed yet. */
export type OutgoingMessage = {
  key: string
  text: string
  attachments: readonly Attachment[]
  status: 'sending' | 'failed'
}

/** A conversation as the page sees it. `state` is null until the first page of entries is loaded. */
export type ThreadSnapshot = {
  state: ThreadState | null
  error: unknown
  isLoadingOlder: boolean
  outgoing: readonly OutgoingMessage[]
}

export type ThreadStore = {
  conversation: Readable<ThreadSnapshot>
  /** Follows the thread until the returned function is called. */
  follow(): () => void
  /** Adds the previous page above. Does nothing at the beginning of the thread or while a page is loading. */
  loadOlder(): Promise<void>
  setOutgoing(change: (messages: readonly OutgoingMessage[]) => readonly OutgoingMessage[]): void
  /** Fetches everything again after a failure. */
  reload(): void
}

const pageSize = 60

/**
 * Keeps one conversation up to date: loads a page of entries, then follows the event stream, and starts over when the
 * stream can’t bring the state forward. Events are applied once per frame, however many come.
 */
export function makeThreadStore(options: { client: ThreadboxClient; threadId: string }): ThreadStore {
  const { client, threadId } = options
  const conversation = createStore<ThreadSnapshot>()(() => ({
    state: null,
    error: null,
    isLoadingOlder: false,
    outgoing: [],
  }))
  const { getState: get, setState: change } = conversation
  let following = new AbortController()
  let isClosed = true

  const read = async (signal: AbortSignal): Promise<void> => {
    try {
      const page = await client.threads.entries(threadId, { limit: pageSize, signal })
      change({ state: withKeptOlder(get().state, threadStateOf(page)), error: null })
      const queue = makeFrameQueue<ThreadEvent>((events) => applyEvents(events))
      signal.addEventListener('abort', () => queue.clear())
      await client.streamThread(threadId, {
        after: page.lastSeq,
        signal,
        onEvent: (event) => queue.add(event),
      })
    } catch (error) {
      if (!signal.aborted) change({ error })
    }
  }

  const restart = () => {
    following.abort()
    if (isClosed) return
    following = new AbortController()
    void read(following.signal)
  }

  const applyEvents = (events: readonly ThreadEvent[]) => {
    const before = get().state
    if (before === null) return
    const state = events.reduce(applyThreadEvent, before)
    if (state.isStale) restart()
    else if (state !== before) change({ state })
  }

  return {
    conversation,
    follow: () => {
      isClosed = false
      restart()
      return () => {
        isClosed = true
        following.abort()
      }
    },
    loadOlder: async () => {
      const { state, isLoadingOlder } = get()
      const before = state?.before
      if (before === null || before === undefined || isLoadingOlder) return
      change({ isLoadingOlder: true })
      try {
        const page = await client.threads.entries(threadId, { before, limit: pageSize, signal: following.signal })
        const { state } = get()
        if (state !== null) change({ state: withOlderPage(state, page) })
      } catch {
        // Scrolling up again retries; the conversation below is complete.
      } finally {
        change({ isLoadingOlder: false })
      }
    },
    setOutgoing: (update) => change({ outgoing: update(get().outgoing) }),
    reload: restart,
  }
}

/** After a refetch, loaded older pages stay above if they connect to the new page. */
function withKeptOlder(previous: ThreadState | null, fresh: ThreadState): ThreadState {
  const first = fresh.entries[0]
  if (previous === null || first === undefined) return fresh
  const meeting = previous.entries.findIndex((entry) => entry.id === first.id)
  if (meeting <= 0) return fresh
  return {
    ...fresh,
    entries: [...previous.entries.slice(0, meeting), ...fresh.entries],
    turns: { ...previous.turns, ...fresh.turns },
    before: previous.before,
  }
}

/** Passes added items to `flush` once per painted frame, or twice a second in a hidden tab, where none is painted. */
function makeFrameQueue<Item>(flush: (items: readonly Item[]) => void) {
  let items: Item[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let frame: number | undefined
  const clear = () => {
    items = []
    clearTimeout(timer)
    timer = undefined
    if (frame !== undefined) cancelAnimationFrame(frame)
    frame = undefined
  }
  const run = () => {
    const due = items
    clear()
    flush(due)
  }
  return {
    add: (item: Item) => {
      items.push(item)
      if (timer !== undefined) return
      timer = setTimeout(run, 500)
      frame = requestAnimationFrame(run)
    },
    clear,
  }
}
