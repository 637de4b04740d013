import { Hono } from 'hono'
import { expect, test } from 'vitest'
import type { ApiEnv } from './api.ts'
import { answerEvents, type SseMessage } from './event-stream.ts'

test('an event stream whose source fails breaks off, and ends its visit', async () => {
  const cut = new AbortController()
  const stopping = new AbortController()
  let isFollowed = true
  const messages = async function* (): AsyncGenerator<SseMessage> {
    yield { id: '1', data: 'first' }
    throw new Error('the database is gone')
  }
  const leave = () => {
    isFollowed = false
  }
  const visit = { signal: cut.signal, [Symbol.dispose]: leave }
  const app = new Hono<ApiEnv>()
  app.use('*', async (context, next) => {
    context.set('stopping', stopping.signal)
    await next()
  })
  app.get('/', (context) => answerEvents(context as never, { messages, visit }))
  const answer = await app.request('/')
  await expect(answer.text()).rejects.toThrow('the database is gone')
  expect(isFollowed).toBe(false)
})
