import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { messageField } from './app-in-browser.ts'
import { type BrowserStage, closePage, startBrowserStage } from './harness.ts'

let stage: BrowserStage
beforeAll(async () => {
  stage = await startBrowserStage()
  await stage.connectModel()
})
afterAll(() => stage?.[Symbol.asyncDispose]())

const letters = () => crypto.randomUUID().replaceAll('-', '')
const newKey = () => `ghp_${`${letters()}${letters()}`.slice(0, 36)}`

/** A page on a new thread, at the question that a key in its message raises. */
async function pasteKey(): Promise<Page & AsyncDisposable & { key: string }> {
  const key = newKey()
  const page = await stage.open('/threads/new')
  await messageField(page).fill(`Use ${key} for the upload.`)
  await messageField(page).press('Enter')
  await question(page).waitFor()
  return Object.assign(page, { key, [Symbol.asyncDispose]: () => closePage(page) })
}

const question = (page: Page) => page.getByRole('dialog', { name: 'This looks like a key' })
const press = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name }).click()
const sentToModel = () => JSON.stringify([...stage.models.requests, ...stage.models.titleRequests])
const secretNames = async () => (await stage.installation.client.secrets.list()).secrets.map(({ name }) => name)

test('G9: a message with a key is not sent while the question is open, and stays when the person goes back', async () => {
  await using page = await pasteKey()
  await press(page, 'Back to the message')
  await question(page).waitFor({ state: 'detached' })
  expect(await messageField(page).inputValue()).toBe(`Use ${page.key} for the upload.`)
  expect(new URL(page.url()).pathname).toBe('/threads/new')
  expect(sentToModel()).not.toContain(page.key)
  expect(await secretNames()).toEqual([])
})

test('G9: a key that is not moved is sent as it was written', async () => {
  await using page = await pasteKey()
  stage.models.reply({ text: 'It is sent.' })
  await press(page, 'Send anyway')
  await page.getByRole('log').getByText('It is sent.').waitFor()
  expect(sentToModel()).toContain(page.key)
})

test('G9: a key that is moved to a secret reaches no model and no thread; its programs find a placeholder', async () => {
  await using page = await pasteKey()
  await press(page, 'Move to a secret')
  const form = page.getByRole('dialog', { name: 'Add a secret' })
  expect(await form.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('GITHUB_TOKEN')
  expect(await form.getByRole('textbox', { name: 'Hosts' }).inputValue()).toBe('api.github.com')
  await press(page, 'Save')
  await page.getByText('Saved as a secret. The message now names GITHUB_TOKEN.').waitFor()
  expect(await messageField(page).inputValue()).toBe('Use $GITHUB_TOKEN for the upload.')
  expect(await secretNames()).toEqual(['GITHUB_TOKEN'])
  const show = { name: 'run_command', input: { command: 'printenv GITHUB_TOKEN' } }
  stage.models.reply({ calls: [show] }, { text: 'It has a placeholder.' })
  await messageField(page).press('Enter')
  await page.getByRole('log').getByText('It has a placeholder.').waitFor()
  await page
    .getByRole('region', { name: /^Command printenv/ })
    .getByRole('button', { name: /printenv/ })
    .click()
  await page
    .getByRole('region', { name: 'Output' })
    .getByText(/^ghp_tbx/)
    .waitFor()
  expect(sentToModel()).not.toContain(page.key)
  expect(sentToModel()).toContain('GITHUB_TOKEN')
  const threadId = page.url().split('/').at(-1) ?? ''
  expect(JSON.stringify(await stage.installation.client.threads.entries(threadId, { limit: 50 }))).not.toContain(
    page.key,
  )
})
