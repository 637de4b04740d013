import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AdvancedClock, makeAdvancedClock } from '../stack/advanced-clock.ts'
import { type BrowserStage, startBrowserStageWith } from './harness.ts'
import { frame, heading, openThread, patient, startVite } from './previews-frameworks/framework-services.ts'

/** A page of a development server that is left open, in the preview and in its own tab. */
let clock: AdvancedClock
let stage: BrowserStage
beforeAll(async () => {
  clock = await makeAdvancedClock()
  stage = await startBrowserStageWith({ program: 'whole', clock })
})
afterAll(async () => {
  await stage?.[Symbol.asyncDispose]()
  await clock?.[Symbol.asyncDispose]()
})

test('O3, C4: a Vite tab that is left open lets its sandbox pause on time, and it stays paused', async () => {
  const { client } = stage.installation
  const vite = await startVite(stage)
  await using page = await openThread(stage, vite)
  await heading(frame(page), 'First, 0')
  // When its server is lost, Vite’s script requests it each second: in the page, and not in a worker that this test
  // cannot observe.
  await page.context().addInitScript('delete globalThis.SharedWorker')
  const opened = page.context().waitForEvent('page')
  await page.getByRole('button', { name: 'Open in new tab' }).click()
  const tab = await opened
  let attempts = 0
  tab.on('websocket', () => {
    attempts += 1
  })
  await heading(tab, 'First, 0')
  const sandbox = async () => (await client.threads.get(vite)).sandbox
  await client.sandboxes.change(vite, { policy: { idlePauseMinutes: 1 } })
  const startedAt = clock.now()
  const { host, server } = stage.installation
  const isPaused = async () => expect((await sandbox()).state).toBe('paused')
  // A tenth of the time is real: the open pages send requests for that long.
  await clock.advanceUntil(isPaused, [host, server])
  console.log(
    `with two open pages of Vite: paused after ${Math.round((clock.now() - startedAt) / 1000)} s, set were 60`,
  )
  const { since, detail } = await sandbox()
  expect(detail).toEqual({ code: 'paused.idle', params: { minutes: 1 } })
  const before = attempts
  await expect.poll(() => attempts - before, patient).toBeGreaterThan(10)
  expect(await sandbox()).toMatchObject({ state: 'paused', since })
  await tab.close()
}, 600_000)
