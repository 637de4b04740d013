import { type HostStandIn, startHostStandIn } from '@threadbox/testkit/host-stand-in'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { messageField } from './app-in-browser.ts'
import { type AppWithoutHost, startAppWithoutHost } from './app-without-host.ts'

/** The machine page of the owner, with two people and a stand-in for the host daemon. */
const password = 'correct horse battery staple'
const canary = 'zq7canary'
let host: HostStandIn
let app: AppWithoutHost
let ada: Page
let ben: Page

beforeAll(async () => {
  host = await startHostStandIn()
  const sockets = { THREADBOX_HOST_SOCKET: host.socketPath, THREADBOX_GATEWAY_SOCKET: host.socketPath }
  app = await startAppWithoutHost({ environment: sockets })
  ada = await app.page({ signedIn: true })
  const { path } = await call<{ path: string }>(ada, 'POST', '/invites', {})
  ben = await app.page()
  await ben.goto(`${app.server.origin}${path}`)
  await ben.getByLabel('Name').fill('Ben')
  await ben.getByLabel('Email').fill('ben@example.com')
  await ben.getByLabel('Password', { exact: true }).fill(password)
  await ben.getByRole('button', { name: 'Create account' }).click()
  await messageField(ben).waitFor()
  for (const number of [1, 2]) {
    const { id } = await call<{ id: string }>(ben, 'POST', '/threads', { title: `${canary} ${number}` })
    await call(ben, 'POST', `/threads/${id}/sandbox/wake`, {})
  }
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await host[Symbol.asyncDispose]()
})

/** Calls the API from inside the page, with its cookies. */
async function call<Answer>(page: Page, method: string, path: string, body: object): Promise<Answer> {
  return await page.evaluate(
    async (request) => {
      const headers = { 'content-type': 'application/json' }
      const { method, body } = request
      const response = await fetch(`/api/v1${request.path}`, { method, headers, body: JSON.stringify(body) })
      return (await response.json()) as never
    },
    { method, path, body },
  )
}

const openPage = async (page: Page) => {
  await page.goto(`${app.server.origin}/settings/machine`)
  await page.getByRole('heading', { name: 'Machine', exact: true }).waitFor()
}
const badges = (page: Page, state: string) =>
  page.getByRole('region', { name: 'Sandboxes' }).locator('.badge', { hasText: state })

test('O12: the owner sees what is used, how much fits and whose sandboxes run, and nothing of what is in them', async () => {
  await openPage(ada)
  await ada.getByText('Room for 98 more awake sandboxes').waitFor()
  await ada.getByText('Growth is known after a day of measurements.').waitFor()
  const sandboxes = ada.getByRole('region', { name: 'Sandboxes' })
  await expect.poll(() => sandboxes.getByRole('listitem').count()).toBe(2)
  await sandboxes.getByText('Ben').first().waitFor()
  expect(await ada.content()).not.toContain(canary)
})

test('O12: the owner pauses one sandbox with the keyboard, and stops the other after a question', async () => {
  await openPage(ada)
  await expect.poll(() => badges(ada, 'Active').count()).toBe(2)
  await ada.getByRole('button', { name: 'Pause a sandbox of Ben' }).first().press('Enter')
  await badges(ada, 'Paused').waitFor()
  expect(host.orders.map(({ order }) => order)).toEqual(['pause'])
  await ada.getByRole('button', { name: 'Stop a sandbox of Ben' }).click()
  const dialog = ada.getByRole('dialog', { name: 'Stop a sandbox of Ben?' })
  await dialog.getByText('Files are kept.').waitFor()
  await dialog.getByRole('button', { name: 'Stop sandbox' }).click()
  await badges(ada, 'Cold').waitFor()
  expect(host.orders.map(({ order }) => order)).toEqual(['pause', 'stop'])
  expect(await ada.getByRole('button', { name: /Pause a sandbox/ }).count()).toBe(0)
})

test('O12: it fits 390 px, and a member has neither the entry nor the page', async () => {
  await ada.setViewportSize({ width: 390, height: 844 })
  await openPage(ada)
  await ada.getByText('Room for 100 more awake sandboxes').waitFor()
  const overflow = await ada.evaluate(`document.querySelector('.settings-scroll').scrollWidth > innerWidth`)
  expect(overflow).toBe(false)
  await ada.setViewportSize({ width: 1280, height: 800 })
  await openPage(ben)
  await ben.getByText('Only the owner and admins of this installation can do this.').first().waitFor()
  expect(await ben.getByRole('link', { name: 'Machine' }).count()).toBe(0)
})

test('O12: when the host daemon does not respond, the page says so and still lists sandboxes', async () => {
  host.fail('machine', { code: 'host.unreachable', kind: 'unavailable' })
  await openPage(ada)
  await ada.getByText('The host daemon isn’t responding').waitFor()
  await ada.getByRole('region', { name: 'Sandboxes' }).getByText('Ben').first().waitFor()
})
