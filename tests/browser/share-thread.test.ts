import { createClient } from '@threadbox/sdk'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AppWithoutHost, startAppWithoutHost } from './app-without-host.ts'

/** A thread that its owner shares, read in a browser without a session. */
let app: AppWithoutHost
let page: Page
let stranger: Page
let threadId: string
const hostile = 'Read this <script>document.title = "owned"</script><img src=x onerror="document.title=\'owned\'">'

beforeAll(async () => {
  app = await startAppWithoutHost()
  const client = createClient({ baseUrl: app.server.loopbackOrigin, apiKey: app.server.apiKey })
  threadId = (await client.threads.create({ title: 'Trips' })).id
  await client.threads.sendMessage(threadId, { text: hostile, key: 'a-key-of-the-test' })
  page = await app.page({ signedIn: true })
  stranger = await app.page()
  await page.goto(`${app.server.origin}/threads/${threadId}`)
})
afterAll(() => app?.[Symbol.asyncDispose]())

const dialog = () => page.getByRole('dialog', { name: 'Share this thread' })
const list = () => dialog().getByRole('region', { name: 'Links to this thread' })
const openDialog = async () => {
  await page.getByRole('button', { name: 'More', exact: true }).press('Enter')
  await page.getByRole('menuitem', { name: 'Share…' }).press('Enter')
}
let url = ''

test('a link is created from the menu of a thread, shown once, and opened by a person without an account', async () => {
  await openDialog()
  await dialog().getByRole('combobox', { name: 'Link expires' }).press('Enter')
  await page.getByRole('option', { name: 'in 1 day' }).press('Enter')
  await dialog().getByRole('button', { name: 'Create link' }).press('Enter')
  const address = dialog().getByRole('textbox', { name: 'Link' })
  await address.waitFor()
  url = await address.inputValue()
  expect(await page.locator('input:focus').inputValue()).toBe(url)
  await dialog().getByText('The link only works on this computer').waitFor()

  await stranger.goto(url)
  await stranger.getByRole('heading', { name: 'Trips' }).waitFor()
  await stranger.getByText('Read this').waitFor()
})

test('the page has no user: it runs nothing, has no origin, and the app asks its reader to sign in', async () => {
  expect(await stranger.title()).toBe('Trips')
  expect(await stranger.evaluate('self.origin')).toBe('null')
  expect(await stranger.evaluate('document.scripts.length')).toBe(0)
  const framed = await app.page()
  await framed.goto(`${app.server.origin}/login`)
  await framed.evaluate(`new Promise((resolve) => {
    const frame = document.createElement('iframe')
    frame.onload = () => resolve(true)
    frame.src = ${JSON.stringify(url)}
    document.body.append(frame)
  })`)
  expect(await framed.frameLocator('iframe').getByText('Read this').count()).toBe(0)
  await framed.close()
  const other = await stranger.context().newPage()
  await other.goto(`${app.server.origin}/threads/${threadId}`)
  await other.waitForURL(/\/login/)
  await other.close()
})

test('visits are counted, and a revoked link stops working immediately', async () => {
  await dialog().getByRole('button', { name: 'Done' }).press('Enter')
  await openDialog()
  await list()
    .getByText(/opened (once|\d+ times)/)
    .waitFor()
  expect(await dialog().getByRole('textbox', { name: 'Link' }).count()).toBe(0)
  await list()
    .getByRole('button', { name: /^Revoke the link/ })
    .press('Enter')
  await list().waitFor({ state: 'detached' })
  await stranger.reload()
  await stranger.getByRole('heading', { name: 'This link doesn’t work' }).waitFor()
  expect(await stranger.getByText('Read this').count()).toBe(0)
})

test('a link that allows copies says what it shares, and a person who signs in gets a thread of their own', async () => {
  await dialog()
    .getByRole('switch', { name: /copy the thread and its sandbox/ })
    .press('Space')
  await dialog().getByText('including passwords and keys stored in files').waitFor()
  await dialog().getByRole('button', { name: 'Create link' }).press('Enter')
  url = await dialog().getByRole('textbox', { name: 'Link' }).inputValue()
  await list().getByText('no copies yet, 20 possible').waitFor()

  await stranger.goto(url)
  await stranger.getByRole('link', { name: /your own copy/ }).click()
  await stranger.waitForURL(/\/login/)

  const person = await app.page({ signedIn: true })
  await person.goto(url)
  await person.getByRole('link', { name: /your own copy/ }).press('Enter')
  await person.getByRole('heading', { name: 'Make your own copy' }).waitFor()
  await person.getByText('“Trips” was shared with you').waitFor()
  await person.getByText('No sandbox: the thread doesn’t have one yet').waitFor()
  await person.getByRole('button', { name: 'Make my copy' }).press('Enter')
  await person.waitForURL(/\/threads\/(?!new)/)
  expect(person.url()).not.toContain(threadId)
  await person.getByRole('log').getByText('This thread is a copy of a thread that was shared with you').waitFor()
  await person.getByRole('log').getByText('Read this').waitFor()
  await person.goto(`${app.server.origin}/copy/${'x'.repeat(43)}`)
  await person.getByRole('alert').getByText('You can’t make a copy with this link.').waitFor()
  await person.close()
})
