import { type ScriptedIssuer, startScriptedIssuer } from '@threadbox/testkit'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AdvancedClock, makeAdvancedClock } from '../stack/advanced-clock.ts'
import { messageField } from './app-in-browser.ts'
import { type AppWithoutHost, startAppWithoutHost } from './app-without-host.ts'

/** Signing in at a provider, from the owner’s settings to the last sign-out, in the real app. */
let clock: AdvancedClock
let app: AppWithoutHost
let issuer: ScriptedIssuer
let ada: Page

beforeAll(async () => {
  issuer = await startScriptedIssuer()
  clock = await makeAdvancedClock()
  app = await startAppWithoutHost({
    environment: { ...clock.environment, THREADBOX_CONNECTIONS_ALLOW: '127.0.0.0/8' },
    others: [{ port: Number(new URL(issuer.url).port) }],
  })
  ada = await app.page({ signedIn: true })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await issuer[Symbol.asyncDispose]()
  await clock[Symbol.asyncDispose]()
})

const openLogin = async (): Promise<Page> => {
  const page = await app.page()
  await page.goto(`${app.server.origin}/login`)
  return page
}

test('C12: the owner adds a provider, which tells what to enter there, and tests it', async () => {
  await ada.goto(`${app.server.origin}/settings/sign-in`)
  await ada.getByText('No providers yet.').waitFor()
  await ada.getByRole('button', { name: 'Add provider' }).click()
  const dialog = ada.getByRole('dialog', { name: 'Add a provider' })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('This field is required.').first().waitFor()
  await dialog.getByLabel('Name on the button').fill('Company')
  await dialog.getByLabel('Issuer').fill(issuer.url)
  await dialog.getByLabel('Client ID').fill(issuer.client.id)
  await dialog.getByLabel('Client secret').fill(issuer.client.secret)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await ada.getByText('/callback').waitFor()
  await ada.getByRole('button', { name: 'Test Company' }).click()
  await ada.getByText('Company responds').waitFor()
})

test('C12: a refusal is shown on the sign-in page with its reason and its code', async () => {
  const page = await openLogin()
  await page.getByRole('button', { name: 'Continue with Company' }).click()
  await page.getByText('You need an invite to join.').waitFor()
  expect(page.url()).toBe(`${app.server.origin}/login?problem=sign-in.invite-needed`)
  await page.context().close()
})

test('C12: a person joins with an invite at the provider, and signs in with the button from then on', async () => {
  const secret = await invite()
  const ben = await app.page()
  await ben.goto(`${app.server.origin}/join#${secret}`)
  await ben.getByRole('button', { name: 'Continue with Company' }).click()
  await messageField(ben).waitFor()
  await ben.context().close()
  const again = await openLogin()
  await again.getByRole('button', { name: 'Continue with Company' }).click()
  await messageField(again).waitFor()
  await again.goto(`${app.server.origin}/settings/you`)
  await again.getByText('ann@example.com, last used').waitFor()
  await again.goto(`${app.server.origin}/settings/sign-in`)
  await again.getByText('Only the owner can change how people sign in.').waitFor()
  await again.context().close()
})

test('C12: a person without a password confirms a sensitive action at the provider', async () => {
  const page = await openLogin()
  await page.getByRole('button', { name: 'Continue with Company' }).click()
  await messageField(page).waitFor()
  const minutes = 11
  await clock.advance(minutes * 60_000, [app.server])
  issuer.script.aheadSeconds = minutes * 60
  issuer.script.claims = { auth_time: Math.floor(Date.now() / 1000) + minutes * 60 }
  await page.goto(`${app.server.origin}/settings/api-keys`)
  const create = async () => {
    await page.getByRole('button', { name: 'Create API key' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create API key' })
    await dialog.getByLabel('Name').fill('Mine')
    await dialog.getByRole('button', { name: 'Create API key' }).click()
  }
  await create()
  const confirmation = page.getByRole('dialog', { name: 'Confirm it’s you' })
  await confirmation.getByText('You come back to this page.').waitFor()
  expect(await confirmation.getByLabel('Password').count()).toBe(0)
  await confirmation.getByRole('button', { name: 'Continue with Company' }).click()
  await page.waitForURL(`${app.server.origin}/settings/api-keys`)
  await create()
  await page.getByRole('textbox', { name: 'API key “Mine”' }).waitFor()
  await page.context().close()
})

test('C12: the owner removes the provider, and its button is gone', async () => {
  await ada.getByRole('button', { name: 'Remove Company' }).click()
  await ada.getByRole('dialog', { name: 'Remove Company?' }).getByRole('button', { name: 'Remove' }).click()
  // The clock was set ahead.
  const confirmation = ada.getByRole('dialog', { name: 'Confirm it’s you' })
  await confirmation.getByLabel('Password', { exact: true }).fill(app.server.owner.password)
  await confirmation.getByRole('button', { name: 'Confirm' }).click()
  await ada.getByText('No providers yet.').waitFor()
  const page = await openLogin()
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  expect(await page.getByRole('button', { name: 'Continue with Company' }).count()).toBe(0)
})

async function invite(): Promise<string> {
  const response = await app.server.asOwner(`${app.server.loopbackOrigin}/api/v1/invites`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  const { path } = (await response.json()) as { path: string }
  return path.split('#')[1] ?? ''
}
