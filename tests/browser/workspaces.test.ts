import { hostPaths } from '@threadbox/protocol/host'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testThread } from '../stack/installation.ts'
import { answered, send } from './app-in-browser.ts'
import { type BrowserStage, closePage, startBrowserStage } from './harness.ts'

/** Workspaces as a person uses them, from the first one to the last one’s deletion with its content. */
let stage: BrowserStage
let page: Page
beforeAll(async () => {
  stage = await startBrowserStage()
  for (const title of ['Trips', 'Weather', 'Loose']) await stage.installation.client.threads.create({ title })
  page = await stage.open('/threads/new', { width: 1440, height: 900 })
})
afterAll(async () => {
  if (page !== undefined) await closePage(page)
  await stage?.[Symbol.asyncDispose]()
})

const sidebar = (of = page) => of.getByRole('complementary', { name: 'Threads' })
const group = (name: string, of = page) => sidebar(of).getByRole('region', { name, exact: true })
const row = (name: string, title: string, of = page) => group(name, of).getByRole('link', { name: title })
const head = (name: string) => group(name).getByRole('button', { name: new RegExp(`^${name}`) })
const idOf = async (title: string) =>
  (await stage.installation.client.threads.list()).threads.find((thread) => thread.title === title)?.id ?? title
const workspaces = async () => (await stage.installation.client.workspaces.list()).workspaces
const counts = async () => (await workspaces()).map(({ threadCount }) => threadCount)
const names = async () => (await workspaces()).map(({ name }) => name)

async function createByPalette(name: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.keyboard.type('New workspace')
  await page.getByRole('option', { name: 'New workspace' }).waitFor()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'New workspace' })
  await dialog.getByLabel('Name').fill(name)
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })
}

async function chooseIn(name: string, item: string): Promise<void> {
  await group(name)
    .getByRole('button', { name: `More actions for workspace ${name}` })
    .click()
  await page.getByRole('menuitem', { name: item }).click()
}

test('C12: without a workspace the sidebar does not mention them', async () => {
  await sidebar().getByRole('link', { name: 'Trips' }).waitFor()
  expect(await sidebar().getByText('Workspaces').count()).toBe(0)
})

test('C12: the first workspace is created for a thread, from its menu, and every tab shows it', async () => {
  const second = await stage.open('/threads/new')
  await page.getByRole('button', { name: 'More actions for Trips' }).click()
  await page.getByRole('menuitem', { name: 'Move to workspace…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'New workspace…' }).click()
  await page.getByRole('dialog', { name: 'New workspace' }).getByLabel('Name').fill('Bike-share')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await row('Bike-share', 'Trips').waitFor()
  await row('Bike-share', 'Trips', second).waitFor()
  await second.context().close()
})

test('C12: a duplicate name is rejected in the dialog, with the reason', async () => {
  await page.keyboard.press('Control+k')
  await page.keyboard.type('New workspace')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'New workspace' })
  await dialog.getByLabel('Name').fill('bike-SHARE')
  await page.keyboard.press('Enter')
  await dialog.getByText('You already have a workspace named bike-SHARE.').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
})

test('C12: a thread is dragged into a workspace, and out of it again', async () => {
  await createByPalette('Home lab')
  await sidebar().getByRole('link', { name: 'Weather' }).dragTo(head('Home lab'))
  await row('Home lab', 'Weather').waitFor()
  await row('Home lab', 'Weather').dragTo(sidebar().getByRole('link', { name: 'Loose' }))
  await row('Home lab', 'Weather').waitFor({ state: 'detached' })
  await sidebar().getByRole('link', { name: 'Weather' }).dragTo(head('Home lab'))
  await row('Home lab', 'Weather').waitFor()
  await expect.poll(counts).toEqual([1, 1])
})

test('C12: with the keyboard a thread moves between workspaces, and workspaces are reordered, keeping the focus', async () => {
  const focused = () => page.evaluate('document.activeElement?.textContent ?? ""') as Promise<string>
  await row('Home lab', 'Weather').focus()
  await page.keyboard.press('Alt+Shift+ArrowUp')
  await row('Bike-share', 'Weather').waitFor()
  await expect.poll(counts).toEqual([2, 0])
  await page.getByText('Moved “Weather” to Bike-share').waitFor()
  await expect.poll(focused).toContain('Weather')
  await page.keyboard.press('Alt+Shift+ArrowDown')
  await row('Home lab', 'Weather').waitFor()
  await expect.poll(counts).toEqual([1, 1])
  await head('Home lab').focus()
  await page.keyboard.press('Alt+Shift+ArrowUp')
  await expect.poll(names).toEqual(['Home lab', 'Bike-share'])
  await expect.poll(focused).toContain('Home lab')
  await head('Home lab').dragTo(head('Bike-share'))
  await expect.poll(names).toEqual(['Bike-share', 'Home lab'])
})

test('C12: a collapsed workspace stays collapsed after a reload', async () => {
  await head('Home lab').click()
  await row('Home lab', 'Weather').waitFor({ state: 'detached' })
  await expect.poll(async () => (await workspaces()).map(({ isCollapsed }) => isCollapsed)).toEqual([false, true])
  await page.reload()
  await row('Bike-share', 'Trips').waitFor()
  expect(await row('Home lab', 'Weather').count()).toBe(0)
  await head('Home lab').click()
  await row('Home lab', 'Weather').waitFor()
})

