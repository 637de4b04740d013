import { createClient } from '@threadbox/sdk'
import { expect, test } from 'vitest'
import { wakeSandbox } from './wake-sandbox.ts'

test('a wake that waits for memory frees its connection, and is not reported as failed', async () => {
  const given = new AbortController()
  let isHeld = false
  const client = createClient({
    baseUrl: 'http://test.invalid',
    fetch: (_input, init) =>
      new Promise((_resolve, reject) => {
        isHeld = true
        init?.signal?.addEventListener('abort', () => {
          isHeld = false
          reject(init.signal?.reason)
        })
      }),
  })
  const woken = wakeSandbox(client, 't1', given.signal)
  expect(isHeld).toBe(true)
  given.abort()
  await woken
  expect(isHeld).toBe(false)
})

test('a failed wake reports why', async () => {
  const error = { code: 'host.unreachable', kind: 'unavailable', message: 'No.', remedy: '', details: {} }
  const client = createClient({
    baseUrl: 'http://test.invalid',
    fetch: async () => new Response(JSON.stringify({ error }), { status: 503 }),
  })
  await expect(wakeSandbox(client, 't1')).rejects.toMatchObject({ code: 'host.unreachable' })
})
