import { type ModelServer, startModelServer } from '@threadbox/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AppWithoutHost, startAppWithoutHost } from './app-without-host.ts'

let app: AppWithoutHost
let models: ModelServer

beforeAll(async () => {
  models = await startModelServer()
  app = await startAppWithoutHost({ environment: { GEMINI_API_KEY: 'key-of-the-environment' } })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await models.close()
})

async function openModels() {
  const page = await app.page({ signedIn: true })
  await page.goto(`${app.server.origin}/settings/models`)
  return page
}

describe('connecting a model', () => {
  test('the form reports missing values and invalid addresses', async () => {
    const page = await openModels()
    await page.getByRole('button', { name: 'Connect Other' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Save and test' }).click()
    expect(await dialog.getByText('This field is required.').count()).toBe(2)
    await dialog.getByRole('textbox', { name: 'Base URL' }).fill('localhost:8000')
    await dialog.getByText('Enter a URL that starts with http:// or https://.').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => page.locator(':focus').getAttribute('aria-label')).toBe('Connect Other')
  })

  test('the test makes one real call and shows the reply; the key is never returned', async () => {
    const page = await openModels()
    await page.getByRole('button', { name: 'Connect Anthropic' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('combobox', { name: 'Model' }).fill('claude-sonnet-4-5')
    await dialog.getByLabel('API key', { exact: true }).fill('sk-test-secret')
    await dialog.getByText('Base URL, name, context size and price').click()
    await dialog.getByRole('textbox', { name: 'Base URL' }).fill(models.baseUrls.anthropic)
    models.when(() => ({ text: 'ready' }))
    await dialog.getByRole('button', { name: 'Save and test' }).click()
    await dialog.getByText('Response: ready').waitFor()
    await dialog.getByText(/^Responded in \d/).waitFor()
    await dialog.getByText('Can see images you attach.').waitFor()
    await dialog.getByRole('button', { name: 'Done' }).click()
    const row = page.getByRole('listitem').filter({ hasText: 'claude-sonnet-4-5' })
    await row.getByText('key saved').waitFor()
    await row.getByText('Default').waitFor()
    expect(await page.content()).not.toContain('sk-test-secret')
  })

  test('a failing test shows its error, which can be corrected in the same form', async () => {
    const page = await openModels()
    await page.getByRole('button', { name: 'Connect Other' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Base URL' }).fill('http://127.0.0.1:9/v1')
    await dialog.getByRole('combobox', { name: 'Model' }).fill('local-model')
    await dialog.getByRole('button', { name: 'Save and test' }).click()
    await dialog.getByText('The model was saved, but the test failed.').waitFor()
    await dialog.getByRole('textbox', { name: 'Base URL' }).fill(models.baseUrls['openai-compatible'])
    models.when(() => ({ text: 'ready again' }))
    await dialog.getByRole('button', { name: 'Save and test' }).click()
    await dialog.getByText('Response: ready again').waitFor()
    await dialog.getByRole('button', { name: 'Done' }).click()
    expect(await page.getByRole('listitem').filter({ hasText: 'local-model' }).count()).toBe(1)
  })

  test('a model that failed its test can be removed again from the same dialog', async () => {
    const page = await openModels()
    await page.getByRole('button', { name: 'Connect Other' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Base URL' }).fill('http://127.0.0.1:9/v1')
    await dialog.getByRole('combobox', { name: 'Model' }).fill('not-wanted')
    await dialog.getByRole('button', { name: 'Save and test' }).click()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('not-wanted').waitFor({ state: 'detached' })
  })

  test('a key of the server’s environment is found, and not sent to an address other than its provider’s', async () => {
    const page = await openModels()
    await page.getByText('API key found in the server’s environment').waitFor()
    await page.getByRole('button', { name: 'Use Google' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Base URL, name, context size and price').click()
    await dialog.getByRole('textbox', { name: 'Base URL' }).fill(models.baseUrls.google)
    await dialog.getByRole('button', { name: 'Save and test' }).click()
    await dialog.getByText(/is only sent to Google’s own address/).waitFor()
    await dialog.getByLabel('API key (optional)', { exact: true }).fill('sk-for-this-address')
    models.when(() => ({ text: 'with its own key' }))
    await dialog.getByRole('button', { name: 'Save and test' }).click()
    await dialog.getByText('Response: with its own key').waitFor()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('listitem').filter({ hasText: 'Google' }).getByText('key saved').waitFor()
  })

  test('the default can be changed, and a deleted model is gone', async () => {
    const page = await openModels()
    const row = page.getByRole('listitem').filter({ hasText: 'local-model' })
    await row.getByRole('button', { name: 'Make default' }).click()
    await row.getByRole('button', { name: 'Make default' }).waitFor({ state: 'detached' })
    await row.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await row.waitFor({ state: 'detached' })
  })
})
