import type { SearchHit, Thread } from '@threadbox/sdk'
import { expect, it } from 'vitest'
import type { PaletteAction } from '../../../page/thread/state/thread-actions.ts'
import { paletteContent } from './palette.logic.ts'

const thread = (id: string, title: string, updatedAt: number, deletedAt: number | null = null) =>
  ({ id, title, updatedAt, deletedAt }) as Thread
const action = (id: string, label: string, scope: PaletteAction['scope'] = 'app'): PaletteAction => ({
  id,
  label,
  scope,
  run: () => undefined,
})
const hit = (where: SearchHit['where'], threadId: string): SearchHit => ({
  threadId,
  threadTitle: threadId,
  entryId: where === 'title' ? null : 'e1',
  where,
  excerpt: 'report',
  at: 1,
})

const given = {
  actions: [action('settings', 'Settings'), action('new', 'New thread'), action('rename', 'Rename thread', 'thread')],
  threads: [
    thread('t1', 'Demand forecast', 3),
    thread('t2', 'Reverse proxy', 1),
    thread('t3', 'Q3 report', 2),
    thread('t4', 'Removed', 9, 10),
  ],
  hits: [] as SearchHit[],
}

it('shows recent threads and all actions while the query is empty', () => {
  const content = paletteContent('', given)
  expect(content.threads.map((item) => item.id)).toEqual(['t1', 't3', 't2'])
  expect(content.actions.map((item) => item.id)).toEqual(['settings', 'new'])
  expect(content.threadActions.map((item) => item.id)).toEqual(['rename'])
})

it('puts the better match first and leaves deleted threads out', () => {
  const content = paletteContent('re', given)
  expect(content.threads.map((item) => item.id)).toEqual(['t2', 't3', 't1'])
  expect(content.threadActions.map((item) => item.id)).toEqual(['rename'])
})

it('shows hits grouped by where they are, and each title once', () => {
  const hits = [hit('title', 't3'), hit('title', 't99'), hit('file', 't1'), hit('text', 't2'), hit('text', 't1')]
  const content = paletteContent('report', { ...given, hits })
  expect(content.hits.map((group) => [group.where, group.hits.map((item) => item.threadId)])).toEqual([
    ['text', ['t2', 't1']],
    ['file', ['t1']],
    ['title', ['t99']],
  ])
})

it('shows only a part of many threads', () => {
  const threads = Array.from({ length: 300 }, (_, index) => thread(`t${index}`, `Run ${index}`, index))
  expect(paletteContent('', { ...given, threads }).threads).toHaveLength(6)
  expect(paletteContent('run', { ...given, threads }).threads).toHaveLength(8)
})
