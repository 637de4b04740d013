import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startInstallation, type TestInstallation } from '../stack/installation.ts'
import { answered, buildWebApp, openPage, send, startBrowser } from './app-in-browser.ts'
import { closePage } from './harness.ts'

/** Two installations: what a person exports from one is imported on the other. */
const pollOptions = { timeout: 60_000 }
let first: TestInstallation
let second: TestInstallation
let browser: Browser
let directory: string
let kept: AsyncDisposableStack
beforeAll(async () => {
  await using cleanup = new AsyncDisposableStack()
  directory = await mkdtemp(path.join(tmpdir(), 'threadbox-browser-'))
  cleanup.defer(() => rm(directory, { recursive: true, force: true }))
  const webDirectory = path.join(directory, 'web')
  await buildWebApp(webDirectory)
  const serverEnvironment = { THREADBOX_WEB_DIRECTORY: webDirectory }
  first = cleanup.use(await startInstallation({ serverEnvironment }))
  second = cleanup.use(await startInstallation({ serverEnvironment }))
  browser = cleanup.use(await startBrowser(first.server, second.server)).browser
  kept = cleanup.move()
})
afterAll(() => kept?.disposeAsync())

const pathname = (page: Page) => new URL(page.url()).pathname
const choose = (page: Page, file: string) => page.locator('[data-agent-input="file"]').setInputFiles(file)

test('C11: an agent is exported to a file and imported on a second installation, which says what is missing there', async () => {
  const thread = await first.newThread()
  await thread.say('/run echo from the first > note; echo kept')
  const { id } = await first.client.agents.capture(thread.id)
  const connection = await first.client.connections.create({
    name: 'Team calendar',
    url: 'https://calendar.example.com/mcp?key=abc',
    auth: { kind: 'none' } as const,
  })
  await first.client.agents.create({ name: 'Traveller', connectionIds: [connection.id], environment: { id } })
  const exporting = await openPage(browser, { server: first.server, pathname: '/agents' })
  await exporting.getByRole('button', { name: 'More actions for agent Traveller' }).press('Enter')
  const downloading = exporting.waitForEvent('download')
  await exporting.getByRole('menuitem', { name: /^Export/ }).press('Enter')
  const download = await downloading
  expect(download.suggestedFilename()).toBe('Traveller.threadbox-agent')
  const file = path.join(directory, 'Traveller.threadbox-agent')
  await download.saveAs(file)
  expect((await stat(file)).size).toBeGreaterThan(1000)
  await closePage(exporting)

  const page = await openPage(browser, { server: second.server, pathname: '/agents' })
  page.setDefaultTimeout(60_000)
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Import…' }).waitFor()
  // An invalid file is refused, and the dialog stays open.
  const broken = path.join(directory, 'broken.threadbox-agent')
  await writeFile(broken, 'no agent')
  await choose(page, broken)
  await dialog.getByRole('button', { name: 'Import agent' }).press('Enter')
  await dialog.getByRole('alert').getByText('agent-file.damaged').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).press('Enter')

  await choose(page, file)
  await dialog.getByText(/Traveller\.threadbox-agent · /).waitFor()
  await dialog.getByRole('button', { name: 'Import agent' }).press('Enter')
  await dialog.getByText('Team calendar').waitFor()
  await dialog.getByText('https://calendar.example.com/mcp', { exact: true }).waitFor()
  await dialog.getByRole('button', { name: 'Done' }).press('Enter')
  await page.getByRole('main').getByRole('button', { name: 'New thread with Traveller' }).press('Enter')
  await expect.poll(() => pathname(page), pollOptions).toMatch(/^\/threads\//)
  await send(page, '/run cat note')
  await answered(page)
  const { entries } = await second.client.threads.entries(pathname(page).split('/').at(-1) ?? '')
  const call = entries.findLast((entry) => entry.kind === 'tool-call')
  expect(call).toMatchObject({ status: 'succeeded', output: { tail: 'from the first\n' } })
  await closePage(page)
})
