import { boundaries } from '@threadbox/testkit/repeats'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type HeldAnswers, startHeldAnswers } from '../stack/held-answers.ts'
import { cell } from '../stack/in-threads.ts'
import { sandboxIdsOf, startInstallation, type TestInstallation, testThread } from '../stack/installation.ts'

let installation: TestInstallation
let held: HeldAnswers
beforeAll(async () => {
  installation = await startInstallation({
    serverEnvironment: { THREADBOX_UNDO_SECONDS: '1' },
    between: async (host) => {
      held = await startHeldAnswers(host)
      return held
    },
  })
})
afterAll(() => installation?.[Symbol.asyncDispose]())

const pollOptions = { timeout: 120_000, interval: 200 }

const sandboxIds = () => sandboxIdsOf(installation)

test('C2 C9: nothing is left of a live fork whose server is killed; the source continues with its memory', async () => {
  const source = await installation.newThread()
  const { client, server } = installation
  await cell(source, 'held = 41')
  const before = await sandboxIds()
  const answered = held.holdNext(/^POST \/v1\/sandboxes\/[^/]+\/fork /)
  const asked = client.threads.fork(source.id).catch(() => undefined)
  await answered
  expect(await sandboxIds()).toHaveLength(before.length + 1)
  await server.kill('SIGKILL')
  await server.restart()
  await asked
  expect((await client.threads.list()).threads.map(({ id }) => id)).toEqual([source.id])
  await expect.poll(sandboxIds, pollOptions).toEqual(before)
  expect(await cell(source, 'print(held)')).toBe('41')
  const made = await client.threads.fork(source.id)
  expect(await cell(testThread(client, made.id), 'print(held)')).toBe('41')
})

/** Orders that the host has executed when the server is killed before it gets the response. */
const captureOrders = boundaries({
  of: 'the capture of an agent, before the response to an order',
  killed: 'server',
  at: ['fork', 'clean'],
})

test.each(captureOrders)(
  'C11: nothing is left of a sandbox that is being copied for an agent when its server is killed (%s)',
  async (order) => {
    const source = await installation.newThread()
    const { client, server } = installation
    await cell(source, 'held = 41')
    const before = await sandboxIds()
    const answered = held.holdNext(new RegExp(`^POST /v1/sandboxes/[^/]+/${order} `))
    const asked = client.agents.capture(source.id).catch(() => undefined)
    await answered
    expect(await sandboxIds()).toHaveLength(before.length + 1)
    await server.kill('SIGKILL')
    await server.restart()
    await asked
    await expect.poll(sandboxIds, pollOptions).toEqual(before)
    expect(await cell(source, 'print(held)')).toBe('41')
    const { id } = await client.agents.capture(source.id)
    const saved = await client.agents.create({ name: `Saved after ${order}`, environment: { id } })
    expect(saved.current.version).toBe(1)
  },
)

test('C9: a paused thread is forked with its memory and stays asleep; both then continue independently', async () => {
  const source = await installation.newThread()
  const { client } = installation
  await cell(source, 'held = [41]')
  await client.sandboxes.pause(source.id)
  const made = await client.threads.fork(source.id)
  expect(made.forkedFrom).toMatchObject({ threadId: source.id, from: 'memory' })
  expect((await client.sandboxes.get(source.id)).sandbox.state).toBe('paused')
  const fork = testThread(client, made.id)
  expect(await cell(fork, 'held.append(1); print(held)')).toBe('[41, 1]')
  expect((await client.sandboxes.get(source.id)).sandbox.state).toBe('paused')
  expect(await cell(source, 'print(held)')).toBe('[41]')
  const wakes = (await source.entries()).flatMap((entry) => (entry.kind === 'wake' ? [entry.report.from] : []))
  // From RAM, unless the machine reclaimed that since.
  expect(wakes).toEqual([expect.stringMatching(/^(frozen|memory)$/)])
})
