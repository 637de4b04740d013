import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answered, send } from './app-in-browser.ts'
import { type BrowserStage, closePage, startBrowserStage } from './harness.ts'

/** A rewind as a person uses it: preview, rewind, undo. */
let stage: BrowserStage
let page: Page
let threadId: string
beforeAll(async () => {
  stage = await startBrowserStage()
  page = await openThread()
})
afterAll(async () => {
  if (page !== undefined) await closePage(page)
  await stage?.[Symbol.asyncDispose]()
})

async function openThread(): Promise<Page> {
  threadId = (await stage.installation.client.threads.create({ title: 'Back and forth' })).id
  return await stage.open(`/threads/${threadId}`, { width: 1440, height: 900 })
}
const log = () => page.getByRole('log')
const dialog = () => page.getByRole('dialog', { name: 'Rewind to before this message?' })
async function printed(): Promise<string> {
  const { entries } = await stage.installation.client.threads.entries(threadId)
  const call = entries.findLast((entry) => entry.kind === 'tool-call')
  return call?.status === 'succeeded' || call?.status === 'failed' ? call.output.tail : ''
}

test('C9: the dialog lists what is removed; Rewind, by keyboard, removes it; Undo in the notice restores it', async () => {
  await send(page, '/run echo first > /home/user/note')
  await answered(page)
  const recorded = async () =>
    (await stage.installation.client.snapshots.list(threadId)).snapshots[0]?.memoryProblem ?? null
  await expect.poll(recorded, { timeout: 60_000 }).toBe('nothing-ran')
  await send(
    page,
    '/run echo second > /home/user/note; echo more > /home/user/added; nohup sleep 4000 > /dev/null 2>&1 & true',
  )
  await answered(page)
  const tool = page.getByRole('button', { name: 'Rewind to before this message' })
  await expect.poll(() => tool.count(), { timeout: 60_000 }).toBe(2)
  await tool.last().press('Enter')
  await dialog().getByText('added', { exact: true }).waitFor()
  await dialog().getByText('note', { exact: true }).waitFor()
  await dialog()
    .getByText(/^1( message and 1 response)? removed/)
    .waitFor()
  await dialog().getByRole('listitem').filter({ hasText: 'sleep 4000' }).getByText('stops').waitFor()
  await dialog().getByText('Nothing was running at that point').waitFor()
  const button = dialog().getByRole('button', { name: 'Rewind', exact: true })
  expect(await button.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true)
  await page.keyboard.press('Enter')
  await log().getByText('Rewound: 1 message was undone').waitFor()
  expect(await log().getByText('echo second').count()).toBe(0)
  await log().getByRole('button', { name: 'Undo' }).press('Enter')
  await log().getByText('echo second').first().waitFor()
  expect(await log().getByText('Rewound:').count()).toBe(0)
  await send(page, '/run cat /home/user/note /home/user/added')
  await expect.poll(printed, { timeout: 60_000 }).toBe('second\nmore\n')
})

test('C9: Rewind, found by typing, asks before which message; once the conversation continues, the notice offers no undo', async () => {
  await answered(page)
  const tool = page.getByRole('button', { name: 'Rewind to before this message' })
  await expect.poll(() => tool.count(), { timeout: 60_000 }).toBe(3)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('Rewind')
  await page.getByRole('option', { name: 'Rewind…' }).waitFor()
  await page.keyboard.press('Enter')
  const choosing = page.getByRole('dialog', { name: 'Rewind the thread?' })
  const choice = choosing.getByRole('combobox', { name: 'Rewind to before' })
  await choosing.getByText(/^1( message and 1 response)? removed/).waitFor({ timeout: 60_000 })
  await choice.press('Enter')
  await page.getByRole('option', { name: '/run echo second' }).press('Enter')
  await choosing.getByText('added', { exact: true }).waitFor({ timeout: 60_000 })
  await choice.press('Enter')
  await page.getByRole('option', { name: '/run cat' }).press('Enter')
  await choosing.getByText(/^1( message and 1 response)? removed/).waitFor({ timeout: 60_000 })
  await choosing.getByRole('button', { name: 'Rewind', exact: true }).click({ timeout: 60_000 })
  const undo = log().getByRole('button', { name: 'Undo' })
  await undo.waitFor({ timeout: 60_000 })
  await send(page, '/run echo on')
  await undo.waitFor({ state: 'detached', timeout: 60_000 })
  expect(await log().getByText('Rewound:').count()).toBe(1)
})

