import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { messageField, send } from './app-in-browser.ts'
import { type AppWithoutHost, startAppWithoutHost } from './app-without-host.ts'

/** Two people on one installation, from the invite to the last one’s way out, in two browser profiles. */
const password = 'correct horse battery staple'
let app: AppWithoutHost
let ada: Page
let ben: Page

beforeAll(async () => {
  app = await startAppWithoutHost()
  ada = await app.page({ signedIn: true })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
})

const sidebar = (page: Page) => page.getByRole('complementary', { name: 'Threads' })
const link = (page: Page, title: string) => sidebar(page).getByRole('link', { name: title })

async function copyLink(page: Page, title: string): Promise<string> {
  const dialog = page.getByRole('dialog', { name: title })
  const url = await dialog.getByRole('textbox').inputValue()
  await dialog.getByRole('button', { name: 'I’ve copied it' }).click()
  return url
}

async function openMembers(page: Page): Promise<void> {
  await sidebar(page).getByRole('button', { name: 'More actions for workspace Team' }).click()
  await page.getByRole('menuitem', { name: 'Members…' }).click()
}

test('C12: the owner invites a person, who joins with the link and is signed in', async () => {
  await ada.goto(`${app.server.origin}/settings/people`)
  await ada.getByText('No open invites.').waitFor()
  await ada.getByRole('button', { name: 'Invite people' }).click()
  const dialog = ada.getByRole('dialog', { name: 'Invite people' })
  await dialog.getByRole('button', { name: 'Invite people' }).click()
  const url = await copyLink(ada, 'Copy the link now')
  await ada.getByText('1 person can join').waitFor()
  ben = await app.page()
  await ben.goto(url)
  await ben.getByRole('heading', { name: 'Join this threadbox' }).waitFor()
  await ben.getByRole('button', { name: 'Create account' }).click()
  await ben.getByText('This field is required.').first().waitFor()
  await ben.getByLabel('Name').fill('Ben')
  await ben.getByLabel('Email').fill('ben@example.com')
  await ben.getByLabel('Password', { exact: true }).fill(password)
  await ben.getByRole('button', { name: 'Create account' }).click()
  await messageField(ben).waitFor()
  const other = await app.page()
  await other.goto(url)
  await other.getByRole('heading', { name: 'This link isn’t valid' }).waitFor()
  await other.context().close()
})

test('C12: people are listed with what the viewer can do with them, and for a member with nothing to do', async () => {
  await ada.reload()
  await ada.getByText('ben@example.com').waitFor()
  expect(await ada.getByRole('combobox', { name: 'Role of Ben' }).count()).toBe(1)
  await ben.goto(`${app.server.origin}/settings/people`)
  await ben.getByText('ben@example.com').waitFor()
  expect(await ben.getByRole('combobox').count()).toBe(0)
  expect(await ben.getByRole('button', { name: 'Invite people' }).count()).toBe(0)
  expect(await ben.getByText(app.server.owner.email).count()).toBe(0)
})

