import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { send } from './app-in-browser.ts'
import { type BrowserStage, closePage, startBrowserStage } from './harness.ts'

/** Real services in a real sandbox, seen through the preview pane. */
let stage: BrowserStage
beforeAll(async () => {
  stage = await startBrowserStage()
})
afterAll(() => stage?.[Symbol.asyncDispose]())

const patient = { timeout: 60_000 }
const pane = (page: Page) => page.getByRole('complementary', { name: 'Preview' })
const button = (page: Page, name: string) => pane(page).getByRole('button', { name, exact: true })
const status = (page: Page, word: string) => pane(page).getByRole('status').getByText(word, { exact: true })
/** The count on the page in the frame; 0 without one. */
async function count(page: Page): Promise<number> {
  const text = await page
    .frameLocator('.frame iframe')
    .locator('body')
    .innerText({ timeout: 1000 })
    .catch(() => '')
  return Number(/^count (\d+)$/.exec(text.trim())?.[1] ?? 0)
}

/** Counts the views of its page in memory: a client that reads a higher number reads from the same process. */
const counter =
  "node -e \"let count = 0; require('http').createServer((request, response) => { " +
  "if (request.url === '/') count += 1; response.setHeader('content-type', 'text/html'); " +
  "response.end('count ' + count) }).listen(process.env.PORT, '127.0.0.1')\""

test('O4, O7, O8: a service opens the pane automatically, is reloaded, sleeps, continues, is restarted and stopped', async () => {
  const page = await stage.open('/threads/new', { width: 1440, height: 900 })
  await using _page = { [Symbol.asyncDispose]: () => closePage(page) }
  await send(page, `/serve 8400 ${counter}`)
  await status(page, 'running').waitFor(patient)
  await expect.poll(() => count(page), patient).toBeGreaterThan(0)
  // The readiness check counted too.
  const first = await count(page)
  const card = page.getByRole('log').getByRole('region', { name: /^Service / })
  await card.getByText('running', { exact: true }).waitFor(patient)
  await button(page, 'Reload page').click()
  await expect.poll(() => count(page), patient).toBe(first + 1)

  const threadId = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  await stage.installation.client.sandboxes.pause(threadId)
  await status(page, 'suspended').waitFor(patient)
  await card.getByText('suspended', { exact: true }).waitFor(patient)
  await page.reload()
  await status(page, 'suspended').waitFor(patient)
  // Longer than the app’s own requests take: viewing a sleeping sandbox must not wake it.
  await page.waitForTimeout(2000)
  expect((await stage.installation.client.threads.get(threadId)).sandbox.state).toBe('paused')
  await pane(page).getByRole('region', { name: 'Suspended' }).getByRole('button', { name: 'Wake' }).click()
  await status(page, 'running').waitFor(patient)
  await expect.poll(() => count(page), patient).toBe(first + 2)

  await button(page, 'Restart service').click()
  await expect.poll(() => count(page), patient).toBe(first)
  await status(page, 'running').waitFor(patient)
  await button(page, 'More actions for this service').click()
  await page.getByRole('menuitem', { name: 'Stop service' }).click()
  await status(page, 'stopped').waitFor(patient)
  await pane(page)
    .getByRole('region', { name: / stopped$/ })
    .getByRole('button', { name: 'Restart service' })
    .click()
  await expect.poll(() => count(page), patient).toBe(first)

  await send(page, '/serve 8401 echo hopeless; exit 3')
  await status(page, 'error').waitFor(patient)
  await pane(page).getByText('The process exited with code 3.').waitFor(patient)
  await pane(page).getByRole('region', { name: 'Last output' }).getByText('hopeless').waitFor(patient)
})

test('O4: a service that starts while the page is disconnected opens the pane as soon as it reconnects', async () => {
  const { client } = stage.installation
  const page = await stage.open('/threads/new', { width: 1440, height: 900 })
  await using _page = { [Symbol.asyncDispose]: () => closePage(page) }
  const { id } = await client.threads.create({})
  const held = Promise.withResolvers<void>()
  await page.routeWebSocket('**/api/v1/events/socket', async (socket) => {
    await held.promise
    socket.connectToServer()
  })
  const listed = page.waitForResponse((response) => response.url().endsWith(`/threads/${id}/services`))
  await page.goto(new URL(`/threads/${id}`, page.url()).href)
  await listed
  await client.services.start(id, { name: 'counter', command: counter, port: 8400 })
  const state = async () => (await client.services.list(id)).services[0]?.status
  await expect.poll(state, patient).toBe('running')
  expect(await pane(page).count()).toBe(0)
  held.resolve()
  await status(page, 'running').waitFor(patient)
})