test('C12: a value of the workspace applies to its threads, which say where it is from, until they have their own', async () => {
  await chooseIn('Bike-share', 'Workspace settings…')
  const dialog = page.getByRole('dialog', { name: 'Bike-share settings' })
  expect(await dialog.getByText('this workspace', { exact: true }).count()).toBe(0)
  await dialog.getByLabel('Pause after being idle for').fill('90')
  await dialog.getByText('this workspace', { exact: true }).waitFor()
  await dialog.getByLabel('Instructions').fill('Use metric units.')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  await row('Bike-share', 'Trips').click()
  await page.getByRole('button', { name: 'Trips', exact: true }).waitFor()
  await page.keyboard.press('Alt+4')
  const policy = page.getByRole('region', { name: 'Pausing and retention' })
  const idle = policy.locator('.policy-row').filter({ hasText: 'Pause after being idle for' })
  await idle.getByText('from workspace', { exact: true }).waitFor()
  expect(await idle.getByRole('textbox').inputValue()).toBe('90')
  await idle.getByRole('textbox').fill('45')
  await idle.getByRole('button', { name: 'Save' }).click()
  await idle.getByText('this thread').waitFor()
  await chooseIn('Bike-share', 'Workspace settings…')
  await dialog.getByLabel('Pause after being idle for').fill('')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await idle.getByRole('textbox').inputValue()).toBe('45')
  expect((await workspaces())[0]).toMatchObject({ policy: {}, instructions: 'Use metric units.' })
  await page.keyboard.press('Alt+4')
})

test('C12: a thread started in a workspace belongs to it, and the header names it', async () => {
  await chooseIn('Home lab', 'New thread here')
  await page.locator('.crumb').getByText('Home lab').waitFor()
  await send(page, '/help')
  await answered(page)
  await page.waitForURL(/\/threads\/t[a-z0-9]{20}/)
  await expect.poll(async () => (await workspaces())[1]?.threadCount).toBe(2)
  await page.locator('.crumb').getByText('Home lab').waitFor()
})

test('C12: an archived workspace is hidden and can be restored', async () => {
  await chooseIn('Home lab', 'Archive')
  await group('Home lab').waitFor({ state: 'detached' })
  await sidebar()
    .getByRole('button', { name: /^Archived/ })
    .click()
  await row('Home lab', 'Weather').waitFor()
  await chooseIn('Home lab', 'Unarchive')
  await group('Archived').waitFor({ state: 'detached' })
  await row('Home lab', 'Weather').waitFor()
})

test('C12: deleting lists threads, sandboxes and services first, can be undone, and then leaves nothing', async () => {
  const { client, host } = stage.installation
  const threadId = await idOf('Trips')
  await testThread(client, threadId).say('/run echo precious > keep.txt')
  await client.services.start(threadId, { name: 'web', command: 'python3 -m http.server 8000', port: 8000 })
  const sandboxIds = async () => {
    const { body } = await host.request('GET', hostPaths.list())
    return (body as { sandboxes: { sandboxId: string }[] }).sandboxes.map(({ sandboxId }) => sandboxId)
  }
  const [sandboxId = '?'] = await sandboxIds()
  await chooseIn('Bike-share', 'Delete workspace…')
  const dialog = page.getByRole('dialog', { name: 'Delete Bike-share?' })
  await dialog.getByText(/^1 thread · 1 sandbox, \d.* · 1 service$/).waitFor()
  const line = dialog.getByRole('listitem').filter({ hasText: 'Trips' })
  expect(await line.textContent()).toMatch(/Tripsweb[\d.]+\s[KM]iB/)
  await page.waitForFunction(`document.activeElement?.textContent === 'Cancel'`)
  await dialog.getByRole('button', { name: 'Delete everything' }).click()
  await group('Bike-share').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await row('Bike-share', 'Trips').waitFor()
  // The row is back before the server has undone the deletion.
  await expect.poll(() => client.threads.get(threadId).then(({ id }) => id, String), { timeout: 20_000 }).toBe(threadId)
  const kept = await testThread(client, threadId).say('/run cat keep.txt')
  expect(kept.calls[0]?.output.tail).toBe('precious\n')

  await chooseIn('Bike-share', 'Delete workspace…')
  await dialog.getByRole('button', { name: 'Delete everything' }).click()
  await group('Bike-share').waitFor({ state: 'detached' })
  const left = async () => (await host.leftovers()).filter((leftover) => leftover.includes(sandboxId))
  await expect.poll(sandboxIds, { timeout: 120_000 }).not.toContain(sandboxId)
  await expect.poll(left, { timeout: 60_000 }).toEqual([])
  const code = () => client.threads.get(threadId).catch((error: { code: string }) => error.code)
  await expect.poll(code, { timeout: 60_000 }).toBe('thread.not-found')
  expect(await names()).toEqual(['Home lab'])
  await row('Home lab', 'Weather').waitFor()
})
