import {
  type McpTestServer,
  type ModelServer,
  startLoginServer,
  startMcpServer,
  startModelServer,
} from '@threadbox/testkit'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AppWithoutHost, post, startAppWithoutHost } from './app-without-host.ts'

let app: AppWithoutHost
let models: ModelServer
let server: McpTestServer

beforeAll(async () => {
  models = await startModelServer()
  server = await startMcpServer()
  server.token = 'tok-of-the-test'
  server.tools = [
    {
      name: 'add_row',
      description: 'Adds a row to a sheet. <img src=x onerror=alert(1)>',
      inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
      answer: ({ text }) => ({ content: [{ type: 'text', text: `Row added: ${String(text)}` }] }),
    },
  ]
  app = await startAppWithoutHost({ environment: { THREADBOX_CONNECTIONS_ALLOW: '127.0.0.1' } })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
  await models.close()
})

async function openConnections(locale = 'en-US') {
  const page = await app.page({ signedIn: true, locale })
  await page.goto(`${app.server.origin}/settings/connections`)
  return page
}

const row = (page: Page) => page.getByRole('listitem').filter({ hasText: 'Sheets' }).first()

describe('connections in the app', () => {
  test('G9: are added by address and token; a wrong token is reported and corrected; each tool has its own approval', async () => {
    const page = await openConnections()
    await page.getByRole('button', { name: 'Add a connection' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Save and test' }).click()
    expect(await dialog.getByText('This field is required.').count()).toBe(3)
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Sheets')
    await dialog.getByRole('textbox', { name: 'URL' }).fill(server.url)
    await dialog.getByLabel('Token', { exact: true }).fill('tok-wrong')
    await dialog.getByRole('button', { name: 'Save and test' }).click()
    await row(page).getByText('rejected the token').waitFor()
    await row(page).getByRole('button', { name: 'Edit Sheets' }).click()
    await dialog.getByLabel('Token', { exact: true }).fill('tok-of-the-test')
    await dialog.getByRole('button', { name: 'Save and test' }).click()
    await row(page).getByText('Connected', { exact: true }).waitFor()
    expect(await page.content()).not.toContain('tok-of-the-test')

    await row(page).getByText('1 tool').press('Enter')
    await row(page).getByText('Server description').click()
    // The server’s text stays text: none of it becomes part of the page.
    await row(page).getByText('<img src=x onerror=alert(1)>').waitFor()
    await row(page).getByRole('combobox', { name: 'Permission for add_row' }).click()
    await page.getByRole('option', { name: 'Off' }).click()
    await row(page).getByText('0 allowed, 0 requiring approval, 1 off').waitFor()
    await row(page).getByRole('button', { name: 'Ask every time' }).click()
    await row(page).getByText('0 allowed, 1 requiring approval, 0 off').waitFor()
    await page.reload()
    await row(page).getByText('0 allowed, 1 requiring approval, 0 off').waitFor()
  })

  test('G9: sign-in leads to the page that the server named, comes back, and ends with its tools; a denial is reported', async () => {
    await using logins = await startLoginServer()
    await using own = await startMcpServer()
    own.logins = logins
    own.tools = [{ name: 'find_page', answer: () => ({ content: [] }) }]
    const page = await openConnections()
    // The tests’ browser reaches threadbox alone: its requests to the authorization server are made from here.
    await page.route(`${logins.issuer}/**`, async (route) => {
      const { status, headers } = await fetch(route.request().url(), { redirect: 'manual' })
      await route.fulfill({ status, headers: Object.fromEntries(headers) })
    })
    const pages = page.getByRole('listitem').filter({ hasText: 'Pages' }).first()
    await page.getByRole('button', { name: 'Add a connection' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Pages')
    await dialog.getByRole('textbox', { name: 'URL' }).fill(own.url)
    await dialog.getByRole('combobox', { name: 'Authentication' }).click()
    await page.getByRole('option', { name: 'Sign in with OAuth' }).click()
    await dialog.getByRole('button', { name: 'Save and test' }).click()
    await pages.getByText('Sign-in required').waitFor()

    logins.isDenying = true
    const { host } = new URL(logins.issuer)
    await pages.getByRole('button', { name: 'Sign in to Pages' }).click()
    await dialog.getByRole('link', { name: `Continue to ${host}` }).click()
    await page.getByRole('alert').getByText('access_denied').waitFor()
    await page.getByRole('link', { name: 'Back to Connections' }).click()

    logins.isDenying = false
    await pages.getByRole('button', { name: 'Sign in to Pages' }).click()
    await dialog.getByRole('link', { name: `Continue to ${host}` }).click()
    await page.waitForURL('**/settings/connections')
    await pages.getByText('Connected', { exact: true }).waitFor()
    await pages.getByText('1 tool').waitFor()
    expect(page.url()).not.toContain('code')
    await pages.getByRole('button', { name: 'Remove Pages' }).click()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await pages.waitFor({ state: 'detached' })
  })

  test('G9: a call waits for approval in its thread, through a reload, and is made once it is allowed', async () => {
    const page = await app.page({ signedIn: true })
    await post(page, {
      path: '/models',
      body: { provider: 'anthropic', model: 'test-model', baseUrl: models.baseUrls.anthropic, apiKey: 'key' },
    })
    const call = (text: string) => ({ calls: [{ name: 'sheets__add_row', input: { text } }] })
    models.reply(call('one'), call('two'), { text: 'Both are in.' })
    await page.goto(`${app.server.origin}/threads/new`)
    await page.getByRole('textbox', { name: 'Message' }).fill('Add one and two')
    await page.keyboard.press('Enter')
    const question = page.getByRole('region', { name: 'Allow the agent to call add_row on Sheets?' })
    await question.getByText('"text": "one"').waitFor()
    expect(server.calls).toEqual([])
    await page.reload()
    await question.getByRole('button', { name: 'Allow once' }).press('Enter')
    await question.getByText('"text": "two"').waitFor()
    expect(server.calls).toEqual([{ tool: 'add_row', input: { text: 'one' } }])
    await question.getByRole('button', { name: 'Always allow' }).press('Enter')
    await page.getByText('Both are in.').waitFor()
    expect(server.calls).toHaveLength(2)
    expect(await question.count()).toBe(0)
  })

  test('G9: Deny makes no call; the texts are German in a German browser', async () => {
    const page = await openConnections('de-DE')
    await page.getByRole('heading', { name: 'Verbindungen' }).waitFor()
    await row(page).getByText('1 erlaubt, 0 mit Nachfrage, 0 aus').waitFor()
    await row(page).getByText('1 Werkzeug').press('Enter')
    await row(page).getByRole('button', { name: 'Jedes Mal fragen' }).click()
    await row(page).getByText('0 erlaubt, 1 mit Nachfrage, 0 aus').waitFor()
    const before = server.calls.length
    models.reply({ calls: [{ name: 'sheets__add_row', input: {} }] }, { text: 'Dann nicht.' })
    await page.goto(`${app.server.origin}/threads/new`)
    await page.getByRole('textbox', { name: 'Nachricht' }).fill('Noch eine Zeile')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Ablehnen' }).press('Enter')
    await page.getByText('Dann nicht.').waitFor()
    expect(server.calls).toHaveLength(before)
  })

  test('G9: are deleted after a confirmation', async () => {
    const page = await openConnections()
    await row(page).getByRole('button', { name: 'Remove Sheets' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('No connections yet.').waitFor()
  })
})
