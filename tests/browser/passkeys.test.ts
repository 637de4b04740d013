import type { CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AdvancedClock, makeAdvancedClock } from '../stack/advanced-clock.ts'
import { messageField } from './app-in-browser.ts'
import { type AppWithoutHost, startAppWithoutHost } from './app-without-host.ts'

/** Passkeys from the first one to a lost one, with Chromium’s virtual authenticators. */
let clock: AdvancedClock
let app: AppWithoutHost
let page: Page
let devices: CDPSession
let laptop: string
let phone: string

beforeAll(async () => {
  clock = await makeAdvancedClock()
  app = await startAppWithoutHost({ environment: clock.environment })
  page = await app.page({ signedIn: true })
  // A virtual device takes what a field offers before a person can press the button.
  await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false')
  devices = await enableDevices(page)
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await clock[Symbol.asyncDispose]()
})

async function enableDevices(of: Page): Promise<CDPSession> {
  const session = await of.context().newCDPSession(of)
  await session.send('WebAuthn.enable')
  return session
}

/** A device that verifies its person and answers immediately. */
async function addDevice(transport: 'internal' | 'usb', session = devices): Promise<string> {
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport,
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return authenticatorId
}
/** Whether the device’s person uses it when a page asks. */
const setPresent = (authenticatorId: string, enabled: boolean) =>
  devices.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })

const regionIn = (of: Page) => of.getByRole('region', { name: 'Passkeys' })
const passkeys = () => regionIn(page)
const row = (name: string) => passkeys().getByRole('listitem').filter({ hasText: name })
const openSettings = (of = page) => of.goto(`${app.server.origin}/settings/you`)

async function add(name: string, of = page): Promise<void> {
  await regionIn(of).getByRole('button', { name: 'Add passkey' }).click()
  const dialog = of.getByRole('dialog', { name: 'Add passkey' })
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByRole('button', { name: 'Continue' }).click()
}

async function signOut(of = page): Promise<void> {
  await openSettings(of)
  await of.getByRole('listitem').filter({ hasText: 'this device' }).getByRole('button', { name: 'Sign out' }).click()
  await of.getByRole('heading', { name: 'Sign in' }).waitFor()
}

test('C12: a person adds two passkeys, and a device that already has one is refused', async () => {
  laptop = await addDevice('internal')
  await openSettings()
  await passkeys().getByText('No passkeys yet.').waitFor()
  await add('Laptop')
  await row('Laptop').getByText('never used').waitFor()
  await add('Laptop again')
  await page.getByRole('alert').getByText('already has a passkey for your account').waitFor()
  await page.keyboard.press('Escape')
  await setPresent(laptop, false)
  phone = await addDevice('usb')
  await add('Phone')
  await row('Phone').waitFor()
  expect(await passkeys().getByRole('listitem').count()).toBe(2)
})

test('C12: the button signs in with either', async () => {
  await setPresent(phone, false)
  for (const device of [phone, laptop]) {
    await signOut()
    await page.getByRole('button', { name: 'Use a passkey' }).waitFor()
    await setPresent(device, true)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await messageField(page).waitFor()
    await setPresent(device, false)
  }
  await openSettings()
  await row('Laptop').getByText('last used').waitFor()
  await row('Phone').getByText('last used').waitFor()
})

test('C12: a passkey confirms a sensitive action', async () => {
  await setPresent(laptop, true)
  await clock.advance(11 * 60_000, [app.server])
  await openSettings()
  await row('Phone').getByRole('button', { name: 'Rename Phone' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Old phone')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await row('Old phone').getByRole('button', { name: 'Remove Old phone' }).click()
  await page.getByRole('dialog', { name: 'Remove Old phone?' }).getByRole('button', { name: 'Remove' }).click()
  const confirmation = page.getByRole('dialog', { name: 'Confirm it’s you' })
  await confirmation.getByRole('button', { name: 'Use a passkey' }).click()
  // Behind a dialog nothing is found by its role.
  await expect.poll(() => page.getByRole('dialog').count(), { timeout: 30_000 }).toBe(0)
  await row('Old phone').waitFor({ state: 'detached' })
  expect(await passkeys().getByRole('listitem').count()).toBe(1)
})

test('C12: a removed passkey no longer signs in, and the page says so', async () => {
  await setPresent(laptop, false)
  await signOut()
  await setPresent(phone, true)
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await page.getByRole('alert').getByText('passkey.unknown').waitFor()
})

test('C12: with every device lost, the password still signs in, and another passkey can be added', async () => {
  for (const authenticatorId of [laptop, phone]) {
    await devices.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })
  }
  const { email, password } = app.server.owner
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await messageField(page).waitFor()
  laptop = await addDevice('internal')
  await openSettings()
  await row('Laptop').getByRole('button', { name: 'Remove Laptop' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await passkeys().getByText('No passkeys yet.').waitFor()
  await add('New laptop')
  await row('New laptop').waitFor()
})

test('C12: the page of a preview gets no passkey of the app, and none for the names they share', async () => {
  const host = new URL(app.server.origin).hostname
  const base = host.replace(/^app\./, '')
  const preview = app.server.origin.replace('app.', '8501-abcdefghij.')
  await page.goto(preview)
  expect(new URL(page.url()).hostname).toBe(`8501-abcdefghij.${base}`)
  const ask = (rpId: string) =>
    page.evaluate<string>(`navigator.credentials
      .get({
        publicKey: { challenge: new Uint8Array(32), rpId: '${rpId}', userVerification: 'required', timeout: 2000 },
      })
      .then(() => 'got a passkey', (error) => error.name)`)
  expect(await ask(host)).toBe('SecurityError')
  // The browser may look here, and finds nothing: the app’s passkeys belong to its exact host.
  expect(await ask(base)).toMatch(/^(NotAllowedError|SecurityError)$/)
  const { credentials } = await devices.send('WebAuthn.getCredentials', { authenticatorId: laptop })
  expect(credentials.map(({ rpId }) => rpId)).toEqual([host])
})

test('C12: at an IP address the page says why there are none', async () => {
  const other = await page.context().newPage()
  await other.goto(`http://127.0.0.1:${new URL(app.server.origin).port}/login`)
  await other.getByText('Passkeys don’t work at an IP address.').waitFor()
  expect(await other.getByRole('button', { name: 'Use a passkey' }).count()).toBe(0)
})

test('C12: the email field offers passkeys, and the chosen one signs in', async () => {
  const other = await app.page({ signedIn: true })
  const itsDevices = await enableDevices(other)
  const authenticatorId = await addDevice('internal', itsDevices)
  await openSettings(other)
  await add('Desk', other)
  await regionIn(other).getByRole('listitem').filter({ hasText: 'Desk' }).waitFor()
  await itsDevices.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled: false })
  await signOut(other)
  expect(await other.getByLabel('Email').getAttribute('autocomplete')).toBe('username webauthn')
  await itsDevices.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled: true })
  await other.goto(`${app.server.origin}/login`)
  await messageField(other).waitFor()
})
