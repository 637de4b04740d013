import { hostPaths } from '@threadbox/protocol/host'
import type { SandboxView } from '@threadbox/sdk'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AdvancedClock, makeAdvancedClock } from '../stack/advanced-clock.ts'
import { messageField, type PageOptions, send } from './app-in-browser.ts'
import { type BrowserStage, closePage, startBrowserStageWith } from './harness.ts'

let clock: AdvancedClock
let stage: BrowserStage
beforeAll(async () => {
  clock = await makeAdvancedClock()
  stage = await startBrowserStageWith({ clock })
})
afterAll(async () => {
  await stage?.[Symbol.asyncDispose]()
  await clock?.[Symbol.asyncDispose]()
})

type OpenPage = Page & AsyncDisposable
/**
 * How long the test waits for a state to be shown. The time until it was shown is printed: it should be a second, but a
 * busy machine can take longer.
 */
const within = { timeout: 15_000 }

async function openThread(threadId: string, options: PageOptions = {}): Promise<OpenPage> {
  const page = await stage.open(`/threads/${threadId}`, { width: 1440, ...options })
  await messageField(page).waitFor()
  return Object.assign(page, { [Symbol.asyncDispose]: () => closePage(page) })
}
let threads = 0
async function newThread(name: string): Promise<{ id: string; title: string; page: OpenPage }> {
  threads += 1
  const title = `${name} ${threads}`
  const { id } = await stage.installation.client.threads.create({ title })
  return { id, title, page: await openThread(id) }
}
const awakeShown = async (page: Page) => Number(/\d+/.exec(await page.locator('.hostline').innerText())?.[0])
async function awakeOnHost(): Promise<number> {
  const { body } = await stage.installation.host.request('GET', hostPaths.info())
  return (body as { awakeSandboxes: number }).awakeSandboxes
}
const chip = (page: Page) => page.locator('.topbar .chip')
const pane = (page: Page) => page.getByRole('complementary', { name: 'Sandbox' })
const wakeLine = (page: Page) =>
  page.getByRole('button', { name: /^(Resumed from memory|Started from disk) in/ }).last()
async function openPane(page: Page) {
  await chip(page).click()
  await pane(page).getByRole('heading', { name: 'Sandbox' }).waitFor()
}

/** Sends a command and resolves when its card says that it is done. */
async function run(page: Page, command: string): Promise<void> {
  const cards = page.getByRole('log').locator('.card')
  const before = await cards.count()
  await send(page, command)
  await cards
    .nth(before)
    .getByText(/^(exit 0|done)$/)
    .waitFor({ timeout: 60_000 })
}

/** Resolves when the API returns this state. */
async function reached(threadId: string, state: SandboxView['state'], timeout = 60_000): Promise<void> {
  const client = stage.installation.client
  await expect
    .poll(async () => (await client.threads.get(threadId)).sandbox.state, { timeout, interval: 50 })
    .toBe(state)
}

/** Resolves when chip, sidebar and panel of these pages show the API’s latest state; prints how long that took. */
async function shows(pages: readonly Page[], options: { id: string; word: string; title: string }): Promise<void> {
  const { word, title } = options
  const since = performance.now()
  const shown = pages.flatMap((page) => {
    const row = page.getByRole('complementary', { name: 'Threads' }).getByRole('link', { name: title })
    return [
      chip(page).getByRole('status').getByText(word, { exact: true }).waitFor(within),
      row.getByText(`sandbox ${word}`).waitFor({ ...within, state: 'attached' }),
      pane(page).getByRole('region', { name: word, exact: true }).waitFor(within),
    ]
  })
  await Promise.all(shown).catch(async (cause: unknown) => {
    const seen = await Promise.all(pages.map((page) => chip(page).innerText()))
    const { sandbox } = await stage.installation.client.threads.get(options.id)
    throw new Error(`Awaited ${word}; the pages show ${seen.join(' | ')}, the API says ${sandbox.state}`, { cause })
  })
  console.log(`${word} was shown everywhere ${Math.round(performance.now() - since)} ms after the API said it`)
}

