import { createClient } from '@threadbox/sdk'
import { expect, test } from 'vitest'
import { makeTransfers, transfersOf } from './transfers.ts'

/** A server on which some names exist; it stores what is written. */
function fileServer(taken: string[]) {
  const written = new Map<string, { isNewOnly: boolean }>()
  const folders: string[] = []
  const client = createClient({
    baseUrl: 'http://127.0.0.1',
    fetch: async (input, init) => {
      const url = new URL(String(input))
      if (url.pathname.endsWith('/folders')) {
        folders.push(JSON.parse(String(init?.body)).path)
        return Response.json({})
      }
      const path = url.searchParams.get('path') ?? ''
      const isNewOnly = new Headers(init?.headers).get('if-none-match') === '*'
      if (isNewOnly && taken.includes(path)) {
        const error = { code: 'file.path-taken', kind: 'conflict', message: 'Taken.', remedy: '' }
        return Response.json({ error }, { status: 409 })
      }
      written.set(path, { isNewOnly })
      return Response.json({ path })
    },
  })
  return { client, written, folders }
}
const dropped = (...paths: string[]) => ({
  files: paths.map((path) => ({ path, file: new File(['x'], path) })),
  folders: [],
})

test('an existing file is not overwritten until that is confirmed', async () => {
  const server = fileServer(['/w/a.txt', '/w/b.txt', '/w/c.txt', '/w/b (2).txt'])
  const transfers = makeTransfers(server.client, () => {})
  transfers.add('t', '/w', dropped('a.txt', 'b.txt', 'c.txt', 'free.txt'))
  const statuses = () => transfersOf(transfers.byThread.getState(), 't').map(({ status }) => status)
  await expect.poll(statuses).toEqual(['taken', 'taken', 'taken', 'done'])
  const [a, b, c] = transfersOf(transfers.byThread.getState(), 't').map(({ id }) => id)
  transfers.answer('t', [a ?? ''], 'replace')
  transfers.answer('t', [b ?? ''], 'keep-both')
  transfers.answer('t', [c ?? ''], 'skip')
  await expect.poll(statuses).toEqual(['done', 'taken', 'done'])
  expect(server.written.get('/w/a.txt')).toEqual({ isNewOnly: false })
  transfers.answer('t', [b ?? ''], 'keep-both')
  await expect.poll(statuses).toEqual(['done', 'done', 'done'])
  expect([...server.written.keys()].sort()).toEqual(['/w/a.txt', '/w/b (3).txt', '/w/free.txt'])
})

test('folders arrive with their files, and an empty one arrives empty', async () => {
  const server = fileServer([])
  const told: string[] = []
  const transfers = makeTransfers(server.client, (_threadId, folder) => told.push(folder))
  transfers.add('t', '/w', { ...dropped('d/e/x.txt'), folders: ['d', 'd/e', 'd/empty'] })
  await expect.poll(() => told.toSorted()).toEqual(['/w', '/w/d/e'])
  expect(server.folders).toEqual(['/w/d/empty'])
  expect([...server.written.keys()]).toEqual(['/w/d/e/x.txt'])
})
