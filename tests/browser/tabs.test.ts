import { createClient, type ThreadboxClient } from '@threadbox/sdk'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { keepPages } from './app-in-browser.ts'
import { type AppWithoutHost, startAppWithoutHost } from './app-without-host.ts'

/** Twice the number of connections that a browser opens over HTTP/1.1. */
const tabCount = 12
/** A browser’s limit to one origin over HTTP/1.1, not counting sockets for streams. */
const httpConnections = 6
/** Longer than the longest wait of a page before it reconnects. */
const patient = { timeout: 60_000 }

let app: AppWithoutHost
let client: ThreadboxClient
beforeAll(async () => {
  app = await startAppWithoutHost()
  client = createClient({ baseUrl: app.server.loopbackOrigin, apiKey: app.server.apiKey })
})
afterAll(() => app?.[Symbol.asyncDispose]())

/** A message of the owner that another program sends: the page gets it over its stream only. */
const say = (threadId: string, text: string) =>
  client.threads.sendMessage(threadId, { text: `/run echo ${text}`, key: crypto.randomUUID() })
const said = (page: Page, text: string) => page.locator('[data-entry].me', { hasText: `echo ${text}` })

async function openTab(context: BrowserContext, threadId: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(`${app.server.origin}/threads/${threadId}`, { waitUntil: 'commit' })
  return page
}

test('twelve tabs on twelve threads are all live, and live again after the server is killed', async () => {
  const first = await app.page({ signedIn: true })
  const context = first.context()
  await first.close()
  const tabs: { threadId: string; page: Page; openedMs: number }[] = []
  for (let count = 0; count < tabCount; count += 1) {
    const { id: threadId } = await client.threads.create({})
    await say(threadId, 'before')
    const startedAt = performance.now()
    const page = await openTab(context, threadId)
    await said(page, 'before').waitFor(patient)
    await say(threadId, 'live')
    await said(page, 'live').waitFor(patient)
    tabs.push({ threadId, page, openedMs: performance.now() - startedAt })
  }
  console.info(`tabs opened and live after ${tabs.map(({ openedMs }) => Math.round(openedMs)).join(', ')} ms`)
  await app.server.kill('SIGKILL')
  await app.server.restart()
  await Promise.all(tabs.map(({ threadId }) => say(threadId, 'recovered')))
  await Promise.all(tabs.map(({ page }) => said(page, 'recovered').waitFor(patient)))
  for (const { page } of tabs) {
    for (const text of ['before', 'live', 'recovered']) expect(await said(page, text).count()).toBe(1)
  }
  await context.close()
}, 240_000)

test('a tab that is reloaded ten times, left and returned to is live, and keeps no connection of the earlier pages', async () => {
  await using browser = await app.withBrowser([keepPages], 'whole')
  const page = await browser.page({ signedIn: true })
  const [here, there] = [(await client.threads.create({})).id, (await client.threads.create({})).id]
  const go = (threadId: string) => page.goto(`${app.server.origin}/threads/${threadId}`, { waitUntil: 'commit' })
  const isLive = async (threadId: string, text: string) => {
    await say(threadId, text)
    await said(page, text).waitFor(patient)
    expect(await said(page, text).count()).toBe(1)
  }
  await go(here)
  await isLive(here, 'opened')
  for (let count = 1; count <= 10; count += 1) {
    await page.reload({ waitUntil: 'commit' })
    await isLive(here, `reloaded-${count}-times`)
  }
  await go(there)
  await isLive(there, 'elsewhere')
  for (const round of ['first', 'second']) {
    await page.goBack({ waitUntil: 'commit' })
    await isLive(here, `back-${round}`)
    await page.goForward({ waitUntil: 'commit' })
    await isLive(there, `forward-${round}`)
  }
  await page.goBack({ waitUntil: 'commit' })
  await said(page, 'reloaded-10-times').waitFor(patient)
  await expect.poll(() => browser.connections()).toBeLessThanOrEqual(httpConnections + 1)
  console.info(`connections after all of it: ${browser.connections()}`)
  await page.context().close()
}, 240_000)
