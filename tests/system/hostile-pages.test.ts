import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Looking, startLooking } from './view-page/looking.ts'

/** Endless pages, and interrupted screenshots: nothing of them stays, and nothing else is affected. */
let looking: Looking
beforeAll(async () => {
  looking = await startLooking()
})
afterAll(() => looking?.[Symbol.asyncDispose]())

test('a page that never finishes loading is shown as far as it loaded; one that never responds is an error', async () => {
  const slow = await looking.view({ service: 'site', path: '/waiting', timeout_seconds: 3 })
  expect(slow.call.status).toBe('succeeded')
  expect(slow.told).toContain('The page was still loading after 3 s')
  expect(slow.told).toContain('here already')
  const never = await looking.view({ service: 'site', path: '/never', timeout_seconds: 3 })
  expect(never.call).toMatchObject({ status: 'failed', error: { code: 'page.no-answer' } })
  await looking.nothingIsLeft()
})

test('a page that opens a thousand windows, one that only grows and one that never pauses affect nothing else', async () => {
  const service = async () => (await looking.installation.client.services.list(looking.thread.id)).services[0]
  const before = await service()
  const pid = await looking.output('pgrep -f site/site.mjs')
  const windows = await looking.view({ service: 'site', path: '/windows' })
  expect(windows.call.status, windows.told).toBe('succeeded')
  expect(windows.told).toMatch(/The page tried to open \d+ windows, which were blocked/)
  await looking.nothingIsLeft()
  const greedy = await looking.view({ service: 'site', path: '/memory' })
  expect(greedy.call.status).toBe('failed')
  expect(['page.too-much-memory', 'page.crashed'], greedy.told).toContain(greedy.call.error?.code)
  await looking.nothingIsLeft()
  const busy = await looking.view({ service: 'site', path: '/loop', timeout_seconds: 3 })
  expect(busy.call).toMatchObject({ status: 'failed', error: { code: 'page.not-responding' } })
  expect(busy.told).toContain('warning: spinning')
  await looking.nothingIsLeft()
  expect(await looking.output('pgrep -f site/site.mjs')).toBe(pid)
  expect(await service()).toEqual(before)
})

test('Stop during a screenshot ends the browser and leaves nothing behind', async () => {
  const { installation, model, thread } = looking
  model.reply({ calls: [{ name: 'view_page', input: { service: 'site', path: '/never', timeout_seconds: 120 } }] })
  const ending = thread.say('Look at it')
  await vi.waitFor(
    async () => {
      const names = (await installation.client.files.list(thread.id, '/tmp')).entries.map(({ name }) => name)
      expect(names.some((name) => name.startsWith('threadbox-look-'))).toBe(true)
    },
    { timeout: 60_000, interval: 250 },
  )
  await installation.client.threads.stop(thread.id)
  const { calls, turn } = await ending
  expect(turn.status).toBe('stopped')
  expect(calls[0]).toMatchObject({ tool: 'view_page', status: 'stopped' })
  await looking.nothingIsLeft()
})
