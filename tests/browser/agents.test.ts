import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answered, send } from './app-in-browser.ts'
import { type BrowserStage, closePage, startBrowserStage } from './harness.ts'

/** An agent as a person uses it: saved from a thread, run, changed, rolled back, deleted. */
const pollOptions = { timeout: 60_000 }
let stage: BrowserStage
let page: Page
let threadId: string
let skillId: string
beforeAll(async () => {
  stage = await startBrowserStage()
  const instructions = '---\nname: reports\ndescription: How reports are written.\n---\nBriefly.\n'
  skillId = (await stage.installation.client.skills.create(instructions)).id
  threadId = (await stage.installation.client.threads.create({ title: 'Bike trips' })).id
  page = await stage.open(`/threads/${threadId}`, { width: 1440, height: 900 })
  page.setDefaultTimeout(60_000)
})
afterAll(async () => {
  if (page !== undefined) await closePage(page)
  await stage?.[Symbol.asyncDispose]()
})

const client = () => stage.installation.client
const agents = async () => (await client().agents.list()).agents
const pathname = () => new URL(page.url()).pathname
const dialog = () => page.getByRole('dialog')
const sidebar = () => page.getByRole('complementary').getByRole('region', { name: 'Agents' })
const token = `ghp_${'0123456789abcdefghij'.repeat(2).slice(0, 36)}`

/** Output of a thread’s last call. */
async function printed(id: string): Promise<string> {
  const { entries } = await client().threads.entries(id)
  const call = entries.findLast((entry) => entry.kind === 'tool-call')
  return call?.status === 'succeeded' || call?.status === 'failed' ? call.output.tail : ''
}

test('C11: Save as agent, from the menu, says what is captured; possible secrets are selected', async () => {
  await send(page, `/run printf 'TOKEN=%s\\nCOLOUR=green\\n' ${token} > .env; echo b > .bash_history`)
  await dialog().getByRole('button', { name: 'Send anyway' }).press('Enter')
  await answered(page)
  await send(page, '/python held = 41')
  await answered(page)
  await page.locator('.topbar').getByRole('button', { name: 'More', exact: true }).press('Enter')
  await page.getByRole('menuitem', { name: 'Save as agent…' }).press('Enter')
  expect(await dialog().getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Bike trips')
  const finding = dialog().getByRole('checkbox', { name: /\/home\/user\/\.env github-token/ })
  await finding.waitFor()
  expect(await finding.isChecked()).toBe(true)
  await dialog().getByRole('region', { name: 'Included', exact: true }).getByText('held').waitFor()
  await dialog().getByRole('region', { name: 'Not included' }).getByText('/home/user/.bash_history').waitFor()
  await dialog().getByRole('textbox', { name: 'Instructions' }).fill('Count trips.')
  await dialog().getByRole('button', { name: 'Save agent' }).press('Enter')
  await dialog().waitFor({ state: 'detached' })
  expect(await agents()).toMatchObject([{ name: 'Bike trips', current: { version: 1, instructions: 'Count trips.' } }])
})

test('C11: a thread that the sidebar starts from it has its environment, without the secret', async () => {
  await sidebar().getByRole('button', { name: 'New thread with Bike trips' }).press('Enter')
  await expect.poll(pathname, pollOptions).not.toBe(`/threads/${threadId}`)
  const id = pathname().split('/').at(-1) ?? ''
  await send(page, '/run cat .env')
  await expect.poll(() => printed(id), pollOptions).toBe(`TOKEN=${'*'.repeat(token.length)}\nCOLOUR=green\n`)
  await answered(page)
  await send(page, '/python print(held + 1)')
  await expect.poll(() => printed(id), pollOptions).toBe('42\n')
})

test('C11: a change creates a version, an earlier one can become current again, and deleting the agent deletes all of them', async () => {
  await sidebar().getByRole('link', { name: 'All agents' }).press('Enter')
  await expect.poll(pathname, pollOptions).toBe('/agents')
  const more = page.getByRole('button', { name: 'More actions for agent Bike trips' })
  await more.press('Enter')
  await page.getByRole('menuitem', { name: 'Edit…' }).press('Enter')
  await dialog().getByRole('textbox', { name: 'Instructions' }).fill('Count stations.')
  await dialog().getByRole('combobox', { name: 'Skills' }).press('Enter')
  await page.getByRole('option', { name: 'Only selected' }).press('Enter')
  await dialog().getByRole('group', { name: 'Skills it can use' }).getByRole('checkbox', { name: 'reports' }).check()
  await dialog().getByRole('button', { name: 'Save agent' }).press('Enter')
  await page.getByText('Version 2').waitFor()
  expect(await agents()).toMatchObject([{ current: { skillIds: [skillId], connectionIds: null } }])
  await more.press('Enter')
  await page.getByRole('menuitem', { name: 'Versions…' }).press('Enter')
  await dialog().getByRole('button', { name: 'Make current: version 1' }).press('Enter')
  await dialog().getByRole('button', { name: 'Delete version 2' }).press('Enter')
  await dialog().getByRole('button', { name: 'Delete version 2' }).waitFor({ state: 'detached' })
  expect(await agents()).toMatchObject([{ current: { version: 1, instructions: 'Count trips.' } }])
  await page.keyboard.press('Escape')
  await more.press('Enter')
  await page.getByRole('menuitem', { name: 'Delete' }).press('Enter')
  await dialog().getByRole('button', { name: 'Delete' }).press('Enter')
  await page.getByText('No agents yet.').waitFor()
  expect(await agents()).toEqual([])
})
