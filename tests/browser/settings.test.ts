import { readFile } from 'node:fs/promises'
import { createClient } from '@threadbox/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AppWithoutHost, post, startAppWithoutHost } from './app-without-host.ts'

let app: AppWithoutHost

beforeAll(async () => {
  app = await startAppWithoutHost()
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
})

async function open(section: string) {
  const page = await app.page({ signedIn: true })
  await page.goto(`${app.server.origin}/settings/${section}`)
  return page
}

describe('settings', () => {
  test('a limit is changed with a unit, shows its default, and is reset to it', async () => {
    const page = await open('limits')
    const memory = page.getByRole('textbox', { name: 'Sandbox memory' })
    const row = page.getByRole('listitem').filter({ has: memory })
    expect(await memory.inputValue()).toBe('4 GiB')
    await memory.fill('a lot')
    await row.getByText('Not a valid value. Example: 4 GiB').waitFor()
    await memory.fill('2 GiB')
    await row.getByRole('button', { name: 'Save' }).click()
    await row.getByText('Default: 4 GiB').waitFor()
    const client = createClient({ baseUrl: app.server.loopbackOrigin, apiKey: app.server.apiKey })
    expect((await client.installation.settings()).limits.memoryBytes).toBe(2 * 1024 ** 3)
    await row.getByRole('button', { name: 'Use the default' }).click()
    await row.getByText('Set to the default').waitFor()
    expect((await client.installation.settings()).limits.memoryBytes).toBe(4 * 1024 ** 3)
  })

  test('a limit out of range is refused with the reason, and the old value stays', async () => {
    const page = await open('limits')
    const memory = page.getByRole('textbox', { name: 'Sandbox memory' })
    const row = page.getByRole('listitem').filter({ has: memory })
    await memory.fill('1 MiB')
    await row.getByRole('button', { name: 'Save' }).click()
    await row.getByRole('alert').getByText('setting.value-invalid').waitFor()
    await page.reload()
    expect(await memory.inputValue()).toBe('4 GiB')
  })

  test('an API key is shown once, works, and stops working when it is deleted', async () => {
    const page = await open('api-keys')
    await page.getByRole('button', { name: 'Create API key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Create API key' }).click()
    await dialog.getByText('Enter a name for the key.').waitFor()
    await dialog.getByRole('textbox', { name: 'Name' }).fill('build script')
    await dialog.getByRole('button', { name: 'Create API key' }).click()
    const secret = await dialog.getByRole('textbox', { name: 'API key “build script”' }).inputValue()
    const client = createClient({ baseUrl: app.server.loopbackOrigin, apiKey: secret })
    expect((await client.account.me()).email).toBe(app.server.owner.email)
    await dialog.getByRole('button', { name: 'I’ve copied it' }).click()
    expect(await page.content()).not.toContain(secret)
    expect(await readFile(`${app.server.directory}/server.log`, 'utf8')).not.toContain(secret)

    await page.getByRole('button', { name: 'Delete key build script' }).click()
    await expect.poll(() => page.locator(':focus').textContent()).toBe('Cancel')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('build script', { exact: true }).waitFor({ state: 'detached' })
    await expect(client.account.me()).rejects.toMatchObject({ kind: 'unauthenticated' })
  })

  test('an API key is limited to the workspaces that are chosen, and its row names them', async () => {
    const owner = createClient({ baseUrl: app.server.loopbackOrigin, apiKey: app.server.apiKey })
    const { id: workspaceId } = await owner.workspaces.create({ name: 'Reports' })
    const within = await owner.threads.create({ workspaceId })
    const outside = await owner.threads.create()
    const page = await open('api-keys')
    await page.getByRole('button', { name: 'Create API key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Name' }).fill('report script')
    await dialog.getByRole('group', { name: 'Limit to workspaces' }).getByRole('checkbox', { name: 'Reports' }).check()
    await dialog.getByRole('button', { name: 'Create API key' }).click()
    const apiKey = await dialog.getByRole('textbox', { name: 'API key “report script”' }).inputValue()
    await dialog.getByRole('button', { name: 'I’ve copied it' }).click()
    await page.getByText('only in: Reports').waitFor()
    const limited = createClient({ baseUrl: app.server.loopbackOrigin, apiKey })
    expect((await limited.threads.list()).threads.map(({ id }) => id)).toEqual([within.id])
    await expect(limited.threads.get(outside.id)).rejects.toMatchObject({ code: 'thread.not-found' })
  })

  test('name and password are changed; a wrong current password does not sign out', async () => {
    const page = await open('you')
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Another name')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Save', disabled: true }).waitFor()
    await page.reload()
    expect(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('Another name')

    await page.getByLabel('Current password', { exact: true }).fill('this is not it at all')
    await page.getByLabel('New password', { exact: true }).fill('another correct horse')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByRole('alert').getByText('auth.credentials-wrong').waitFor()
    await page.getByLabel('Current password', { exact: true }).fill(app.server.owner.password)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Password changed. Other devices were signed out.').waitFor()
    await page.goto(`${app.server.origin}/settings/about`)
    await page.getByRole('heading', { name: 'About' }).waitFor()
    // Later tests sign in with the original password.
    const body = { currentPassword: 'another correct horse', newPassword: app.server.owner.password }
    await post(page, { path: '/auth/password', body })
  })

  test('language and theme take effect immediately and persist after a reload', async () => {
    const page = await open('you')
    await page.getByRole('combobox', { name: 'Theme' }).click()
    await page.getByRole('option', { name: 'Dark' }).click()
    await page.getByRole('combobox', { name: 'Language' }).click()
    await page.getByRole('option', { name: 'Deutsch' }).click()
    await page.getByRole('heading', { name: 'Sitzungen' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Sitzungen' }).waitFor()
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
    expect(await page.locator('html').getAttribute('lang')).toBe('de')
  })

  test('About lists what was checked, with a fix for what is not OK', async () => {
    const page = await open('about')
    await page.getByText('The host daemon isn’t responding.').waitFor()
    const check = page.getByRole('listitem').filter({ hasText: 'Host daemon' })
    expect(await check.textContent()).toContain('failed')
    expect(await check.textContent()).toContain('threadbox doctor')
  })

  test('Network says how the page is currently reached', async () => {
    const page = await open('network')
    await page.getByText(app.server.origin, { exact: true }).waitFor()
    await page.getByText(`ssh -L ${app.server.port}:127.0.0.1:${app.server.port}`).waitFor()
    await page.getByText('Not needed: you’re connected through localhost').waitFor()
  })

  test('an unknown address says so and links back', async () => {
    const page = await open('nowhere')
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    await page.getByRole('link', { name: 'Go to home' }).click()
    await page.waitForURL(/\/threads\/new$/)
  })
})
