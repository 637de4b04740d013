import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { send } from './app-in-browser.ts'
import { type BrowserStage, closePage, startBrowserStage } from './harness.ts'

/** A link from the preview pane, opened in a browser without a session. */
let stage: BrowserStage
beforeAll(async () => {
  stage = await startBrowserStage()
})
afterAll(() => stage?.[Symbol.asyncDispose]())

const patient = { timeout: 60_000 }
const pane = (page: Page) => page.getByRole('complementary', { name: 'Preview' })
const dialog = (page: Page) => page.getByRole('dialog', { name: /^Share / })

test('O12: a link is created, shown once, opened by a person without an account, listed and revoked', async () => {
  const page = await stage.open('/threads/new', { width: 1440, height: 900 })
  await using _page = { [Symbol.asyncDispose]: () => closePage(page) }
  await send(
    page,
    '/serve 8500 mkdir -p site && echo hello from afar > site/index.html && cd site && python3 -m http.server 8500',
  )
  await pane(page).getByRole('status').getByText('running', { exact: true }).waitFor(patient)
  await pane(page).getByRole('button', { name: 'Share', exact: true }).click()
  await dialog(page).getByText('The link only works on this computer').waitFor(patient)
  await dialog(page).getByRole('combobox', { name: 'Link expires' }).click()
  await page.getByRole('option', { name: 'in 1 hour' }).click()
  await dialog(page).getByRole('button', { name: 'Create link' }).click()
  const address = dialog(page).getByRole('textbox', { name: 'Link' })
  await address.waitFor(patient)
  const url = await address.inputValue()
  expect(await page.locator('input:focus').inputValue()).toBe(url)

  const context = await page.context().browser()?.newContext()
  if (context === undefined) throw new Error('the page has no browser')
  await using _context = { [Symbol.asyncDispose]: () => context.close() }
  const stranger = await context.newPage()
  await stranger.goto(url)
  await stranger.getByText('hello from afar').waitFor(patient)
  expect(stranger.url()).not.toContain('key=')
  // The link gives no access to the app.
  await stranger.goto(`${stage.installation.server.origin}/threads/new`)
  await stranger.waitForURL(/\/login/)

  await dialog(page).getByRole('button', { name: 'Done' }).click()
  await pane(page).getByRole('button', { name: 'Share', exact: true }).click()
  const list = dialog(page).getByRole('region', { name: 'Links to this service' })
  await list.getByText(/^Expires in \d+ minutes/).waitFor(patient)
  expect(await dialog(page).getByRole('textbox', { name: 'Link' }).count()).toBe(0)
  await list.getByRole('button', { name: /^Revoke the link/ }).click()
  await list.waitFor({ state: 'detached' })
  await expect
    .poll(async () => {
      await stranger.goto(url)
      return await stranger.getByRole('heading').innerText()
    }, patient)
    .toBe('This page is private')
})
