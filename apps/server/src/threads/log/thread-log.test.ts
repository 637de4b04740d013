import type { Entry, TextEntry, ThreadEvent, Turn } from '@threadbox/protocol/public'
import { applyThreadEvent, threadStateOf } from '@threadbox/protocol/public/thread-state'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeTestApplication, type TestApplication } from '../../application.test-utils.ts'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { tablesIn } from '../../tables.test-utils.ts'

function text(id: string, content = '', status: TextEntry['status'] = 'streaming'): Entry {
  return { id, turnId: 'n1', at: 1, kind: 'text', stepId: 'p1', text: content, status }
}
function turn(status: Turn['status']): Turn {
  const base = { id: 'n1', mode: 'agent' as const, modelId: null, modelName: null, startedAt: 1, endedAt: null }
  return { ...base, status, usage: null, failure: null, stillRunning: [] }
}

onBothDatabases((target) => {
  let server: TestApplication
  let threadId: string
  beforeEach(async () => {
    server = await makeTestApplication(await target())
    const owner = await server.signUpOwner()
    threadId = (await server.areas.threads.threads.create(owner.userId, {})).id
  })
  afterEach(() => server[Symbol.asyncDispose]())

  const delta = (entryId: string, offset: number, added: string) =>
    ({ type: 'text-appended', entryId, offset, text: added }) as const

  /** Reads until `count` recorded events came. */
  async function collect(afterSeq: number, count: number): Promise<ThreadEvent[]> {
    const ended = new AbortController()
    const events: ThreadEvent[] = []
    for await (const event of server.areas.threads.log.read(threadId, { afterSeq, signal: ended.signal })) {
      events.push(event)
      if (events.length >= count) break
    }
    return events
  }

  test('a change to a thread that does not exist is rejected, and `alongside` is not called', async () => {
    let wasCalled = false
    const append = server.areas.threads.log.append(
      't-unknown',
      [{ type: 'entry-added', entry: text('e1') }],
      async () => {
        wasCalled = true
      },
    )
    await expect(append).rejects.toMatchObject({ code: 'thread.not-found' })
    expect(wasCalled).toBe(false)
  })

  test('nothing is recorded or shown when `alongside` fails', async () => {
    const { log } = server.areas.threads
    const append = log.append(threadId, [{ type: 'entry-added', entry: text('e1') }], async () => {
      throw new Error('the other row could not be written')
    })
    await expect(append).rejects.toThrow('the other row')
    expect((await log.page(threadId, { before: null, limit: 10 })).entries).toEqual([])
    await log.append(threadId, [{ type: 'entry-added', entry: text('e2') }])
    expect(await collect(0, 1)).toMatchObject([{ type: 'entry-added', seq: 1, entry: { id: 'e2' } }])
  })

  test('changes that can wait are recorded and shown with the next ones, before those, in one step', async () => {
    const { log } = server.areas.threads
    const steps: string[] = []
    const note = (step: string) => async () => void steps.push(step)
    const soon = log.appendSoon(threadId, [{ type: 'entry-added', entry: text('e1') }], note('first'))
    void log.appendSoon(threadId, [{ type: 'entry-added', entry: text('e2') }], note('second'))
    expect((await log.page(threadId, { before: null, limit: 10 })).entries).toEqual([])
    await log.append(threadId, [{ type: 'entry-added', entry: text('e3') }], note('third'))
    await soon
    expect(steps).toEqual(['first', 'second', 'third'])
    const ids = ['e1', 'e2', 'e3']
    expect(await collect(0, 3)).toMatchObject(ids.map((id, index) => ({ seq: index + 1, entry: { id } })))
  })

  test('changes that can wait are recorded alone after a second, when that is wanted, and when the server ends', async () => {
    const { log } = server.areas.threads
    const added = (id: string) => log.appendSoon(threadId, [{ type: 'entry-added', entry: text(id) }])
    const startedAt = performance.now()
    await added('e1')
    expect(performance.now() - startedAt).toBeGreaterThan(900)
    const recorded = async () => (await log.page(threadId, { before: null, limit: 10 })).entries.length
    const waiting = [added('e2'), added('e3')]
    await log.recordWaiting(threadId)
    expect(await recorded()).toBe(3)
    waiting.push(added('e4'))
    await log.finish()
    expect(await recorded()).toBe(4)
    await Promise.all(waiting)
  })

  test('changes that waited and cannot be recorded fail alone, and so do the ones after them', async () => {
    const { log } = server.areas.threads
    const failing = async () => {
      throw new Error('the other row could not be written')
    }
    const kept = log.appendSoon(threadId, [{ type: 'entry-added', entry: text('e1') }])
    const lost = log.appendSoon(threadId, [{ type: 'entry-added', entry: text('e2') }], failing)
    const reason = expect(lost).rejects.toThrow('the other row')
    await log.append(threadId, [{ type: 'entry-added', entry: text('e3') }])
    await kept
    await reason
    const late = log.appendSoon(threadId, [{ type: 'entry-added', entry: text('e4') }])
    await expect(log.append(threadId, [{ type: 'entry-added', entry: text('e5') }], failing)).rejects.toThrow()
    await late
    const { entries } = await log.page(threadId, { before: null, limit: 10 })
    expect(entries.map(({ id }) => id)).toEqual(['e1', 'e3', 'e4'])
    const unknown = log.appendSoon('t-unknown', [{ type: 'entry-added', entry: text('e1') }])
    const missing = expect(unknown).rejects.toMatchObject({ code: 'thread.not-found' })
    await log.recordWaiting('t-unknown')
    await missing
  })

  test('a page contains the text streamed so far, and a reader continues exactly there', async () => {
    const { log } = server.areas.threads
    await log.append(threadId, [{ type: 'entry-added', entry: text('e1') }])
    await log.append(threadId, [delta('e1', 0, 'Hello'), delta('e1', 5, ', wörld 🙂')])
    const page = await log.page(threadId, { before: null, limit: 10 })
    expect(page.entries).toMatchObject([{ text: 'Hello, wörld 🙂' }])
    await log.append(threadId, [delta('e1', 15, '!')])
    let state = threadStateOf(page)
    for (const event of await collect(page.lastSeq, 1)) state = applyThreadEvent(state, event)
    expect(state.entries).toMatchObject([{ text: 'Hello, wörld 🙂!' }])
  })

  test('with many concurrent writers and readers each reader gets every event once and in order', async () => {
    const { log } = server.areas.threads
    await log.append(threadId, [{ type: 'entry-added', entry: text('e1') }])
    const total = 400
    const readers = [0, 0, 1].map((afterSeq) => collect(afterSeq, total + 1 - afterSeq))
    const writers = Array.from({ length: total }, (_, index) => log.append(threadId, [delta('e1', index, 'x')]))
    await Promise.all(writers)
    for (const [index, events] of (await Promise.all(readers)).entries()) {
      const first = index === 2 ? 2 : 1
      expect(events.map((event) => ('seq' in event ? event.seq : -1))).toEqual(
        Array.from({ length: total + 2 - first }, (_, position) => position + first),
      )
    }
  })

  test('a reader that stops reading takes a bounded queue and loses nothing', async () => {
    const { log } = server.areas.threads
    await log.append(threadId, [{ type: 'entry-added', entry: text('e1') }])
    const ended = new AbortController()
    const reader = log.read(threadId, { afterSeq: 0, signal: ended.signal })[Symbol.asyncIterator]()
    await reader.next()
    for (let index = 0; index < 30; index += 1) {
      await log.append(
        threadId,
        Array.from({ length: 30 }, (_, part) => delta('e1', index * 30 + part, 'x')),
      )
    }
    const seen: number[] = []
    while (seen.length < 900) {
      const { value } = await reader.next()
      if ('seq' in value) seen.push(value.seq)
    }
    expect(seen).toEqual(Array.from({ length: 900 }, (_, index) => index + 2))
    ended.abort()
  })

  test('pruning keeps the complete text; readers too far behind get a reset', async () => {
    const { log } = server.areas.threads
    await log.append(threadId, [{ type: 'entry-added', entry: text('e1') }])
    for (let index = 0; index < 300; index += 1) await log.append(threadId, [delta('e1', index, 'y')])
    await log.prune(threadId)
    expect(await log.entry(threadId, 'e1')).toMatchObject({ text: 'y'.repeat(300) })
    expect(await collect(1, 1)).toEqual([{ type: 'reset' }])
    expect(await collect(300, 1)).toMatchObject([{ seq: 301 }])
    expect(await collect(100_000, 1)).toEqual([{ type: 'reset' }])
    await log.append(threadId, [{ type: 'entry-updated', entry: text('e1', 'whole', 'done') }])
    expect(await log.entries(threadId)).toMatchObject([{ text: 'whole', status: 'done' }])
  })

  test('pages go back through the conversation without gap or duplicate', async () => {
    const { log } = server.areas.threads
    const ids = Array.from({ length: 25 }, (_, index) => `e${index}`)
    for (const id of ids) await log.append(threadId, [{ type: 'entry-added', entry: text(id, id, 'done') }])
    const seen: string[] = []
    let before: string | null = null
    do {
      const page = await log.page(threadId, { before, limit: 10 })
      seen.unshift(...page.entries.map((entry) => entry.id))
      before = page.before
    } while (before !== null)
    expect(seen).toEqual(ids)
  })

  test('the sidebar shows a running turn until it ends, and unread entries until they are read', async () => {
    const { log, threads } = server.areas.threads
    const owner = (await tablesIn(server.open).selectFrom('owner').select('user_id').executeTakeFirstOrThrow()).user_id
    await log.append(threadId, [{ type: 'turn-updated', turn: turn('running') }])
    expect(await threads.get(owner, threadId)).toMatchObject({ isTurnRunning: true, hasUnread: false })
    await log.append(threadId, [
      { type: 'entry-added', entry: text('e1', 'answer', 'done') },
      { type: 'turn-updated', turn: turn('finished') },
    ])
    expect(await threads.get(owner, threadId)).toMatchObject({ isTurnRunning: false, hasUnread: true })
    expect(await threads.update(owner, threadId, { isRead: true })).toMatchObject({ hasUnread: false })
  })
})
