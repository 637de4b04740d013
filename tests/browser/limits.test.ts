import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answered, messageField, send } from './app-in-browser.ts'
import { type BrowserStage, closePage, startBrowserStage } from './harness.ts'

const MiB = 1024 * 1024

let stage: BrowserStage
beforeAll(async () => {
  stage = await startBrowserStage()
})
afterAll(() => stage?.[Symbol.asyncDispose]())

async function newThread(): Promise<Page & AsyncDisposable> {
  const page = await stage.open('/threads/new')
  await messageField(page).waitFor()
  return Object.assign(page, { [Symbol.asyncDispose]: () => closePage(page) })
}

const card = (page: Page, name: RegExp) => page.getByRole('region', { name }).last()

/** Follows the card’s offer with the keyboard alone, enters a higher limit, and comes back. */
async function raise(page: Page, offer: { note: Locator; field: string; value: string }): Promise<void> {
  await offer.note.getByRole('link', { name: 'Raise limit' }).focus()
  await page.keyboard.press('Enter')
  const field = page.getByRole('textbox', { name: offer.field })
  await field.waitFor()
  await expect.poll(() => field.evaluate((element) => element.matches(':focus'))).toBe(true)
  await page.keyboard.type(offer.value)
  await page.keyboard.press('Enter')
  await page.getByText('Saved', { exact: true }).waitFor()
  await page.goBack()
  await messageField(page).waitFor()
}

async function sandboxOf(page: Page) {
  const threadId = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  return (await stage.installation.client.threads.get(threadId)).sandbox
}

test('an allocation over the limit is ended and named; the card leads to the limit, and the raised one counts immediately', async () => {
  await stage.installation.client.installation.updateSettings({ settings: { sandboxMemoryBytes: 1024 * MiB } })
  await using page = await newThread()
  await send(page, `/run python3 -c "print(len(b'x' * (3 << 29)))"`)
  const command = card(page, /^Command python3/)
  const note = command.getByRole('note').filter({ hasText: 'needed more memory' })
  await note.waitFor({ timeout: 90_000 })
  expect(await command.innerText()).toMatch(/python3 \(process \d+\) was killed at \d+ MiB/)
  await answered(page)
  const { since } = await sandboxOf(page)
  await raise(page, { note, field: 'Sandbox memory', value: '3 GiB' })
  const again = card(page, /^Command python3/)
  await again.getByRole('button', { name: 'Run again' }).click()
  await again.getByText('exit 0').waitFor({ timeout: 90_000 })
  expect(await sandboxOf(page)).toMatchObject({ state: 'active', since, limits: { memoryBytes: 3072 * MiB } })
})

test('a fork bomb is ended alone and named; the card leads to the limit of processes', async () => {
  await stage.installation.client.installation.updateSettings({ settings: { sandboxProcesses: 128 } })
  await using page = await newThread()
  await send(page, '/run bomb() { bomb | bomb & }; bomb; sleep 60')
  const command = card(page, /^Command bomb/)
  const note = command.getByRole('note').filter({ hasText: 'couldn’t start another process' })
  await note.waitFor({ timeout: 60_000 })
  await command.getByText(/Ended: \d+ processes \(\d+ × bash/).waitFor({ timeout: 60_000 })
  await answered(page)
  await send(page, '/run echo goes on')
  await card(page, /^Command echo/)
    .getByText('exit 0')
    .waitFor({ timeout: 60_000 })
  const { since } = await sandboxOf(page)
  await raise(page, { note, field: 'Sandbox processes', value: '512' })
  await send(page, '/run for i in $(seq 200); do sleep 5 & done; wait && echo all of them')
  const many = card(page, /^Command for i/)
  await many.getByText('exit 0').waitFor({ timeout: 60_000 })
  expect(await sandboxOf(page)).toMatchObject({ state: 'active', since, limits: { processes: 512 } })
})

test('G7: a full disk is named; the card leads to its limit, and the raised one counts immediately', async () => {
  await stage.installation.client.installation.updateSettings({ settings: { sandboxDiskBytes: 512 * MiB } })
  await using page = await newThread()
  await send(page, '/run head -c 600M /dev/urandom > ~/big && ls -l ~/big')
  const command = card(page, /^Command head/)
  const note = command.getByRole('note').filter({ hasText: 'couldn’t write because the sandbox’s disk is full' })
  await note.waitFor({ timeout: 90_000 })
  expect(await note.innerText()).toMatch(/No space left on device|Disk quota exceeded/)
  await answered(page)
  const { since } = await sandboxOf(page)
  await raise(page, { note, field: 'Sandbox disk', value: '1 GiB' })
  const again = card(page, /^Command head/)
  await again.getByRole('button', { name: 'Run again' }).click()
  await again.getByText('exit 0').waitFor({ timeout: 120_000 })
  expect(await sandboxOf(page)).toMatchObject({ state: 'active', since, limits: { diskBytes: 1024 * MiB } })
})