test('the dialog counts processes and variables that it does not list', async () => {
  await answered(page)
  await send(page, '/run for i in $(seq 120); do nohup sleep 4321 > /dev/null 2>&1 & done')
  await answered(page)
  await send(page, "/python globals().update({f'v{i}': i for i in range(3000)})")
  await answered(page)
  await page.getByRole('button', { name: 'Rewind to before this message' }).last().press('Enter')
  for (const words of ['120 stopped', 'and 112 more', /^3,?000 removed$/, /^and 2,?992 more$/]) {
    await dialog().getByText(words, { exact: true }).waitFor({ timeout: 60_000 })
  }
  await dialog().getByText('There’s no saved memory from that point').waitFor()
  await page.keyboard.press('Escape')
  await dialog().waitFor({ state: 'detached' })
})

test('C9: if memory is kept, the dialog lists what is restored, and a line afterwards says what was', async () => {
  // Without the processes and variables of the earlier tests, which could be listed first.
  await closePage(page)
  page = await openThread()
  const settings = { memorySnapshotsPerThread: 6, memorySnapshotQuietSeconds: 0 }
  await stage.installation.client.installation.updateSettings({ settings })
  const keptWithMemory = async () => {
    const [newest] = (await stage.installation.client.snapshots.list(threadId)).snapshots
    return newest?.state === 'kept' && newest.memoryBytes !== null
  }
  await send(page, '/run nohup sleep 5000 > /dev/null 2>&1 & true')
  await answered(page)
  await expect.poll(keptWithMemory, { timeout: 60_000 }).toBe(true)
  await send(page, '/run pkill -x -f "sleep 5000"')
  await answered(page)
  const tool = page.getByRole('button', { name: 'Rewind to before this message' })
  await expect.poll(() => tool.count(), { timeout: 60_000 }).toBe(2)
  await tool.last().press('Enter')
  const row = dialog().getByRole('listitem').filter({ hasText: 'sleep 5000' })
  await row.getByText('restored').waitFor({ timeout: 60_000 })
  await dialog().getByRole('button', { name: 'Rewind', exact: true }).click()
  await log().getByText('Rewound with memory').waitFor({ timeout: 60_000 })
  await send(page, '/run pgrep -f "sleep 5000" | wc -l')
  await expect.poll(printed, { timeout: 60_000 }).toBe('1\n')
})

test('C9: Keep this moment, by keyboard, keeps it until Don’t keep; other tabs and the dialog show that', async () => {
  await answered(page)
  const tools = (of: Page, name: string) => of.getByRole('button', { name, exact: true })
  const mark = (of: Page) => of.getByRole('log').getByText('Kept: the moment after this response')
  const pinned = async () =>
    (await stage.installation.client.snapshots.list(threadId)).snapshots.map(({ isPinned }) => isPinned)
  const other = await stage.open(`/threads/${threadId}`, { width: 1440, height: 900 })
  await expect.poll(() => tools(page, 'Keep this moment').count(), { timeout: 60_000 }).toBe(2)
  await tools(page, 'Keep this moment').first().press('Enter')
  for (const tab of [page, other]) await mark(tab).waitFor({ timeout: 60_000 })
  expect(await pinned()).toEqual([false, true])
  await page.getByRole('button', { name: 'Rewind to before this message' }).last().press('Enter')
  await dialog().getByText('This moment is kept.').waitFor({ timeout: 60_000 })
  await page.keyboard.press('Escape')
  await tools(other, 'Don’t keep this moment').press('Enter')
  for (const tab of [page, other]) await mark(tab).waitFor({ state: 'detached', timeout: 60_000 })
  expect(await pinned()).toEqual([false, false])
  await closePage(other)
})

test('Esc changes nothing', async () => {
  await answered(page)
  const before = await log().getByText('/run').count()
  await page.getByRole('button', { name: 'Rewind to before this message' }).last().press('Enter')
  await dialog().waitFor()
  await page.keyboard.press('Escape')
  await dialog().waitFor({ state: 'detached' })
  expect(await log().getByText('/run').count()).toBe(before)
})
