import { QueryClient } from '@tanstack/react-query'
import { createClient, type Thread } from '@threadbox/sdk'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { queryKeys } from '../../client/query-keys.ts'
import { dropThread, putBackThread, putThread, showThread, threadQuery, threadsQuery } from './thread-queries.ts'

/** Requests that wait until the test responds to them. */
let requests: { answer: (body: unknown) => void }[]
let queries: QueryClient
let client: ReturnType<typeof createClient>
beforeEach(() => {
  requests = []
  queries = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const fetch = () =>
    new Promise<Response>((resolve) => {
      requests.push({ answer: (body) => resolve(Response.json(body)) })
    })
  client = createClient({ baseUrl: 'http://127.0.0.1', fetch })
})
afterEach(() => queries.clear())

const thread = (id: string, title: string) => ({ id, title, deletedAt: null }) as Thread
const titles = () => queries.getQueryData<Thread[]>(queryKeys.threads)?.map(({ title }) => title)
async function next() {
  await expect.poll(() => requests.length, { interval: 5 }).toBeGreaterThan(0)
  return requests.shift()!
}

test('an event about a thread while the list is being fetched wins over the list', async () => {
  const fetched = queries.fetchQuery(threadsQuery(client))
  const list = await next()
  putThread(queries, thread('changed', 'is active'))
  putThread(queries, thread('made', 'was made'))
  dropThread(queries, 'removed')
  const read = [thread('changed', 'is waking'), thread('removed', 'is there'), thread('same', 'as it was')]
  list.answer({ threads: read, next: null })
  await fetched
  expect(titles()?.toSorted()).toEqual(['as it was', 'is active', 'was made'])
})

test('an event before the list was requested is replaced by the list', async () => {
  putThread(queries, thread('changed', 'is waking'))
  dropThread(queries, 'back')
  const fetched = queries.fetchQuery(threadsQuery(client))
  ;(await next()).answer({ threads: [thread('changed', 'is active'), thread('back', 'came back')], next: null })
  await fetched
  expect(titles()).toEqual(['is active', 'came back'])
})

test('an event about the open thread while it is fetched is kept', async () => {
  const fetched = queries.fetchQuery(threadQuery(client, 'one'))
  const answer = await next()
  putThread(queries, thread('one', 'is active'))
  answer.answer(thread('one', 'is waking'))
  expect(await fetched).toMatchObject({ title: 'is active' })
})

test('a state shown optimistically does not win over the response of the server', async () => {
  const fetched = queries.fetchQuery(threadQuery(client, 'one'))
  const answer = await next()
  showThread(queries, thread('one', 'will be'))
  expect(queries.getQueryData(queryKeys.thread('one'))).toMatchObject({ title: 'will be' })
  putBackThread(queries, thread('one', 'was before'))
  answer.answer(thread('one', 'is now'))
  expect(await fetched).toMatchObject({ title: 'is now' })
})

test('an unchanged thread stays the same object while others move past it, and an unchanged list the same list', async () => {
  const answerOf = () => ({ threads: ['a', 'b', 'c'].map((id) => thread(id, id)), next: null })
  const list = () => queries.getQueryData<Thread[]>(queryKeys.threads)
  const fetched = queries.fetchQuery(threadsQuery(client))
  ;(await next()).answer(answerOf())
  await fetched
  const [a, b] = list() ?? []
  putThread(queries, thread('c', 'is active'))
  expect(titles()).toEqual(['is active', 'a', 'b'])
  expect(list()?.[1]).toBe(a)
  expect(list()?.[2]).toBe(b)
  putThread(queries, thread('b', 'b'))
  putThread(queries, thread('a', 'a'))
  putThread(queries, thread('c', 'is active'))
  expect(list()?.[1]).toBe(a)
  expect(list()?.[2]).toBe(b)
  const before = list()
  const again = queries.fetchQuery(threadsQuery(client))
  const moved = answerOf().threads
  ;(await next()).answer({ threads: [thread('c', 'is active'), moved[0], moved[1]], next: null })
  await again
  expect(list()).toBe(before)
})
