import { createHmac } from 'node:crypto'
import { createClient } from '@threadbox/sdk'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AppWithoutHost, startAppWithoutHost } from './app-without-host.ts'

/**
 * Runs of an agent as a person sees them: started by hand, by a schedule that is being edited, by a request to a
 * webhook.
 */
let app: AppWithoutHost
let page: Page
beforeAll(async () => {
  app = await startAppWithoutHost()
  const client = createClient({ baseUrl: app.server.loopbackOrigin, apiKey: app.server.apiKey })
  await client.agents.create({ name: 'Log reader' })
  page = await app.page({ signedIn: true })
  await page.goto(`${app.server.origin}/agents`)
})
afterAll(() => app?.[Symbol.asyncDispose]())

const region = (name: string) => page.getByRole('region', { name, exact: true })
const dialog = () => page.getByRole('dialog')

test('C11: a run started by hand is listed with its result, and leads to its thread', async () => {
  await page.getByRole('link', { name: 'Runs of Log reader' }).press('Enter')
  await page.getByRole('heading', { name: 'Runs of Log reader' }).waitFor()
  await page.getByRole('textbox', { name: 'Task' }).fill('/help')
  await page.getByRole('button', { name: 'Run now' }).press('Enter')
  await region('Runs').getByText('succeeded').waitFor()
  await region('Runs').getByText('Finished runs are listed for 90 days').waitFor()
  await region('Runs').getByRole('link', { name: 'Open thread' }).press('Enter')
  await page.waitForURL(/\/threads\/t/)
  await page.getByRole('log').getByText('/help', { exact: true }).first().waitFor()
  await page.goBack()
})

test('C11: a schedule shows its next times while it is edited, rejects an invalid one, and can be turned off', async () => {
  await page.getByRole('button', { name: 'New schedule' }).press('Enter')
  await dialog().getByRole('textbox', { name: 'Name' }).fill('Every morning')
  await dialog().getByRole('textbox', { name: 'Task' }).fill('Read the logs.')
  await dialog().getByRole('textbox', { name: 'Time zone' }).fill('Europe/Berlin')
  const times = dialog().getByRole('region', { name: 'Next runs' }).getByRole('listitem')
  await expect.poll(() => times.count(), { timeout: 60_000 }).toBe(5)
  await expect.poll(() => times.first().textContent(), { timeout: 60_000 }).toMatch(/06:00 GMT\+[12]/)
  const plan = dialog().getByRole('textbox', { name: 'Cron expression' })
  await plan.fill('99 * * * *')
  await dialog().getByText('This cron expression is not valid: 99 * * * *').waitFor()
  await plan.fill('15 6 * * *')
  await expect.poll(() => times.first().textContent(), { timeout: 60_000 }).toContain('06:15')
  await dialog().getByRole('button', { name: 'Save' }).press('Enter')
  const row = region('Schedules').getByRole('listitem')
  await row.getByText('15 6 * * *').waitFor()
  await row.getByRole('switch', { name: 'Turn on Every morning' }).press('Enter')
  await row.getByText('off', { exact: true }).waitFor()
  await row.getByRole('button', { name: 'Delete Every morning' }).press('Enter')
  await dialog().getByRole('button', { name: 'Delete' }).press('Enter')
  await region('Schedules').getByText('No schedules yet.').waitFor()
})

test('C11: the secret of a webhook is shown once, and a request signed with it starts a run that the page shows', async () => {
  await page.getByRole('button', { name: 'New webhook' }).press('Enter')
  await dialog().getByRole('textbox', { name: 'Name' }).fill('Deployment')
  await dialog().getByRole('textbox', { name: 'Task' }).fill('Look at it.')
  await dialog().getByRole('button', { name: 'Create webhook' }).press('Enter')
  const field = dialog().getByRole('textbox', { name: 'Webhook secret' })
  await field.waitFor()
  const secret = await field.inputValue()
  const address = await dialog().locator('.code-line code').textContent()
  await dialog().getByRole('button', { name: 'Done' }).press('Enter')
  await region('Webhooks').getByText('never used').waitFor()
  expect(await page.content()).not.toContain(secret)

  const [id, timestamp, body] = ['event-1', String(Math.floor(Date.now() / 1000)), '{}']
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const mac = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${mac}` }
  const url = new URL(new URL(address ?? '').pathname, app.server.loopbackOrigin)
  expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(202)
  // No model is connected, and the run says so.
  await region('Runs').getByText('No model is connected').waitFor()
  await region('Webhooks').getByText('last used').waitFor()

  await region('Webhooks').getByRole('button', { name: 'New secret for Deployment' }).press('Enter')
  await dialog().getByRole('button', { name: 'Create new secret' }).press('Enter')
  await field.waitFor()
  expect(await field.inputValue()).not.toBe(secret)
  await dialog().getByRole('button', { name: 'Done' }).press('Enter')
  const again = { ...headers, 'webhook-id': 'event-2' }
  expect((await fetch(url, { method: 'POST', headers: again, body })).status).toBe(401)
})

test('C11: the limit of kept threads is changed after a list of the threads it deletes, and the run says that its thread was deleted', async () => {
  const runs = region('Runs')
  await runs.getByText('Threads of all runs are kept.').waitFor()
  await page.getByRole('textbox', { name: 'Task' }).fill('/help')
  await page.getByRole('button', { name: 'Run now' }).press('Enter')
  const threads = runs.getByRole('link', { name: 'Open thread' })
  const before = 3
  await expect.poll(() => threads.count(), { timeout: 60_000 }).toBe(before)
  await expect.poll(() => runs.getByText('succeeded').count(), { timeout: 60_000 }).toBe(2)

  const open = runs.getByRole('button', { name: 'Change how many threads are kept' })
  await open.press('Enter')
  await dialog().getByRole('combobox', { name: 'Threads to keep' }).press('Enter')
  await page.getByRole('option', { name: 'Only those of the latest runs' }).press('Enter')
  const count = dialog().getByRole('textbox', { name: 'Number of finished runs' })
  await count.fill('1001')
  await dialog().getByText('Enter a whole number from 1 to 1,000.').waitFor()
  await count.fill('1')
  await count.press('Enter')
  await page.getByRole('heading', { name: 'Delete 2 threads now?' }).waitFor()
  await dialog().getByText('Log reader (').waitFor()
  await dialog().getByRole('button', { name: 'Cancel' }).press('Enter')
  await runs.getByText('Threads of all runs are kept.').waitFor()
  expect(await threads.count()).toBe(before)

  await expect.poll(() => page.evaluate('document.activeElement?.ariaLabel')).toBe('Change how many threads are kept')
  await page.keyboard.press('Enter')
  await dialog().getByRole('combobox', { name: 'Threads to keep' }).press('Enter')
  await page.getByRole('option', { name: 'Only those of the latest runs' }).press('Enter')
  await count.fill('1')
  await count.press('Enter')
  await dialog().getByRole('button', { name: 'Delete 2 threads' }).press('Enter')
  await runs.getByText('The thread of the latest finished run is kept.').waitFor()
  await expect.poll(() => threads.count(), { timeout: 60_000 }).toBe(1)
  await expect.poll(() => runs.getByText('Its thread was deleted').count(), { timeout: 60_000 }).toBe(2)
  await runs.getByText('succeeded').first().waitFor()
})
