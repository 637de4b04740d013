import { describe, expect, test } from 'vitest'
import { memoryOf, noMemories, readMemories, shownPane, withPane, withView } from './pane-memory.logic.ts'

const wide = { visit: null, isNarrow: false }
const open = (threadId: string, pane: string) => withPane(noMemories, { threadId, pane, at: 1 })

describe('which pane is shown', () => {
  test('O6: each thread has the pane that it had open last, and other pages have none', () => {
    const memories = withPane(open('a', 'preview'), { threadId: 'b', pane: null, at: 2 })
    expect(shownPane(memories, { threadId: 'a', ...wide })).toEqual({ threadId: 'a', pane: 'preview', isPinned: false })
    expect(shownPane(memories, { threadId: 'b', ...wide })).toBeNull()
    expect(shownPane(memories, { threadId: null, ...wide })).toBeNull()
  })

  test('O6: a pinned pane is shown beside other threads and pages, before the panes that they had open', () => {
    const memories = { ...open('b', 'sandbox'), pinned: { threadId: 'a', pane: 'preview' } }
    const pinned = { threadId: 'a', pane: 'preview', isPinned: true }
    expect(shownPane(memories, { threadId: 'b', ...wide })).toEqual(pinned)
    expect(shownPane(memories, { threadId: null, ...wide })).toEqual(pinned)
  })

  test('a pane that the user opens beside another thread comes before the pinned one, and only there', () => {
    const memories = { ...noMemories, pinned: { threadId: 'a', pane: 'preview' } }
    const visit = { threadId: 'b', pane: 'sandbox' }
    expect(shownPane(memories, { threadId: 'b', visit, isNarrow: false })?.pane).toBe('sandbox')
    expect(shownPane(memories, { threadId: 'c', visit, isNarrow: false })?.threadId).toBe('a')
  })

  test('the thread of the pinned pane can show another one', () => {
    const memories = { ...open('a', 'sandbox'), pinned: { threadId: 'a', pane: 'preview' } }
    expect(shownPane(memories, { threadId: 'a', ...wide })).toEqual({ threadId: 'a', pane: 'sandbox', isPinned: false })
  })

  test('on a narrow screen only the user opens a pane', () => {
    const memories = { ...open('a', 'preview'), pinned: { threadId: 'b', pane: 'preview' } }
    expect(shownPane(memories, { threadId: 'a', visit: null, isNarrow: true })).toBeNull()
    const visit = { threadId: 'a', pane: 'preview' }
    expect(shownPane(memories, { threadId: 'a', visit, isNarrow: true })?.pane).toBe('preview')
  })
})

describe('what is remembered', () => {
  test('is what was stored, without invalid entries', () => {
    const memories = withView(open('a', 'preview'), { threadId: 'a', pane: 'preview', view: { target: 'x' }, at: 2 })
    expect(readMemories(JSON.stringify(memories))).toEqual(memories)
    for (const text of [null, '', '{', '[]', '{"threads":[]}', '{"threads":null}']) {
      expect(readMemories(text)).toEqual(noMemories)
    }
    const damaged = { threads: { a: 1, b: { pane: 3, views: {}, at: 1 } }, pinned: { threadId: 1 } }
    expect(readMemories(JSON.stringify(damaged))).toEqual({
      threads: { b: { pane: null, views: {}, at: 1 } },
      pinned: null,
    })
  })

  test('drops the threads that were seen longest ago', () => {
    let memories = noMemories
    for (let at = 1; at <= 230; at += 1) memories = withPane(memories, { threadId: `t${at}`, pane: 'preview', at })
    expect(Object.keys(memories.threads)).toHaveLength(200)
    expect(memoryOf(memories, 't30').pane).toBeNull()
    expect(memoryOf(memories, 't31').pane).toBe('preview')
  })
})
