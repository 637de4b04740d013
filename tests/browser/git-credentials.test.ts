import { type GitTestServer, startGitServer } from '@threadbox/testkit'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { messageField } from './app-in-browser.ts'
import { type BrowserStage, closePage, startBrowserStage } from './harness.ts'

/** A Git credential from the settings to a clone in a real sandbox. */
let stage: BrowserStage
let server: GitTestServer
beforeAll(async () => {
  server = await startGitServer()
  await server.commit('team/app', { 'readme.md': 'private words\n' })
  stage = await startBrowserStage()
})
afterAll(async () => {
  await stage?.[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

async function opened(pathname: string, options: Parameters<BrowserStage['open']>[1] = {}) {
  const page = await stage.open(pathname, options)
  return Object.assign(page, { [Symbol.asyncDispose]: () => closePage(page) })
}
const dialog = (page: Page) => page.getByRole('dialog')
const row = (page: Page) => page.getByRole('listitem').filter({ hasText: server.url })

async function addCredential(page: Page, token: string) {
  await page.getByRole('button', { name: 'Add a Git credential' }).click()
  await dialog(page).getByRole('textbox', { name: 'Server' }).fill(server.url)
  await dialog(page).getByRole('textbox', { name: 'Username' }).fill(server.username)
  await dialog(page).getByLabel('Token', { exact: true }).fill(token)
  await dialog(page).getByRole('button', { name: 'Save', exact: true }).press('Enter')
}

test('an invalid value is reported next to its field, and a rejected address by the server', async () => {
  await using page = await opened('/settings/git')
  await page.getByRole('button', { name: 'Add a Git credential' }).click()
  await dialog(page).getByRole('button', { name: 'Save', exact: true }).click()
  expect(await dialog(page).getByText('This field is required.').count()).toBe(3)
  await dialog(page).getByRole('textbox', { name: 'Server' }).fill('https://github.com/owner/name')
  await dialog(page).getByText('without a repository path').waitFor()
  await dialog(page).getByRole('textbox', { name: 'Server' }).fill('10.0.0.1')
  await dialog(page).getByRole('textbox', { name: 'Username' }).fill('somebody')
  await dialog(page).getByLabel('Token', { exact: true }).fill('a-token')
  await dialog(page).getByRole('textbox', { name: 'Limit to repositories' }).fill('name')
  await dialog(page).getByText('Each line must be').waitFor()
  await dialog(page).getByRole('textbox', { name: 'Limit to repositories' }).fill('owner/name')
  await dialog(page).getByRole('button', { name: 'Save', exact: true }).click()
  await dialog(page).getByText('10.0.0.1 is in a private network').waitFor()
})

test('a credential is added, allowed in a thread, and used by git there; without it git is refused', async () => {
  await using page = await opened('/settings/git')
  await addCredential(page, server.token)
  await row(page).getByText('no thread can use it yet').waitFor()
  expect(await page.content()).not.toContain(server.token)

  const { id } = await stage.installation.newThread()
  await page.goto(`${stage.installation.server.origin}/threads/${id}`)
  await messageField(page).waitFor()
  const terminal = page.getByRole('complementary', { name: 'Terminal' })
  const sees = (text: RegExp) =>
    expect.poll(() => terminal.locator('.xterm-rows').innerText(), { timeout: 60_000 }).toMatch(text)
  const clone = async () => {
    await terminal.getByRole('textbox', { name: /^Terminal, / }).focus()
    await page.keyboard.type(`clear; GIT_TERMINAL_PROMPT=0 git clone -q ${server.url}/team/app && cat app/readme.md\n`)
  }
  const lastUse = async () => (await stage.installation.client.gitCredentials.list()).credentials[0]?.lastUsedAt
  const panes = page.getByRole('group', { name: 'Panes' })
  await panes.getByRole('button', { name: 'Terminal' }).click()
  await terminal.getByRole('button', { name: 'New terminal', exact: true }).last().click()
  await sees(/\$/)
  await clone()
  await sees(/fatal:/)

  await page.locator('.topbar .chip').click()
  const pane = page.getByRole('complementary', { name: 'Sandbox' })
  const allow = pane.getByRole('switch', { name: `Use ${server.url}, ${server.username} in this thread` })
  await allow.focus()
  await page.keyboard.press('Space')
  await expect.poll(() => allow.getAttribute('aria-checked')).toBe('true')
  // The same shell as before: a new permission also applies to running programs.
  await panes.getByRole('button', { name: 'Terminal' }).click()
  await sees(/fatal:/)
  await clone()
  await sees(/private words/)
  // A use is recorded after the Git server has answered.
  await expect.poll(lastUse, { timeout: 20_000 }).not.toBeNull()

  await page.goto(`${stage.installation.server.origin}/settings/git`)
  await row(page).getByText('available in 1 thread').waitFor()
  await row(page)
    .getByText(/used (now|\d)/)
    .waitFor()
})

test('permissions are changed and the credential removed by keyboard, in German and on a phone', async () => {
  await using page = await opened('/settings/git', { locale: 'de-DE', width: 390, height: 844 })
  await row(page)
    .first()
    .getByRole('button', { name: /bearbeiten$/ })
    .press('Enter')
  await dialog(page).getByRole('combobox', { name: 'Zugriff' }).press('Enter')
  await page.getByRole('option', { name: 'Klonen, holen und pushen' }).press('Enter')
  await dialog(page).getByRole('button', { name: 'Speichern' }).press('Enter')
  await row(page).getByText('Klonen, holen und pushen').waitFor()
  const { credentials } = await stage.installation.client.gitCredentials.list()
  expect(credentials).toMatchObject([{ access: 'push', threadCount: 1 }])
  await row(page)
    .getByRole('button', { name: /entfernen$/ })
    .press('Enter')
  await page.getByRole('alertdialog').or(dialog(page)).getByRole('button', { name: 'Entfernen' }).press('Enter')
  await page.getByText('Öffentliche Repositorys können Sie auch ohne klonen.').waitFor()
})
