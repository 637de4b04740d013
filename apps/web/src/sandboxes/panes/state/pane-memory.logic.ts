/** The pane beside a thread when the thread was seen last. The content of a view is known only to its pane. */
export type PaneMemory = { pane: string | null; views: Record<string, unknown>; at: number }

/** The panes that this device remembers, and the pinned one. */
export type PaneMemories = {
  threads: Record<string, PaneMemory>
  pinned: { threadId: string; pane: string } | null
}

/** The pane that the user opened or closed on the current page. It ends with the page. */
export type PaneVisit = { threadId: string; pane: string }

export type ShownPane = { threadId: string; pane: string; isPinned: boolean }

/** The number of threads whose panes are remembered; those seen longest ago are dropped first. */
const rememberedThreads = 200

export const noMemories: PaneMemories = { threads: {}, pinned: null }

/**
 * The pane beside the page of a thread (null: another page). What the user just opened or closed comes first, then the
 * pinned pane, then the pane that the thread had open. On a narrow screen a pane covers everything, so only the user
 * opens it.
 */
export function shownPane(
  memories: PaneMemories,
  page: { threadId: string | null; visit: PaneVisit | null; isNarrow: boolean },
): ShownPane | null {
  const { threadId, visit, isNarrow } = page
  const { pinned } = memories
  const isPinned = (pane: string) => pinned !== null && pinned.threadId === threadId && pinned.pane === pane
  if (threadId !== null && visit?.threadId === threadId)
    return { threadId, pane: visit.pane, isPinned: isPinned(visit.pane) }
  if (isNarrow) return null
  if (pinned !== null && pinned.threadId !== threadId) return { ...pinned, isPinned: true }
  const pane = threadId === null ? null : (memories.threads[threadId]?.pane ?? null)
  return threadId === null || pane === null ? null : { threadId, pane, isPinned: isPinned(pane) }
}

/** Returns the memories with another pane, or none, open beside a thread. */
export function withPane(
  memories: PaneMemories,
  change: { threadId: string; pane: string | null; at: number },
): PaneMemories {
  const { threadId, pane, at } = change
  return withThread(memories, threadId, { ...memoryOf(memories, threadId), pane, at })
}

/** Returns the memories with another view of a pane. */
export function withView(
  memories: PaneMemories,
  change: { threadId: string; pane: string; view: unknown; at: number },
): PaneMemories {
  const { threadId, pane, view, at } = change
  const memory = memoryOf(memories, threadId)
  return withThread(memories, threadId, { ...memory, views: { ...memory.views, [pane]: view }, at })
}

/** Parses stored memories; invalid entries are dropped. */
export function readMemories(text: string | null): PaneMemories {
  const value = parse(text)
  if (!isObject(value) || !isObject(value.threads)) return noMemories
  const threads = Object.entries(value.threads).flatMap(([threadId, memory]) =>
    isObject(memory) && isObject(memory.views) && typeof memory.at === 'number'
      ? [[threadId, { pane: textOrNull(memory.pane), views: memory.views, at: memory.at }] as const]
      : [],
  )
  const { pinned } = value
  const isPin = isObject(pinned) && typeof pinned.threadId === 'string' && typeof pinned.pane === 'string'
  return {
    threads: Object.fromEntries(threads),
    pinned: isPin ? { threadId: String(pinned.threadId), pane: String(pinned.pane) } : null,
  }
}

export function memoryOf(memories: PaneMemories, threadId: string): PaneMemory {
  return memories.threads[threadId] ?? { pane: null, views: {}, at: 0 }
}

function withThread(memories: PaneMemories, threadId: string, memory: PaneMemory): PaneMemories {
  const latest = Object.entries({ ...memories.threads, [threadId]: memory })
    .sort(([, a], [, b]) => b.at - a.at)
    .slice(0, rememberedThreads)
  return { ...memories, threads: Object.fromEntries(latest) }
}

function parse(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null')
  } catch {
    return null
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
