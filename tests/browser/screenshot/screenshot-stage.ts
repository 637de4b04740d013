import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { expect, vi } from 'vitest'
import { messageField, type PageOptions } from '../app-in-browser.ts'
import { type BrowserStage, closePage, startBrowserStage } from '../harness.ts'

/**
 * A thread whose sandbox serves the pages of `pages.mjs`, for screenshots through the bridge that the preview server
 * injects into them.
 */
export type ScreenshotStage = AsyncDisposable & {
  stage: BrowserStage
  threadId: string
  /** A page on the thread, with one of the sandbox's pages in the preview pane. */
  open(at?: string, options?: PageOptions): Promise<Page & AsyncDisposable>
}

/** `others`: more servers of this machine that the browser can reach. */
export async function startScreenshotStage(...others: { port: number }[]): Promise<ScreenshotStage> {
  // Also after a failure: a stage that stays keeps the test run from ending.
  await using cleanup = new AsyncDisposableStack()
  const stage = cleanup.use(await startBrowserStage(...others))
  const { client } = stage.installation
  const threadId = (await client.threads.create({})).id
  const from = (name: string) => path.join(import.meta.dirname, name)
  const files = {
    'pages.mjs': from('pages.mjs'),
    'hostile.js': from('hostile.js'),
    'font.woff2': from('../../../apps/web/public/fonts/inter-latin-opsz-normal.woff2'),
  }
  for (const [name, file] of Object.entries(files)) {
    await client.files.write(threadId, `/home/user/${name}`, new Blob([await readFile(file)]))
  }
  await client.services.start(threadId, { name: 'pages', command: 'node pages.mjs', port: 8000 })
  // The preview opens when a service starts on an open page, and a click on its toggle would then close it.
  const statuses = async () => (await client.services.list(threadId)).services.map(({ status }) => status)
  await vi.waitFor(async () => expect(await statuses()).toEqual(['running']), { timeout: 60_000, interval: 100 })
  const kept = cleanup.move()
  return {
    stage,
    threadId,
    open: async (at = '/plain', { deviceScale = 1 } = {}) => {
      const page = await stage.open(`/threads/${threadId}`, { width: 1440, height: 900, deviceScale })
      await messageField(page).waitFor()
      const toggle = page.getByRole('group', { name: 'Panes' }).getByRole('button', { name: 'Preview' })
      if ((await toggle.getAttribute('aria-pressed')) === 'false') await toggle.click()
      await address(page).waitFor()
      await show(page, at)
      return Object.assign(page, { [Symbol.asyncDispose]: () => closePage(page) })
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

export const pane = (page: Page) => page.getByRole('complementary', { name: 'Preview' })
export const frame = (page: Page) => page.frameLocator('.frame iframe')
export const camera = (page: Page) => pane(page).getByRole('button', { name: /^(?:Take a|Cancel) screenshot$/ })
export const region = (page: Page) => pane(page).getByRole('group', { name: /^Selected area/ })
export const badges = (page: Page) => page.locator('.composer .shot')
export const address = (page: Page) => pane(page).getByRole('textbox', { name: 'Page path' })
export const isShooting = (page: Page) => camera(page).getAttribute('aria-pressed')

/** Opens a page and waits until it is loaded and its bridge responds. */
export async function show(page: Page, at: string): Promise<void> {
  await camera(page).and(page.locator(':not([aria-disabled])')).waitFor()
  await address(page).fill(at)
  await address(page).press('Enter')
  // A page that is still being left ends what is evaluated in it.
  const loadedPath = () =>
    frame(page)
      .locator('html')
      .evaluate(`new Promise((resolve) => {
    if (document.readyState === 'complete') resolve()
    else addEventListener('load', () => resolve())
  }).then(() => document.fonts.ready).then(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))).then(() => location.pathname)`)
  await expect.poll(() => loadedPath().catch(String)).toBe(at)
  await expect.poll(() => address(page).inputValue()).toBe(at)
  await camera(page).and(page.locator(':not([aria-disabled])')).waitFor()
}

/** Drags over the page from one point of the frame to another. */
export async function drag(page: Page, from: [number, number], to: [number, number]): Promise<void> {
  const box = await page.locator('.shade').boundingBox()
  await page.mouse.move((box?.x ?? 0) + from[0], (box?.y ?? 0) + from[1])
  await page.mouse.down()
  await page.mouse.move((box?.x ?? 0) + to[0], (box?.y ?? 0) + to[1], { steps: 4 })
  await page.mouse.up()
}

/** Takes a screenshot of what is shown, or of the page at an address, and waits until its badge is added. */
export async function shoot(
  page: Page,
  at?: string,
  part: { from: [number, number]; to: [number, number] } = { from: [10, 10], to: [310, 210] },
): Promise<void> {
  if (at !== undefined) await show(page, at)
  const before = await badges(page).count()
  await camera(page).click()
  await drag(page, part.from, part.to)
  await region(page).waitFor()
  await page.keyboard.press('Enter')
  await expect.poll(() => badges(page).count()).toBe(before + 1)
}
