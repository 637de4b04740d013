import { createClient, type ThreadboxClient } from '@threadbox/sdk'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AppWithoutHost, startAppWithoutHost } from './app-without-host.ts'

/** Twice as many as a browser opens connections over HTTP/1.1. */
const tabCount = 12
/** Longer than a page waits at most before it tries to reconnect. */
const patient = { timeout: 60_000 }

let app: AppWithoutHost
let client: ThreadboxClient
beforeAll(async () => {
  app = await startAppWithoutHost()
  client = createClient({ baseUrl: app.server.loopbackOrigin, apiKey: app.server.apiKey })
})
afterAll(() => app?.[Symbol.asyncDispose]())

/** A message of the owner that another program sends: the page learns of it over its stream only. */
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
  const [firstMs = 0, lastMs = 0] = [tabs[0]?.openedMs, tabs.at(-1)?.openedMs]
  console.info(
    `tabs opened and live after ${tabs.map(({ openedMs }) => Math.round(openedMs)).join(', ')} ms; last / first ${(lastMs / firstMs).toFixed(2)}`,
  )
  await app.server.kill('SIGKILL')
  await app.server.restart()
  await Promise.all(tabs.map(({ threadId }) => say(threadId, 'recovered')))
  await Promise.all(tabs.map(({ page }) => said(page, 'recovered').waitFor(patient)))
  for (const { page } of tabs) {
    for (const text of ['before', 'live', 'recovered']) expect(await said(page, text).count()).toBe(1)
  }
  await context.close()
}, 240_000)