describe('pausing and waking', () => {
  test('C3, C4, C5: Pause now and a message are shown immediately everywhere, and nothing is lost in between', async () => {
    const { id, title, page } = await newThread('Sleeps once')
    await using first = page
    await using second = await openThread(id)
    await run(first, '/run sleep 4000 & echo started $!')
    await run(first, '/python kept = {"answer": 42}; import os; os.getpid()')
    await openPane(first)
    await openPane(second)
    await reached(id, 'active')
    await shows([first, second], { id, word: 'Active', title })

    const awake = await awakeOnHost()
    await expect.poll(() => awakeShown(first), within).toBe(awake)
    // From here on the number in the sidebar comes from events.
    await first.route('**/api/v1/status', (route) => route.abort())

    await pane(first).getByRole('button', { name: 'Pause now' }).click()
    await reached(id, 'paused')
    await shows([first, second], { id, word: 'Paused', title })
    expect(await awakeOnHost()).toBe(awake - 1)
    await expect.poll(() => awakeShown(first), within).toBe(awake - 1)
    await pane(second).getByText('you paused it', { exact: true }).waitFor()
    await pane(second)
      .getByText(/Memory is kept until at least/)
      .waitFor()
    await pane(first).getByText('Paused: you paused it').waitFor()

    const answer = run(first, '/python kept["answer"]')
    answer.catch(() => undefined)
    await reached(id, 'active')
    await shows([first, second], { id, word: 'Active', title })
    await expect.poll(() => awakeShown(first), within).toBe(awake)
    await answer
    await first.getByRole('log').getByText('42', { exact: true }).last().waitFor()
    await wakeLine(first).getByText(/kept/).waitFor()
    expect(await wakeLine(first).innerText()).toMatch(/^Resumed from memory in [\d.]+ s/)

    await wakeLine(first).click()
    const report = first.getByRole('log').getByRole('region', { name: 'What survived' })
    await report.getByRole('button', { name: /process/ }).click()
    await report.getByText('sleep 4000').waitFor()
    await report.getByRole('button', { name: /^\d+ variables?$/ }).click()
    await report.getByText('kept', { exact: true }).waitFor()
  })

  test('O3: typing wakes a paused sandbox before anything is sent; opening its thread does not', async () => {
    const { id, page } = await newThread('Woken by typing')
    await using first = page
    await run(first, '/run echo once')
    await stage.installation.client.sandboxes.pause(id)
    await reached(id, 'paused')
    await using second = await openThread(id)
    await second.getByText('Sending wakes the sandbox.').waitFor()
    expect((await stage.installation.client.threads.get(id)).sandbox.state).toBe('paused')
    await messageField(second).pressSequentially('what did', { delay: 40 })
    await reached(id, 'active')
    await chip(first).getByRole('status').getByText('Active', { exact: true }).waitFor(within)
  })

  test('C6, G10: a restart is confirmed first, and the wake says what it lost', async () => {
    const { page } = await newThread('Restarted')
    await using first = page
    await run(first, '/run sleep 5000 & echo started')
    await openPane(first)
    await pane(first).getByText('sleep 5000').waitFor()
    await pane(first).getByRole('button', { name: 'More actions for the sandbox' }).click()
    await first.getByRole('menuitem', { name: 'Restart…' }).click()
    await first
      .getByRole('dialog')
      .getByText(/This stops .*sleep/)
      .waitFor()
    await first.getByRole('dialog').getByRole('button', { name: 'Restart', exact: true }).click()
    await wakeLine(first).getByText(/lost/).waitFor({ timeout: 60_000 })
    const report = first.getByRole('log').getByRole('region', { name: 'What survived' })
    await report.getByText('You restarted the sandbox. Files were kept; memory was not.').waitFor()
    await report.getByText('sleep 5000').waitFor()
  })

  test('A3, G5: after memory was discarded the report says so, variables are restored, and a process is restarted', async () => {
    const { id, title, page } = await newThread('Started cold')
    await using first = page
    const { client } = stage.installation
    await run(first, '/run sleep 6000 & echo started')
    await run(first, '/python kept = [1, 2, 3]')
    await client.sandboxes.change(id, { policy: { hotHours: 0, hotKeep: 'strict' } })
    await openPane(first)
    await pane(first).getByRole('button', { name: 'Pause now' }).click()
    await reached(id, 'cold', 90_000)
    await shows([first], { id, word: 'Cold', title })
    await pane(first).getByText('Files are kept; memory is gone.').waitFor()

    await run(first, '/python sum(kept)')
    await first.getByRole('log').getByText('6', { exact: true }).last().waitFor()
    await first.getByRole('button', { name: /^Started from disk in [\d.]+ s.*restored/ }).waitFor()
    const report = first.getByRole('log').getByRole('region', { name: 'What survived' })
    await report.getByText(/; the saved memory was discarded\./).waitFor()
    await report.getByRole('button', { name: 'Restart: sleep 6000' }).click()
    await pane(first).getByRole('region', { name: 'Processes' }).getByText('sleep 6000', { exact: true }).waitFor()
    await first.getByRole('button', { name: /^Started from disk.*1 process restarted/ }).waitFor()
    await report.getByText('sleep 6000', { exact: true }).waitFor()
  })

  test('C4: a sandbox with nothing to do pauses automatically at the set time, and a hold keeps it awake', async () => {
    const { id, title, page } = await newThread('Pauses by itself')
    await using first = page
    const { client } = stage.installation
    await client.sandboxes.change(id, { policy: { idlePauseMinutes: 1 } })
    await run(first, '/run echo done')
    await openPane(first)
    await pane(first)
      .getByText(/Pauses at .*\d\d:\d\d if it stays idle\./)
      .waitFor()
    await pane(first).getByRole('button', { name: 'Keep awake' }).click()
    await first.getByRole('menuitem', { name: /^1 hour/ }).click()
    await chip(first)
      .getByText(/kept awake until/)
      .waitFor()
    await pane(first)
      .getByRole('button', { name: /^Awake until/ })
      .click()
    await first.getByRole('menuitem', { name: 'Stop keeping awake' }).click()
    await chip(first)
      .getByText(/pauses at/)
      .waitFor()
    const { host, server } = stage.installation
    const isPaused = async () => expect((await client.threads.get(id)).sandbox.state).toBe('paused')
    await clock.advanceUntil(isPaused, [host, server])
    await shows([first], { id, word: 'Paused', title })
    await pane(first).getByText('idle for 1 min', { exact: true }).waitFor()
  })
})
