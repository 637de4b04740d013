import { Hono } from 'hono'
import { expect, test } from 'vitest'
import type { ApiEnv } from './api.ts'
import { answerError } from './errors.handler.ts'

test('an unexpected error is logged with the request’s route, because its path may contain a secret', async () => {
  const logged: unknown[] = []
  const pages = new Hono<ApiEnv>().get('/:secret', () => {
    throw new Error('the disk is gone')
  })
  const app = new Hono<ApiEnv>().onError(answerError)
  app.use('*', async (context, next) => {
    const logger = { error: (...parts: unknown[]) => logged.push(parts) }
    context.set('logger', logger as never)
    context.set('requestId', 'r-1')
    await next()
  })
  app.route('/shared', pages)
  const answer = await app.request('/shared/s3cret')
  expect(answer.status).toBe(500)
  expect(logged).toMatchObject([[{ requestId: 'r-1', route: 'GET /shared/:secret' }, 'request failed unexpectedly']])
  expect(JSON.stringify(logged)).not.toContain('s3cret')
})
