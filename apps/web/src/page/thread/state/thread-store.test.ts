import { createClient, type EntriesPage } from '@threadbox/sdk'
import { beforeEach, expect, test, vi } from 'vitest'
import { makeThreadStore } from './thread-store.ts'

/** A conversation of three messages in two pages, and its event stream. */
function threadServer() {
  const streams: { send: (event: object) => void; isOpen: () => boolean }[] = []
  const client = createClient({
    baseUrl: 'http://127.0.0.1',
    fetch: async (input, init) => {
      init?.signal?.throwIfAborted()
      const url = new URL(String(input))
      if (url.pathname.endsWith('/entries')) return Response.json(pageOf(url.searchParams.get('before')))
      let isOpen = true
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          init?.signal?.addEventListener('abort', () => {
            isOpen = false
            controller.error(init.signal?.reason)
          })
          const send = (event: object) =>
            controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`))
          streams.push({ send, isOpen: () => isOpen })
        },
      })
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    },
  })
  return { client, streams }
}

function pageOf(before: string | null): EntriesPage {
  const message = (id: string) => ({ id, kind: 'user-message', text: id })
  const entries = before === null ? [message('b'), message('c')] : [message('a')]
  return { entries, turns: [], lastSeq: 3, before: before === null ? 'b' : null } as unknown as EntriesPage
}

beforeEach(() => {
  vi.stubGlobal('requestAnimationFrame', (run: () => void) => setTimeout(run))
  vi.stubGlobal('cancelAnimationFrame', clearTimeout)
  return () => vi.unstubAllGlobals()
})

test('a conversation is loaded, then followed until it is no longer used', async () => {
  const server = threadServer()
  const store = makeThreadStore({ client: server.client, threadId: 't' })
  const ids = () => store.conversation.getState().state?.entries.map(({ id }) => id)
  expect(store.conversation.getState().state).toBeNull()
  const stop = store.follow()
  await expect.poll(() => server.streams.length).toBe(1)
  expect(ids()).toEqual(['b', 'c'])
  server.streams[0]?.send({ type: 'entry-removed', seq: 4, entryId: 'b' })
  await expect.poll(ids).toEqual(['c'])
  stop()
  await expect.poll(() => server.streams[0]?.isOpen()).toBe(false)
  store.reload()
  expect(server.streams).toHaveLength(1)
})

test('a state that cannot be brought forward is loaded again, and older pages stay above', async () => {
  const server = threadServer()
  const store = makeThreadStore({ client: server.client, threadId: 't' })
  const ids = () => store.conversation.getState().state?.entries.map(({ id }) => id)
  const stop = store.follow()
  await expect.poll(() => server.streams.length).toBe(1)
  await store.loadOlder()
  expect(ids()).toEqual(['a', 'b', 'c'])
  server.streams[0]?.send({ type: 'reset' })
  await expect.poll(() => server.streams.length).toBe(2)
  expect(store.conversation.getState().state?.isStale).toBe(false)
  expect(ids()).toEqual(['a', 'b', 'c'])
  stop()
})
