import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { messageField } from './app-in-browser.ts'
import { type BrowserStage, closePage, startWholeBrowserStage } from './harness.ts'

/** A person without a mouse, on the real system: everything here is a key press. */
let stage: BrowserStage
beforeAll(async () => {
  stage = await startWholeBrowserStage()
})
afterAll(() => stage?.[Symbol.asyncDispose]())

const patient = { timeout: 60_000 }
/** Longest path through a page. */
const maxTabs = 150
const has = (target: Locator) => target.evaluate((element) => element === element.ownerDocument.activeElement)
const focused = (target: Locator) => expect.poll(() => has(target), patient).toBe(true)

/** Presses Tab until the target has the focus. */
async function tabTo(page: Page, target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await target.waitFor(patient)
  for (let presses = 0; presses < maxTabs; presses += 1) {
    if (await has(target)) return
    await page.keyboard.press(key)
  }
  throw new Error(`Tab never reached ${target}`)
}

async function say(page: Page, text: string): Promise<void> {
  await focused(messageField(page))
  await page.keyboard.type(text)
  await page.keyboard.press('Enter')
}

/** Presses F6 until the region has the focus. */
async function toRegion(page: Page, name: string): Promise<void> {
  const region = () => page.evaluate(`document.activeElement?.closest('[data-region]')?.getAttribute('data-region')`)
  for (let presses = 0; presses < 8; presses += 1) {
    if ((await region()) === name) return
    await page.keyboard.press('F6')
  }
  throw new Error(`F6 never reached ${name}`)
}

const pane = (page: Page, name: string) => page.getByRole('complementary', { name, exact: true })

async function logIn(page: Page): Promise<void> {
  const { origin, owner } = stage.installation.server
  await page.context().clearCookies()
  await page.goto(`${origin}/login`)
  await tabTo(page, page.getByLabel('Email'))
  await page.keyboard.type(owner.email)
  await tabTo(page, page.getByLabel('Password', { exact: true }))
  await page.keyboard.type(owner.password)
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/threads\/new/)
}

test('from signing in to a service and a deleted thread with the keyboard only', async () => {
  const page = await stage.open('/login', { width: 1440, height: 900 })
  await using _page = { [Symbol.asyncDispose]: () => closePage(page) }
  await logIn(page)

  await say(page, '/run echo typed by hand')
  const card = page.getByRole('region', { name: /^Command echo/ })
  await card.getByText('exit 0').waitFor(patient)
  await tabTo(page, card.getByRole('button').first(), 'Shift+Tab')
  await page.keyboard.press('Enter')
  await card.getByRole('region', { name: 'Output' }).getByText('typed by hand').waitFor(patient)

  for (const [key, name] of [
    ['Alt+2', 'Files'],
    ['Alt+4', 'Sandbox'],
    ['Alt+5', 'Git'],
    ['Alt+3', 'Terminal'],
  ] as const) {
    await page.keyboard.press(key)
    await pane(page, name).waitFor(patient)
    const isInside = () => pane(page, name).evaluate((element) => element.contains(element.ownerDocument.activeElement))
    await expect.poll(isInside, patient).toBe(true)
  }
  // Tab belongs to the terminal; F6 leaves it.
  await toRegion(page, 'composer')

  await say(page, '/serve 8400 python3 -m http.server 8400 --bind 127.0.0.1')
  const preview = pane(page, 'Preview')
  const status = (word: string) => preview.getByRole('status').getByText(word, { exact: true }).waitFor(patient)
  await status('running')
  await toRegion(page, 'pane')
  await tabTo(page, preview.getByRole('button', { name: 'More actions for this service' }))
  await page.keyboard.press('Enter')
  const stop = page.getByRole('menuitem', { name: 'Stop service' })
  await stop.waitFor(patient)
  while (!(await has(stop))) await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await status('stopped')
  await tabTo(page, preview.getByRole('region', { name: / stopped$/ }).getByRole('button', { name: 'Restart service' }))
  await page.keyboard.press('Enter')
  await status('running')
  await page.keyboard.press('Alt+1')
  await preview.waitFor({ ...patient, state: 'detached' })

  await page.keyboard.press('F2')
  const rename = page.getByRole('textbox', { name: 'Rename thread' })
  await focused(rename)
  await page.keyboard.press('Control+a')
  await page.keyboard.type('Made with keys')
  await page.keyboard.press('Enter')
  const sidebar = page.getByRole('complementary', { name: 'Threads' })
  await sidebar.getByRole('link', { name: 'Made with keys' }).waitFor(patient)

  await toRegion(page, 'sidebar')
  await tabTo(page, page.getByRole('button', { name: 'More actions for Made with keys' }))
  await page.keyboard.press('Enter')
  const remove = page.getByRole('menuitem', { name: 'Delete thread' })
  await remove.waitFor(patient)
  while (!(await has(remove))) await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await sidebar.getByRole('link', { name: 'Made with keys' }).waitFor({ ...patient, state: 'detached' })
  await page.waitForURL(/\/threads\/new/)
  await focused(messageField(page))

  const skip = async (name: string) => {
    await page.evaluate(`document.activeElement.blur()`)
    await tabTo(page, page.getByRole('link', { name }))
    await page.keyboard.press('Enter')
  }
  await skip('Skip to message field')
  await focused(messageField(page))
  await page.goto(`${stage.installation.server.origin}/settings/about`)
  await page.getByRole('heading', { name: 'About', level: 1 }).waitFor(patient)
  await skip('Skip to content')
  await focused(page.getByRole('main'))
}, 600_000)
