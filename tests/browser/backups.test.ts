import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runBackup } from '../stack/run-backup.ts'
import { messageField } from './app-in-browser.ts'
import { type AppWithoutHost, startAppWithoutHost } from './app-without-host.ts'
import { themes } from './screens/screen-stage.ts'
import { showTheme } from './screens/screens.ts'
import { makeFindViolations } from './screens/violations.ts'

/** Backups as the owner and a member see them, with the real backup program and a store in a folder. */
const password = 'correct horse battery staple'
const findViolations = await makeFindViolations()
let app: AppWithoutHost
let directory: string
let store: string
let ada: Page
let ben: Page

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'threadbox-store-'))
  store = join(directory, 'store')
  await mkdir(store)
  app = await startAppWithoutHost()
  ada = await app.page({ signedIn: true })
  const path = await ada.evaluate(async () => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch('/api/v1/invites', { method: 'POST', headers, body: '{}' })
    return ((await response.json()) as { path: string }).path
  })
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
  await rm(directory, { recursive: true, force: true })
})

const machine = () => ({ host: { environment: {} }, server: app.server })
const backups = (page: Page) => page.getByRole('region', { name: 'Backups' })
const openBackups = async (page: Page) => {
  await page.goto(`${app.server.origin}/settings/machine`)
  await backups(page).waitFor()
}
const banner = (page: Page) => page.getByText('Your newest threads and files are only on this machine.')

/** On a desk and on a phone, in both themes. */
async function expectAccessible(page: Page): Promise<void> {
  // A color that changes would be measured on its way.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  for (const [width, height] of [
    [1440, 900],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height })
    for (const theme of themes) {
      await showTheme(page, theme)
      expect.soft(await findViolations(page), `${width} ${theme}`).toEqual([])
    }
    expect.soft(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), `${width}`).toBe(false)
  }
  await page.setViewportSize({ width: 1280, height: 800 })
}

test('C12: before backups are set up, the owner reads what is at stake and the command', async () => {
  await openBackups(ada)
  await backups(ada).getByText('all threads and files are lost').waitFor()
  await backups(ada).getByText('./threadbox backup init STORE').waitFor()
  expect(await backups(ada).getByRole('button', { name: 'Run now' }).count()).toBe(0)
  expect(await banner(ada).count()).toBe(0)
  await expectAccessible(ada)
  const recoveryKey = (await runBackup(machine(), ['init', store])).output.trim()
  await openBackups(ada)
  await backups(ada).getByText('The recovery key isn’t confirmed').waitFor()
  expect((await runBackup(machine(), ['confirm', recoveryKey.slice(-8)])).code).toBe(0)
})

test('C12: the owner starts a backup with the keyboard, sees it run, and then when it was made and verified', async () => {
  await openBackups(ada)
  await backups(ada).getByText('none yet').waitFor()
  await backups(ada).getByText(store).waitFor()
  await backups(ada).getByRole('button', { name: 'Run now' }).press('Enter')
  await ada.getByText('Backup started', { exact: true }).waitFor()
  await expect.poll(() => backups(ada).getByText('none yet').count()).toBe(0)
  await expect.poll(() => backups(ada).getByText('not yet').count()).toBe(0)
  await expect.poll(() => backups(ada).getByRole('status').count()).toBe(0)
  await backups(ada).getByText('The last backup is incomplete').waitFor()
  await backups(ada).locator('summary').press('Enter')
  await backups(ada).getByText('memory of sandboxes').waitFor()
  await backups(ada).getByText('files of all sandboxes').last().waitFor()
  await expectAccessible(ada)
})

test('C12: when a backup fails, the page has the reason and the fix, and only the owner has a banner on every page', async () => {
  await rename(store, `${store}-away`)
  await writeFile(store, 'in the place of the folder')
  await openBackups(ada)
  await backups(ada).getByRole('button', { name: 'Run now' }).click()
  await backups(ada).getByText('is not a folder').waitFor()
  await backups(ada).getByText('store.not-a-folder').waitFor()
  await expectAccessible(ada)
  await ada.goto(app.server.origin)
  await banner(ada).waitFor()
  await ada.getByText('The last backup failed.').waitFor()
  await expectAccessible(ada)
  await ada.getByRole('link', { name: 'Show backups' }).press('Enter')
  await backups(ada).getByText('The last backup failed').first().waitFor()
  await ben.reload()
  await messageField(ben).waitFor()
  expect(await banner(ben).count()).toBe(0)
  await rm(store)
  await rename(`${store}-away`, store)
  await backups(ada).getByRole('button', { name: 'Run now' }).click()
  await expect.poll(() => banner(ada).count()).toBe(0)
})
