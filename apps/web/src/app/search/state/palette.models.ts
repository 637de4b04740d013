import type { SearchHit, Thread } from '@threadbox/sdk'
import type { PaletteAction } from '../../../page/thread/state/thread-actions.ts'
import { rank } from './highlight.ts'

export type PaletteContent = {
  threadActions: PaletteAction[]
  actions: PaletteAction[]
  threads: Thread[]
  /** Hits of the server, grouped by where they are. Titles are among `threads` already. */
  hits: { where: SearchHit['where']; hits: SearchHit[] }[]
}

/** How many threads an empty query shows: what fits without scrolling beside the actions. */
const recentThreads = 6
const mostThreads = 8
const hitOrder: readonly SearchHit['where'][] = ['text', 'command', 'file']

/** What the palette shows for a query: better matches first, each group in its place. */
export function paletteContent(
  query: string,
  given: { actions: readonly PaletteAction[]; threads: readonly Thread[]; hits: readonly SearchHit[] },
): PaletteContent {
  const actions = ranked(given.actions, (action) => action.label, query)
  const visible = given.threads.filter((thread) => thread.deletedAt === null)
  const latest = visible.toSorted((left, right) => right.updatedAt - left.updatedAt)
  const threads = ranked(latest, (thread) => thread.title, query)
  const known = new Set(threads.map((thread) => thread.id))
  // A title that the list does not hold (an old thread beyond it) is shown among the hits.
  const hits = given.hits.filter((hit) => hit.where !== 'title' || !known.has(hit.threadId))
  return {
    threadActions: actions.filter((action) => action.scope === 'thread'),
    actions: actions.filter((action) => action.scope === 'app'),
    threads: threads.slice(0, query.trim() === '' ? recentThreads : mostThreads),
    hits: [...hitOrder, 'title' as const]
      .map((where) => ({ where, hits: hits.filter((hit) => hit.where === where) }))
      .filter((group) => group.hits.length > 0),
  }
}

function ranked<Item>(items: readonly Item[], textOf: (item: Item) => string, query: string): Item[] {
  return items
    .map((item) => ({ item, place: rank(textOf(item), query) }))
    .filter((candidate) => candidate.place !== null)
    .toSorted((left, right) => (left.place ?? 0) - (right.place ?? 0))
    .map((candidate) => candidate.item)
}
