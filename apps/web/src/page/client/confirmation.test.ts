import { expect, test } from 'vitest'
import { answerConfirmation, askForConfirmation, confirmingFetch } from './confirmation.ts'

/** A server that refuses until the password was entered, and remembers what it was sent. */
function makeServer(code: string) {
  const sent: unknown[] = []
  const state = { isConfirmed: false }
  const fetchOnce: typeof fetch = async (_, init) => {
    sent.push(init?.body)
    return state.isConfirmed ? Response.json({ done: true }) : Response.json({ error: { code } }, { status: 403 })
  }
  return { sent, state, fetchOnce }
}

test('a canceled confirmation leaves the refusal as the response', async () => {
  const { sent, fetchOnce } = makeServer('auth.confirmation-required')
  const response = await confirmingFetch(fetchOnce, async () => false)('/models', { method: 'POST', body: 'a' })
  expect(await response.json()).toEqual({ error: { code: 'auth.confirmation-required' } })
  expect(sent).toEqual(['a'])
})

test('another refusal asks for nothing', async () => {
  const { fetchOnce } = makeServer('model.owner-only')
  const ask = () => Promise.reject(new Error('asked'))
  expect((await confirmingFetch(fetchOnce, ask)('/models')).status).toBe(403)
})

test('requests that need a confirmation share one question and are sent again after it', async () => {
  const { sent, state, fetchOnce } = makeServer('auth.confirmation-required')
  const asked: Promise<boolean>[] = []
  const both = Promise.withResolvers<void>()
  const send = confirmingFetch(fetchOnce, () => {
    asked.push(askForConfirmation())
    if (asked.length === 2) both.resolve()
    return askForConfirmation()
  })
  const responses = Promise.all(['a', 'b'].map((body) => send('/models', { method: 'POST', body })))
  await both.promise
  state.isConfirmed = true
  answerConfirmation(true)
  expect((await responses).map(({ status }) => status)).toEqual([200, 200])
  expect(sent).toEqual(['a', 'b', 'a', 'b'])
})
