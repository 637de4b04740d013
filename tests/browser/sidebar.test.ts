import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answered, messageField, send } from './app-in-browser.ts'
import { type BrowserStage, closePage, startBrowserStage } from './harness.ts'

let stage: BrowserStage
beforeAll(async () => {
  stage = await startBrowserStage()
})
afterAll(() => stage?.[Symbol.asyncDispose]())

type OpenPage = Page & AsyncDisposable
const disposable = (page: Page): OpenPage => Object.assign(page, { [Symbol.asyncDispose]: () => closePage(page) })
async function openThread(title: string, options: Parameters<BrowserStage['open']>[1] = {}) {
  const thread = await stage.installation.client.threads.create({ title })
  const page = disposable(await stage.open(`/threads/${thread.id}`, options))
  await page.locator('textarea').waitFor()
  return { thread, page }
}
const sidebar = (page: Page) => page.getByRole('complementary', { name: 'Threads' })
const row = (page: Page, title: string) => sidebar(page).getByRole('link', { name: title })

describe('the sidebar', () => {
  test('a thread is renamed with F2, in every open page', async () => {
    const { thread, page } = await openThread('Old name')
    await using first = page
    await using second = disposable(await stage.open(`/threads/${thread.id}`))
    await row(first, 'Old name').focus()
    await first.keyboard.press('F2')
    await sidebar(first).getByRole('textbox', { name: 'Rename thread' }).fill('New name')
    await first.keyboard.press('Enter')
    await row(first, 'New name').waitFor()
    await row(second, 'New name').waitFor()
    await second.getByRole('button', { name: 'New name', exact: true }).waitFor()
  })

  test('Esc keeps the title', async () => {
    const { page } = await openThread('Kept name')
    await using first = page
    await first.getByRole('button', { name: 'Kept name', exact: true }).click()
    await first.getByRole('textbox', { name: 'Rename thread' }).fill('Other')
    await first.keyboard.press('Escape')
    await first.getByRole('button', { name: 'Kept name', exact: true }).waitFor()
  })

  test('a pinned thread is on top', async () => {
    const { page } = await openThread('To pin')
    await using first = page
    await first.getByRole('button', { name: 'More actions for To pin' }).click()
    await first.getByRole('menuitem', { name: 'Pin' }).click()
    await sidebar(first).getByRole('region', { name: 'Pinned' }).getByRole('link', { name: 'To pin' }).waitFor()
  })

  test('C10: a deleted thread disappears immediately and is restored with Undo, including its text', async () => {
    const { page } = await openThread('To delete')
    await using first = page
    await send(first, '/run echo still here')
    await answered(first)
    await first.getByRole('button', { name: 'More actions for To delete' }).click()
    await first.getByRole('menuitem', { name: 'Delete thread' }).click()
    await row(first, 'To delete').waitFor({ state: 'detached' })
    await first.waitForURL(/\/threads\/new/)
    await first.getByRole('button', { name: 'Undo' }).click()
    await row(first, 'To delete').waitFor()
    await first.getByRole('region', { name: 'Command echo still here' }).waitFor()
  })

  test('a response that ends in another thread leaves a mark until it is read', async () => {
    const { thread } = await openThread('Elsewhere').then(async ({ thread: made, page }) => {
      await page.context().close()
      return { thread: made }
    })
    await using page = disposable(await stage.open('/threads/new'))
    await row(page, 'Elsewhere').waitFor()
    await stage.installation.client.threads.sendMessage(thread.id, {
      text: '/help',
      attachmentIds: [],
      key: crypto.randomUUID(),
    })
    const marked = sidebar(page).getByRole('link', { name: /Elsewhere.*unread/ })
    await marked.waitFor()
    await marked.click()
    await marked.waitFor({ state: 'detached' })
  })
})

describe('the keyboard', () => {
  test('an Enter that belongs to an input method does not send', async () => {
    const { page } = await openThread('IME')
    await using first = page
    await messageField(first).fill('にほん')
    await messageField(first).dispatchEvent('keydown', {
      key: 'Enter',
      code: 'Enter',
      isComposing: true,
      bubbles: true,
    })
    await messageField(first).dispatchEvent('keydown', { key: 'Enter', code: 'Enter', keyCode: 229, bubbles: true })
    expect(await messageField(first).inputValue()).toBe('にほん')
    expect(await first.locator('.me').count()).toBe(0)
  })

  test('what is typed survives a reload and stays with its thread', async () => {
    const { thread, page } = await openThread('Draft')
    await using first = page
    await messageField(first).fill('half a thought')
    await first
      .getByRole('link', { name: /New thread/ })
      .first()
      .click()
    await first.waitForURL(/new/)
    await expect.poll(() => messageField(first).inputValue()).toBe('')
    await first.goto(`${stage.installation.server.origin}/threads/${thread.id}`)
    expect(await messageField(first).inputValue()).toBe('half a thought')
  })

  test('shortcuts open the palette, hide the sidebar, start a thread, and F6 goes through the regions', async () => {
    const { page } = await openThread('Keys')
    await using first = page
    await first.keyboard.press('Control+k')
    await first.getByRole('dialog').waitFor()
    await first.keyboard.press('Escape')
    await first.getByRole('dialog').waitFor({ state: 'detached' })
    await first.keyboard.press('Control+Shift+S')
    await sidebar(first).waitFor({ state: 'hidden' })
    await first.keyboard.press('Control+Shift+S')
    await sidebar(first).waitFor()
    await messageField(first).focus()
    await first.keyboard.press('F6')
    const region = () => first.evaluate(`document.activeElement?.closest('[data-region]')?.getAttribute('data-region')`)
    expect(await region()).toBe('sidebar')
    await first.keyboard.press('F6')
    expect(await region()).toBe('chat')
    await first.keyboard.press('F6')
    expect(await region()).toBe('composer')
    await first.keyboard.press('Control+Shift+O')
    await first.waitForURL(/\/threads\/new/)
  })
})

describe('other screens', () => {
  test('on a phone the sidebar is a drawer, and nothing is wider than the screen', async () => {
    const { page } = await openThread('On the phone', { width: 390, height: 844, isTouch: true })
    await using phone = page
    await send(phone, `/run echo ${'wide'.repeat(200)}`)
    await answered(phone)
    await phone
      .getByRole('region', { name: /^Command echo/ })
      .getByRole('button')
      .first()
      .click()
    const isTooWide = () => phone.evaluate('document.documentElement.scrollWidth > innerWidth')
    expect(await isTooWide()).toBe(false)
    await sidebar(phone).waitFor({ state: 'hidden' })
    await phone.getByRole('button', { name: 'Open threads' }).click()
    await row(phone, 'On the phone').waitFor()
    expect(await isTooWide()).toBe(false)
    await phone.keyboard.press('Escape')
    await sidebar(phone).waitFor({ state: 'hidden' })
  })

  test('a German browser gets German texts', async () => {
    const { page } = await openThread('Auf Deutsch', { locale: 'de-DE' })
    await using german = page
    await german.getByRole('textbox', { name: 'Nachricht' }).waitFor()
    await german
      .getByRole('link', { name: /Neuer Thread/ })
      .first()
      .waitFor()
    expect(await german.locator('html').getAttribute('lang')).toBe('de')
  })

  test('a thread that does not exist says so', async () => {
    await using page = disposable(await stage.open('/threads/thr_doesnotexist'))
    await page.getByText('Page not found').waitFor()
  })
})