test('C12: a member of a workspace sees its threads, who wrote what, and who is typing', async () => {
  const workspaceId = await ada.evaluate(async () => {
    const headers = { 'content-type': 'application/json' }
    const post = async (path: string, body: object) => {
      const response = await fetch(`/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
      return ((await response.json()) as { id: string }).id
    }
    const id = await post('/workspaces', { name: 'Team' })
    await post('/threads', { title: 'Bike rides', workspaceId: id })
    return id
  })
  expect(workspaceId).toMatch(/^w/)
  await openMembers(ada)
  const dialog = ada.getByRole('dialog', { name: 'Members of Team' })
  await dialog.getByRole('button', { name: 'Add' }).click()
  await dialog.getByRole('combobox', { name: 'Role of Ben in this workspace' }).waitFor()
  await ada.keyboard.press('Escape')
  await link(ben, 'Bike rides').click()
  await link(ada, 'Bike rides').click()
  await send(ada, '/help')
  await ben.getByText('/help').first().waitFor()
  await ben.locator('.author').getByText(app.server.owner.name).waitFor()
  expect(await ada.locator('.author').count()).toBe(0)
  await ada.getByText('Ben is here').waitFor()
  await messageField(ben).pressSequentially('Hel')
  await ada.getByText('Ben is typing').waitFor()
  await messageField(ben).fill('')
  await send(ben, '/status')
  await ada.locator('.author').getByText('Ben').waitFor()
})

test('C12: a private thread disappears for the others, and comes back when it is shared', async () => {
  await ada.getByRole('button', { name: 'More', exact: true }).click()
  await ada.getByRole('menuitem', { name: 'Make private' }).click()
  await link(ben, 'Bike rides').waitFor({ state: 'detached' })
  await ada.getByText('private', { exact: true }).waitFor()
  await ada.getByText('your own secrets, Git credentials and connections are off here').waitFor()
  await ada.getByRole('button', { name: 'Turn on again' }).click()
  await ada.getByText('your own secrets, Git credentials and connections are off here').waitFor({ state: 'detached' })
  await ada.getByRole('button', { name: 'More', exact: true }).click()
  await ada.getByRole('menuitem', { name: 'Share with workspace' }).click()
  await link(ben, 'Bike rides').waitFor()
})

test('C12: a viewer can read and fork, and sees no button that would be refused', async () => {
  await openMembers(ada)
  const dialog = ada.getByRole('dialog', { name: 'Members of Team' })
  await dialog.getByRole('combobox', { name: 'Role of Ben in this workspace' }).click()
  await ada.getByRole('option', { name: 'Viewer' }).click()
  await ada.keyboard.press('Escape')
  await link(ben, 'Bike rides').click()
  await ben.getByText('You can read this thread.').waitFor()
  expect(await messageField(ben).count()).toBe(0)
  await ben.getByRole('button', { name: 'More', exact: true }).click()
  const items = await ben.getByRole('menuitem').allTextContents()
  expect(items).toEqual(['Pin', 'Fork', 'Markdown', 'Web page', 'Notebook'])
  await ben.keyboard.press('Escape')
  await sidebar(ben).getByRole('button', { name: 'More actions for workspace Team' }).click()
  expect(await ben.getByRole('menuitem').allTextContents()).toEqual(['Members…', 'Move up', 'Move down'])
  await ben.keyboard.press('Escape')
})

test('C12: a disabled person is signed out while a thread is open, and a reset link lets them in again', async () => {
  await ada.goto(`${app.server.origin}/settings/people`)
  await ada.getByRole('button', { name: 'More actions for Ben' }).click()
  await ada.getByRole('menuitem', { name: 'Disable account' }).click()
  await ada.getByRole('dialog').getByRole('button', { name: 'Disable account' }).click()
  await ada.getByText('disabled', { exact: true }).waitFor()
  await ben.waitForURL(/\/login/)
  await ada.getByRole('button', { name: 'More actions for Ben' }).click()
  await ada.getByRole('menuitem', { name: 'Enable account' }).click()
  await ada.getByText('disabled', { exact: true }).waitFor({ state: 'detached' })
  await ada.getByRole('button', { name: 'More actions for Ben' }).click()
  await ada.getByRole('menuitem', { name: 'Create reset link' }).click()
  await ben.goto(await copyLink(ada, 'Copy the reset link now'))
  await ben.getByLabel('New password', { exact: true }).fill('another long password')
  await ben.getByRole('button', { name: 'Save password' }).click()
  await link(ben, 'Bike rides').waitFor()
})

test('C12: a person who leaves a workspace no longer has it', async () => {
  await openMembers(ben)
  await ben.getByRole('button', { name: 'Leave workspace…' }).click()
  await ben.getByRole('button', { name: 'Leave', exact: true }).click()
  await link(ben, 'Bike rides').waitFor({ state: 'detached' })
  expect(await link(ada, 'Bike rides').count()).toBe(1)
})
