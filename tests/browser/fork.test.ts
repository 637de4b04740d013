import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answered, send } from './app-in-browser.ts'
import { type BrowserStage, closePage, startBrowserStage } from './harness.ts'

/** Forks as a person uses them: of a thread in its current state, and in the state before a message. */
let stage: BrowserStage
let page: Page
let threadId: string
beforeAll(async () => {
  stage = await startBrowserStage()
  threadId = (await stage.installation.client.threads.create({ title: 'First way' })).id
  page = await stage.open(`/threads/${threadId}`, { width: 1440, height: 900 })
})
afterAll(async () => {
  if (page !== undefined) await closePage(page)
  await stage?.[Symbol.asyncDispose]()
})

/** Output of a thread’s last call. */
async function printed(id: string): Promise<string> {
  const { entries } = await stage.installation.client.threads.entries(id)
  const call = entries.findLast((entry) => entry.kind === 'tool-call')
  return call?.status === 'succeeded' || call?.status === 'failed' ? call.output.tail : ''
}
const log = () => page.getByRole('log')
const idInAddress = () => new URL(page.url()).pathname.split('/').at(-1) ?? ''
async function atAnotherThanThe(id: string): Promise<void> {
  await expect.poll(idInAddress, { timeout: 60_000 }).not.toBe(id)
}

test('C9: Fork in the menu of a thread opens a copy with its variables; the notice leads back', async () => {
  await send(page, '/python held = 41')
  await answered(page)
  await send(page, '/run echo second > /home/user/note')
  await answered(page)
  await page.locator('.topbar').getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Fork', exact: true }).click()
  await atAnotherThanThe(threadId)
  await log().getByText('This thread was forked from another thread').waitFor()
  await send(page, '/python print(held + 1)')
  await expect.poll(() => printed(idInAddress()), { timeout: 60_000 }).toBe('42\n')
  await log().getByRole('link', { name: 'First way' }).click()
  await expect.poll(idInAddress, { timeout: 60_000 }).toBe(threadId)
  await log().getByText('Forked to').waitFor()
  await log().getByRole('link', { name: 'First way' }).press('Enter')
  await atAnotherThanThe(threadId)
  await log().getByRole('link', { name: 'First way' }).click()
  await expect.poll(idInAddress, { timeout: 60_000 }).toBe(threadId)
})

test('C9: Fork from here, by keyboard, has the state before the message, and says that processes are not', async () => {
  const tool = page.getByRole('button', { name: 'Fork from here' })
  await expect.poll(() => tool.count(), { timeout: 60_000 }).toBe(2)
  await tool.last().press('Enter')
  await atAnotherThanThe(threadId)
  await log().getByText('It has the files from that point.').waitFor()
  expect(await log().getByText('/run').count()).toBe(0)
  await send(page, '/run cat /home/user/note')
  await expect.poll(() => printed(idInAddress()), { timeout: 60_000 }).toContain('No such file')
})
