import { createClient } from '@threadbox/sdk'
import { describe, expect, test } from 'vitest'
import { makeUploadsStore, type UploadsStore, uploadsOf } from './uploads-store.ts'

/** A server that completes uploads on demand and counts parallel ones. */
function uploadServer() {
  const waiting: { name: string; answer: (response: Response) => void }[] = []
  const client = createClient({
    baseUrl: 'http://127.0.0.1',
    fetch: (input, init) =>
      new Promise<Response>((resolve, reject) => {
        const name = new URL(String(input)).searchParams.get('name') ?? ''
        waiting.push({ name, answer: resolve })
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
      }),
  })
  const attachment = (name: string) => ({
    id: `a-${name}`,
    name,
    mediaType: 'text/plain',
    sizeBytes: 1,
    path: `/u/${name}`,
  })
  return {
    client,
    waiting,
    accept: (name: string) => {
      const index = waiting.findIndex((request) => request.name === name)
      waiting.splice(index, 1)[0]?.answer(Response.json(attachment(name)))
    },
    refuse: (name: string) => {
      const index = waiting.findIndex((request) => request.name === name)
      const error = { code: 'upload.refused', kind: 'invalid', message: 'No.', remedy: '' }
      waiting.splice(index, 1)[0]?.answer(Response.json({ error }, { status: 400 }))
    },
  }
}

const files = (...names: string[]) => names.map((name) => new File(['x'], name))
const until = async (store: UploadsStore, isReached: () => boolean) => {
  if (isReached()) return
  await new Promise<void>((resolve) => {
    const stop = store.byThread.subscribe(() => {
      if (!isReached()) return
      stop()
      resolve()
    })
  })
}
const statuses = (store: UploadsStore) => uploadsOf(store.byThread.getState(), 't').map((upload) => upload.status)

describe('uploads', () => {
  test('an upload that fails keeps its position and can be retried', async () => {
    const server = uploadServer()
    const store = makeUploadsStore(server.client)
    store.add('t', files('a'))
    server.refuse('a')
    await until(store, () => statuses(store)[0] === 'failed')
    store.retry('t', uploadsOf(store.byThread.getState(), 't')[0]?.id ?? '')
    expect(statuses(store)).toEqual(['uploading'])
    server.accept('a')
    await until(store, () => statuses(store)[0] === 'done')
    expect(uploadsOf(store.byThread.getState(), 't')[0]?.attachment?.path).toBe('/u/a')
  })

  test('an upload that is removed while it runs is stopped and lets the next one start', async () => {
    const server = uploadServer()
    const store = makeUploadsStore(server.client)
    store.add('t', files('a', 'b', 'c', 'd'))
    expect(server.waiting.map(({ name }) => name)).toEqual(['a', 'b', 'c'])
    store.remove('t', uploadsOf(store.byThread.getState(), 't')[0]?.id ?? '')
    await expect.poll(() => server.waiting.map(({ name }) => name)).toContain('d')
    expect(uploadsOf(store.byThread.getState(), 't').map(({ name }) => name)).toEqual(['b', 'c', 'd'])
  })

  test('threads do not see each other’s files, and sent ones are removed', async () => {
    const server = uploadServer()
    const store = makeUploadsStore(server.client)
    store.add('t', files('a'))
    expect(uploadsOf(store.byThread.getState(), 'other')).toEqual([])
    server.accept('a')
    await until(store, () => statuses(store)[0] === 'done')
    store.clear('t', [uploadsOf(store.byThread.getState(), 't')[0]?.id ?? ''])
    expect(uploadsOf(store.byThread.getState(), 't')).toEqual([])
  })
})
