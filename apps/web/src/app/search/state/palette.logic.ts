import type { SearchHit, Thread } from '@threadbox/sdk'
import type { PaletteAction } from '../../../page/thread/state/thread-actions.ts'
import { rank } from './highlight.ts'

export type PaletteContent = {
  threadActions: PaletteAction[]
  actions: PaletteAction[]
  threads: Thread[]
  /** Search hits of the server, grouped by where they are. Titles are already among `threads`. */
  hits: { where: SearchHit['where']; hits: SearchHit[] }[]
}

/** The number of threads for an empty query: they fit beside the actions without scrolling. */
const recentThreads = 6
const mostThreads = 8
const hitOrder: readonly SearchHit['where'][] = ['text', 'command', 'file']

/** The content of the palette for a query: better matches first, within fixed groups. */
export function paletteContent(
  query: string,
  given: { actions: readonly PaletteAction[]; threads: readonly Thread[]; hits: readonly SearchHit[] },
): PaletteContent {
  const actions = ranked(given.actions, (action) => action.label, query)
  const visible = given.threads.filter((thread) => thread.deletedAt === null)
  const latest = visible.toSorted((left, right) => right.updatedAt - left.updatedAt)
  const threads = ranked(latest, (thread) => thread.title, query)
  const known = new Set(threads.map((thread) => thread.id))
  // A title outside the list (of a very old thread) is shown among the hits.
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
