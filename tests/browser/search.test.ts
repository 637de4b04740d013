import { createClient } from '@threadbox/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AppWithoutHost, startAppWithoutHost } from './app-without-host.ts'

let app: AppWithoutHost
let threadId: string

beforeAll(async () => {
  app = await startAppWithoutHost()
  const client = createClient({ baseUrl: app.server.loopbackOrigin, apiKey: app.server.apiKey })
  const thread = await client.threads.create({ title: 'Quarterly figures' })
  threadId = thread.id
  await client.threads.create({ title: 'Übersicht München' })
  await client.threads.sendMessage(threadId, { text: 'Compare the marmalade shipments', key: crypto.randomUUID() })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
})

async function openPalette() {
  const page = await app.page({ signedIn: true })
  await page.getByRole('heading', { name: 'This thread has its own computer' }).waitFor()
  await page.keyboard.press('Control+k')
  const palette = page.getByRole('dialog', { name: 'Search and commands' })
  await palette.waitFor()
  return { page, palette }
}

describe('the palette', () => {
  test('finds a thread by its title without its accents, and Enter opens it', async () => {
    const { page, palette } = await openPalette()
    await page.keyboard.type('munchen')
    await palette.getByRole('option', { name: /Übersicht München/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/threads\/t/)
    await page.getByText('Übersicht München').first().waitFor()
  })

  test('finds a word in a message and jumps to that message', async () => {
    const { page, palette } = await openPalette()
    await page.keyboard.type('marmalade')
    const hit = palette.getByRole('option', { name: /marmalade/ })
    await hit.waitFor()
    await hit.click()
    await page.waitForURL((url) => url.pathname === `/threads/${threadId}` && url.searchParams.has('entry'))
    await page.getByText('Compare the marmalade shipments').waitFor()
  })

  test('says when nothing was found', async () => {
    const { page, palette } = await openPalette()
    await page.keyboard.type('zzzznothing')
    await palette.getByText('No results for “zzzznothing”.').waitFor()
    expect(await palette.getByRole('option').count()).toBe(0)
  })

  test('runs an action, and Esc closes it and returns the focus', async () => {
    const { page, palette } = await openPalette()
    await page.keyboard.press('Escape')
    await palette.waitFor({ state: 'detached' })
    expect(await page.locator(':focus').evaluate((element) => element.tagName)).toBe('TEXTAREA')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('api keys')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'API keys' }).waitFor()
  })

  test('the list of shortcuts opens by its shortcut', async () => {
    const { page } = await openPalette()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+/')
    const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await list.getByText('Search and commands').waitFor()
    await page.keyboard.press('Escape')
    await list.waitFor({ state: 'detached' })
  })
})

test('a lost server is announced, typed text is kept, and the app reconnects automatically', async () => {
  const page = await app.page({ signedIn: true })
  const [socket] = await Promise.all([page.waitForEvent('websocket'), page.reload()])
  await socket.waitForEvent('framereceived')
  const message = page.getByRole('textbox').first()
  await message.fill('half a thought')
  await app.server.kill('SIGKILL')
  await page.getByText('The server isn’t responding.').waitFor()
  await page.getByText(/^.*Last response/).waitFor()
  await message.pressSequentially(' and the rest')
  await app.server.restart()
  await page.getByText('The server isn’t responding.').waitFor({ state: 'detached', timeout: 40_000 })
  expect(await message.inputValue()).toBe('half a thought and the rest')
})
