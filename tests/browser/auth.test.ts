import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AppWithoutHost, startAppWithoutHost } from './app-without-host.ts'

const password = 'correct horse battery staple'
let app: AppWithoutHost

beforeAll(async () => {
  app = await startAppWithoutHost({ signUp: false })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
})

describe('signing in', () => {
  test('without the link the page says where the link is', async () => {
    const page = await app.page()
    await page.waitForURL(/\/setup$/)
    await page.getByRole('heading', { name: 'You need the sign-up link' }).waitFor()
    expect(await page.getByText('./threadbox up').count()).toBe(1)
    expect(await page.getByRole('textbox').count()).toBe(0)
  })

  test('an unknown link is rejected with its reason', async () => {
    const page = await app.page()
    await page.goto(`${app.server.origin}/setup?token=${'x'.repeat(32)}`)
    await fillOwner(page)
    await page.getByRole('button', { name: 'Create account' }).click()
    expect(await page.getByRole('alert').textContent()).toContain('auth.owner-token-wrong')
  })

  test('each field says what it needs, and the first one gets the focus', async () => {
    const page = await app.page()
    await page.goto(`${app.server.origin}/setup?token=${app.server.ownerToken.token}`)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByText('This field is required.').nth(1).waitFor()
    await page.getByLabel('Email').fill('owner')
    await page.getByText('Enter a valid email address.').waitFor()
    await page.getByLabel('Password', { exact: true }).fill('short')
    await page.getByText('Use at least 12 characters.').waitFor()
    await page.getByRole('button', { name: 'Create account' }).click()
    await expect.poll(() => page.locator(':focus').getAttribute('autocomplete')).toBe('name')
  })

  test('the page shows the server’s status, including that sandboxes cannot start yet', async () => {
    const page = await app.page()
    await page.goto(`${app.server.origin}/setup?token=${app.server.ownerToken.token}`)
    const column = page.getByRole('complementary', { name: 'This server' })
    await column.getByText('Server is up').waitFor()
    await column.getByText('The host daemon hasn’t responded yet.').waitFor()
  })

  test('the owner signs up once; the link expires, and the password is checked while it is typed', async () => {
    const page = await app.page()
    const link = `${app.server.origin}/setup?token=${app.server.ownerToken.token}`
    await page.goto(link)
    await fillOwner(page)
    await page.getByText(`${password.length} characters. Use at least 12.`).waitFor()
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('heading', { name: 'This thread has its own computer' }).waitFor()

    const second = await app.page()
    await second.goto(link)
    await second.getByRole('heading', { name: 'An owner account already exists' }).waitFor()
  })

  test('after a session ends, signing in returns to the previous page', async () => {
    const page = await signedInPage('/settings/limits')
    const processors = page.getByRole('textbox', { name: 'Sandbox CPUs' })
    await processors.waitFor()
    await processors.fill('3')
    await page.context().clearCookies()
    await page.keyboard.press('Enter')
    await page.getByText('You were signed out.').waitFor()
    expect(new URL(page.url()).searchParams.get('return')).toBe('/settings/limits')
    await signIn(page, password)
    await page.getByRole('heading', { name: 'Limits' }).waitFor()
  })

  test('a wrong password is rejected with a message, and signing out ends the session', async () => {
    const page = await app.page()
    await page.waitForURL(/\/login/)
    await signIn(page, 'not the password at all')
    await page.getByRole('alert').getByText('auth.credentials-wrong').waitFor()
    await signIn(page, password)
    await page.getByRole('heading', { name: 'This thread has its own computer' }).waitFor()
    await page.goto(`${app.server.origin}/settings/you`)
    await page.getByText('this device', { exact: true }).waitFor()
    await page
      .getByRole('listitem')
      .filter({ hasText: 'this device' })
      .getByRole('button', { name: 'Sign out' })
      .click()
    await page.waitForURL(/\/login/)
    await page.goto(`${app.server.origin}/settings/you`)
    await page.waitForURL(/\/login/)
  })

  test('an address of another site in the link is not followed after signing in', async () => {
    const page = await app.page()
    await page.goto(`${app.server.origin}/login?return=${encodeURIComponent('//example.org/')}`)
    await signIn(page, password)
    await page.waitForURL(/\/threads\/new$/)
    expect(new URL(page.url()).origin).toBe(app.server.origin)
  })
})

type TestPage = Awaited<ReturnType<AppWithoutHost['page']>>

async function fillOwner(page: TestPage): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill('Owner')
  await page.getByLabel('Email').fill(app.server.owner.email)
  await page.getByLabel('Password', { exact: true }).fill(password)
}

async function signIn(page: TestPage, secret: string): Promise<void> {
  await page.getByLabel('Email').fill(app.server.owner.email)
  await page.getByLabel('Password', { exact: true }).fill(secret)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

async function signedInPage(path: string): Promise<TestPage> {
  const page = await app.page()
  await page.goto(`${app.server.origin}/login?return=${encodeURIComponent(path)}`)
  await signIn(page, password)
  await page.waitForURL(`${app.server.origin}${path}`)
  return page
}
