import { createClient, type ThreadboxClient } from '@threadbox/sdk'
import type { TestServer } from '@threadbox/testkit'
import { isFull } from '@threadbox/testkit/repeats'
import type { Browser, Page } from 'puppeteer-core'
import { expect, test } from 'vitest'
import { startServerWithoutHost } from './app-without-host.ts'
import { startFirefox } from './firefox.ts'

/** Twice the number of connections that a browser opens over HTTP/1.1. */
const tabCount = 12
/** A background tab paints nothing: its DOM changes are observed, not its frames. */
const patient = { timeout: 90_000, polling: 'mutation' as const }

/** Firefox is 312 MB of Debian packages: only the full set installs it. */
test.runIf(isFull)(
  'twelve tabs of Firefox on twelve threads are all live over one connection each, and live again after the server is killed',
  async () => {
    await using app = await startServerWithoutHost()
    const { server } = app
    const client = createClient({ baseUrl: server.loopbackOrigin, apiKey: server.apiKey })
    await using firefox = await startFirefox(server)
    await signIn(firefox.browser, server)
    const tabs: { threadId: string; page: Page; openedMs: number }[] = []
    for (let count = 0; count < tabCount; count += 1) {
      const { id: threadId } = await client.threads.create({})
      await say(client, threadId, 'before')
      const startedAt = performance.now()
      const page = await firefox.browser.newPage()
      await page.goto(`${server.origin}/threads/${threadId}`, { waitUntil: 'domcontentloaded' })
      await untilSaid(page, 'before')
      await say(client, threadId, 'live')
      await untilSaid(page, 'live')
      tabs.push({ threadId, page, openedMs: performance.now() - startedAt })
    }
    console.info(
      `${await firefox.browser.version()}: tabs opened and live after ${tabs.map(({ openedMs }) => Math.round(openedMs)).join(', ')} ms`,
    )
    await sayToAll(client, tabs, 'to-all')
    // The server ends idle connections of requests after some seconds: the streams are left.
    await expect.poll(() => firefox.connections(), { timeout: 60_000 }).toBe(tabCount)
    await server.kill('SIGKILL')
    await server.restart()
    await sayToAll(client, tabs, 'recovered')
    for (const { page } of tabs) {
      for (const text of ['before', 'live', 'to-all', 'recovered']) expect(await countOf(page, text)).toBe(1)
    }
    await expect.poll(() => firefox.connections(), { timeout: 60_000 }).toBe(tabCount)
    console.info(`connections of ${tabCount} tabs after all of it: ${firefox.connections()}`)
  },
  300_000,
)

async function signIn(browser: Browser, server: TestServer): Promise<void> {
  const page = await browser.newPage()
  await page.goto(`${server.origin}/login`)
  await page.locator('input[type="email"]').fill(server.owner.email)
  await page.locator('input[type="password"]').fill(server.owner.password)
  await page.keyboard.press('Enter')
  await page.locator('#message').wait()
  await page.close()
}

/** A message of the owner that another program sends: the page gets it over its stream only. */
async function say(client: ThreadboxClient, threadId: string, text: string): Promise<void> {
  await client.threads.sendMessage(threadId, { text: `/run echo ${text}`, key: crypto.randomUUID() })
}

async function sayToAll(
  client: ThreadboxClient,
  tabs: readonly { threadId: string; page: Page }[],
  text: string,
): Promise<void> {
  await Promise.all(tabs.map(({ threadId }) => say(client, threadId, text)))
  await Promise.all(tabs.map(({ page }) => untilSaid(page, text)))
}

async function untilSaid(page: Page, text: string): Promise<void> {
  await page.waitForFunction(`${countIn(text)} > 0`, patient)
}

async function countOf(page: Page, text: string): Promise<unknown> {
  return await page.evaluate(countIn(text))
}

/** How many of the owner’s messages on a page contain the text, as a script. */
function countIn(text: string): string {
  return `[...document.querySelectorAll('[data-entry].me')].filter((entry) => entry.textContent.includes('echo ${text}')).length`
}
