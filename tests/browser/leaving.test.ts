import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AppWithoutHost, startAppWithoutHost } from './app-without-host.ts'

/** What happens when people leave, in the browsers of the owner and of two others. */
const password = 'correct horse battery staple'
let app: AppWithoutHost
let ada: Page
let ben: Page

beforeAll(async () => {
  app = await startAppWithoutHost()
  ada = await app.page({ signedIn: true })
  ben = await joined('Ben')
  await (await joined('Cleo')).context().close()
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
})

const sidebar = (page: Page) => page.getByRole('complementary', { name: 'Threads' })

async function post(page: Page, path: string, body: object, method = 'POST'): Promise<{ id: string; path: string }> {
  return await page.evaluate(
    async (request) => {
      const headers = { 'content-type': 'application/json' }
      const { method, path, body } = request
      const response = await fetch(`/api/v1${path}`, { method, headers, body: JSON.stringify(body) })
      return (response.status === 204 ? {} : await response.json()) as { id: string; path: string }
    },
    { path, body, method },
  )
}

async function joined(name: string): Promise<Page> {
  await ada.goto(`${app.server.origin}/settings/people`)
  const invite = await post(ada, '/invites', {})
  const page = await app.page()
  await page.goto(`${app.server.origin}${invite.path}`)
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Email').fill(`${name.toLowerCase()}@example.com`)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('textbox', { name: 'Message' }).waitFor()
  return page
}

async function menuOf(name: string): Promise<void> {
  await ada.goto(`${app.server.origin}/settings/people`)
  await ada.getByRole('button', { name: `More actions for ${name}` }).click()
}

test('C12: before a thread is shared, a dialog names what of one’s own stops working in it', async () => {
  const workspace = await post(ben, '/workspaces', { name: 'Team' })
  const secret = { name: 'API_KEY', value: 'a-long-secret-value', hosts: ['api.example.com'] }
  const { id: secretId } = await post(ben, '/secrets', secret)
  const { id: userId } = await ada.evaluate(async () => (await fetch('/api/v1/me')).json() as Promise<{ id: string }>)
  await post(ben, `/workspaces/${workspace.id}/members/${userId}`, { role: 'member' }, 'PUT')
  const thread = await post(ben, '/threads', { title: 'Bike rides', workspaceId: workspace.id, isPrivate: true })
  await post(ben, `/threads/${thread.id}/secrets/${secretId}`, { way: 'brokered' }, 'PUT')
  await ben.goto(`${app.server.origin}/threads/${thread.id}`)
  const share = async () => {
    await ben.getByRole('button', { name: 'More', exact: true }).click()
    await ben.getByRole('menuitem', { name: 'Share with workspace' }).click()
  }
  await share()
  const dialog = ben.getByRole('dialog', { name: 'These stop working in shared threads' })
  await dialog.getByText('API_KEY').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await ben.getByText('private', { exact: true }).waitFor()
  await share()
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await sidebar(ada).getByRole('link', { name: 'Bike rides' }).waitFor()
})

test('C12: with the setting, the sign-in page says that admins can read, and they open a thread with a reason', async () => {
  const { id } = await post(ben, '/threads', { title: 'Of Ben alone' })
  await ada.goto(`${app.server.origin}/threads/${id}`)
  await ada.getByRole('link', { name: 'Start' }).or(ada.getByRole('heading')).first().waitFor()
  expect(await ada.getByRole('button', { name: 'Open read-only' }).count()).toBe(0)
  await post(ada, '/settings', { settings: { adminsMayRead: 'with-reason' } }, 'PATCH')
  const visitor = await app.page()
  await visitor.goto(`${app.server.origin}/login`)
  await visitor.getByText('The owner and admins can read all threads, with a reason.').waitFor()
  await visitor.context().close()
  await ada.goto(`${app.server.origin}/threads/${id}`)
  await ada.getByLabel('Reason').fill('A report of misuse.')
  await ada.getByRole('button', { name: 'Open read-only' }).click()
  await ada.getByText('You can read this thread, because').waitFor()
  await ben.goto(`${app.server.origin}/threads/${id}`)
  await ben.getByText('A report of misuse.').waitFor()
})

test('C12: what a person has goes to another one, and the dialog names what doesn’t', async () => {
  await menuOf('Ben')
  await ada.getByRole('menuitem', { name: 'Disable account' }).click()
  await ada.getByRole('dialog').getByRole('button', { name: 'Disable account' }).click()
  await ada.getByText('disabled', { exact: true }).waitFor()
  await menuOf('Ben')
  await ada.getByRole('menuitem', { name: 'Hand over…' }).click()
  const dialog = ada.getByRole('dialog', { name: 'Hand over what Ben has' })
  await dialog.getByText('2 threads with their sandboxes').waitFor()
  await dialog.getByText('API_KEY').waitFor()
  await dialog.getByRole('combobox', { name: 'To' }).click()
  await ada.getByRole('option', { name: app.server.owner.name }).click()
  await dialog.getByRole('button', { name: 'Hand over' }).click()
  await sidebar(ada).getByRole('link', { name: 'Of Ben alone' }).waitFor()
})

test('C12: an account is erased after its name was typed', async () => {
  await menuOf('Ben')
  await ada.getByRole('menuitem', { name: 'Erase…' }).click()
  const dialog = ada.getByRole('dialog', { name: 'Erase Ben?' })
  await dialog.getByText('You can’t undo it.').waitFor()
  await dialog.getByText('API_KEY').waitFor()
  const erase = dialog.getByRole('button', { name: 'Erase' })
  expect(await erase.isDisabled()).toBe(true)
  await dialog.getByLabel('Type Ben to confirm').fill('Ben')
  await erase.click()
  await ada.getByText('ben@example.com').waitFor({ state: 'detached' })
})

test('C12: ownership is offered, accepted by the other person, and never shown to others', async () => {
  await menuOf('Cleo')
  await ada.getByRole('menuitem', { name: 'Offer ownership…' }).click()
  await ada.getByRole('dialog').getByRole('button', { name: 'Offer ownership' }).click()
  await ada.getByText('Ownership is offered to Cleo').waitFor()
  const cleo = await app.page()
  await cleo.goto(`${app.server.origin}/login`)
  await cleo.getByLabel('Email').fill('cleo@example.com')
  await cleo.getByLabel('Password', { exact: true }).fill(password)
  await cleo.getByRole('button', { name: 'Sign in' }).click()
  await cleo.getByRole('textbox', { name: 'Message' }).waitFor()
  await cleo.goto(`${app.server.origin}/settings/people`)
  await cleo.getByRole('button', { name: 'Accept' }).click()
  await cleo.getByText('You’re the owner now').waitFor()
  await cleo.goto(`${app.server.origin}/settings/you`)
  expect(await cleo.getByRole('button', { name: 'Delete my account' }).count()).toBe(0)
  await ada.goto(`${app.server.origin}/settings/you`)
  await ada.getByRole('link', { name: 'Export' }).waitFor()
  await ada.setViewportSize({ width: 390, height: 844 })
  await ada.getByRole('button', { name: 'Delete my account' }).click()
  const dialog = ada.getByRole('dialog', { name: 'Delete your account?' })
  await dialog.getByLabel(`Type ${app.server.owner.name} to confirm`).waitFor()
  const width = await ada.evaluate<number>('document.documentElement.scrollWidth')
  expect(width).toBeLessThanOrEqual(390)
})
