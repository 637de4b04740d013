import { readFile } from 'node:fs/promises'
import { type ModelServer, startModelServer } from '@threadbox/testkit'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answered, messageField, send } from './app-in-browser.ts'
import { type AppWithoutHost, startAppWithoutHost } from './app-without-host.ts'

/** What requests to models cost, and limits of people, with two people and scripted providers. */
const password = 'correct horse battery staple'
let app: AppWithoutHost
let models: ModelServer
let ada: Page
let ben: Page

beforeAll(async () => {
  models = await startModelServer()
  app = await startAppWithoutHost()
  ada = await app.page({ signedIn: true })
  const first = await connect('anthropic', 'claude-sonnet-4-5', [])
  const second = await connect('openai', 'gpt-4.1', [])
  await call(ada, 'PATCH', `/models/${first}`, { fallbackIds: [second], isDefault: true })
  const { path } = await call<{ path: string }>(ada, 'POST', '/invites', {})
  ben = await app.page()
  await ben.goto(`${app.server.origin}${path}`)
  await ben.getByLabel('Name').fill('Ben')
  await ben.getByLabel('Email').fill('ben@example.com')
  await ben.getByLabel('Password', { exact: true }).fill(password)
  await ben.getByRole('button', { name: 'Create account' }).click()
  await messageField(ben).waitFor()
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await models.close()
})

async function connect(provider: 'anthropic' | 'openai', model: string, fallbackIds: string[]): Promise<string> {
  const request = { provider, model, name: model, apiKey: 'key', baseUrl: models.baseUrls[provider], fallbackIds }
  return (await call<{ id: string }>(ada, 'POST', '/models', request)).id
}

/** Calls the API from inside the page, with its cookies. */
async function call<Answer>(page: Page, method: string, path: string, body: object): Promise<Answer> {
  return await page.evaluate(
    async (request) => {
      const headers = { 'content-type': 'application/json' }
      const { method, body } = request
      const response = await fetch(`/api/v1${request.path}`, { method, headers, body: JSON.stringify(body) })
      return (await response.json()) as never
    },
    { method, path, body },
  )
}

const settings = (page: Page, section: string) => page.goto(`${app.server.origin}/settings/${section}`)

test('C12: a person sees what their messages cost, by model and purpose, and the same in the CSV file', async () => {
  models.reply({ text: 'Hello Ben.', usage: { inputTokens: 1_000_000, outputTokens: 100_000 } })
  await send(ben, 'Hello')
  await answered(ben)
  await settings(ben, 'usage')
  const figure = (name: string) => ben.locator('.figures div', { hasText: name }).locator('dd')
  await expect.poll(() => figure('Requests').textContent()).toBe('2')
  const cost = (await figure('Cost').textContent()) ?? ''
  expect(cost).toMatch(/^\$8\.2/)
  await ben.getByRole('combobox', { name: 'Group' }).click()
  await ben.getByRole('option', { name: 'By purpose' }).click()
  await ben.getByRole('row', { name: /Responses/ }).waitFor()
  await ben.getByRole('row', { name: /Titles of threads/ }).waitFor()
  const [file] = await Promise.all([
    ben.waitForEvent('download'),
    ben.getByRole('button', { name: 'Download CSV' }).click(),
  ])
  const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n')
  expect(lines).toHaveLength(3)
  const sum = lines.slice(1).reduce((total, line) => total + Number(line.split(',').at(-3)), 0)
  expect(`$${sum.toFixed(2)}`).toBe(cost)
})

test('C12: the owner sees everyone’s usage by person; a member does not', async () => {
  await settings(ada, 'usage')
  await ada.getByText('No model was used in this month.').waitFor()
  await ada.getByRole('combobox', { name: 'Whose' }).click()
  await ada.getByRole('option', { name: 'Everyone' }).click()
  await ada.getByRole('combobox', { name: 'Group' }).click()
  await ada.getByRole('option', { name: 'By person' }).click()
  await ada.getByRole('row', { name: /Ben/ }).waitFor()
  expect(await ben.getByRole('combobox', { name: 'Whose' }).count()).toBe(0)
})

test('C12: a limit shows what is used and when it starts again; more is asked for and granted', async () => {
  await settings(ben, 'usage')
  await ben.getByText(/\$8\.2\d of \$50\.00/).waitFor()
  await ben.getByText(/starts again/).waitFor()
  await ben.getByRole('button', { name: 'Ask for more' }).first().click()
  await ben.getByRole('button', { name: 'Asked' }).waitFor()
  await settings(ada, 'people')
  await ada.getByRole('button', { name: 'Grant Ben more' }).click()
  const dialog = ada.getByRole('dialog', { name: 'Grant Ben more' })
  await dialog.getByLabel('Models per month').fill('abc')
  await dialog.getByRole('button', { name: 'Grant' }).click()
  await dialog.getByText('Enter a number, or leave it empty.').waitFor()
  await dialog.getByLabel('Models per month').fill('80')
  await dialog.getByRole('button', { name: 'Grant' }).click()
  await dialog.waitFor({ state: 'detached' })
  await ben.reload()
  await ben.getByText(/of \$80\.00/).waitFor()
})

test('C12: when 80 % of a limit is used, a notice says so until it is dismissed', async () => {
  await settings(ben, 'usage')
  const banner = ben.locator('.banner', { hasText: 'Models per month: little left.' })
  expect(await banner.count()).toBe(0)
  await call(ben, 'PATCH', '/quotas', { modelMicroUsdPerMonth: 10_000_000 })
  await ben.reload()
  await banner.getByText(/\$8\.2\d of \$10\.00 used\. It starts again/).waitFor()
  await banner.getByRole('button', { name: 'Dismiss until next month' }).click()
  await banner.waitFor({ state: 'detached' })
  await ben.reload()
  await messageField(ben).or(ben.getByText('your own limit')).first().waitFor()
  expect(await banner.count()).toBe(0)
  await call(ben, 'PATCH', '/quotas', { modelMicroUsdPerMonth: null })
})

test('C12: a turn stops before a request that the limit does not allow, and continues when it is raised', async () => {
  await settings(ben, 'usage')
  await ben.getByRole('button', { name: 'Set your own' }).click()
  const dialog = ben.getByRole('dialog', { name: 'Set your own' })
  await dialog.getByLabel('Models per month').fill('8')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await ben.getByText('little left').waitFor()
  await ben.getByText('your own limit').waitFor()
  await ben.goto(app.server.origin)
  const before = models.requests.length
  await send(ben, 'More, please')
  await ben.getByText(/You have used 8\.2\d of 8\.00 USD for models this month\./).waitFor()
  expect(models.requests.length).toBe(before)
  await call(ben, 'PATCH', '/quotas', { modelMicroUsdPerMonth: null })
  models.reply({ text: 'Here is more.' })
  await ben.getByRole('button', { name: 'Continue' }).click()
  await ben.getByText('Here is more.').waitFor()
})

test('C12: when a model can’t respond, the next one does, and the conversation says why', async () => {
  models.reply({ failure: 'overloaded' }, { text: 'From the other one.' })
  await send(ben, 'And now?')
  await ben.getByText('From the other one.').waitFor()
  await ben.getByText('Answered by gpt-4.1').waitFor()
  await ben.getByText('claude-sonnet-4-5 was overloaded.').waitFor()
})
