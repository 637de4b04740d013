import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Frame, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type BrowserStage, closePage, startBrowserStage } from './harness.ts'

/** What a hostile page in the preview can do to the app and to other previews: nothing. */
let stage: BrowserStage
let threadId: string
let page: Page
let site: Frame
beforeAll(async () => {
  stage = await startBrowserStage()
  const { client } = stage.installation
  threadId = (await client.threads.create({})).id
  for (const name of ['site.mjs', 'hostile.js']) {
    const content = await readFile(path.join(import.meta.dirname, 'preview-origin', name))
    await client.files.write(threadId, `/home/user/${name}`, new Blob([content]))
  }
  page = await stage.open(`/threads/${threadId}`)
  await page.locator('#message').waitFor()
  await client.services.start(threadId, { name: 'site', command: 'node site.mjs', port: 8000 })
})
afterAll(async () => {
  await closePage(page)
  await stage[Symbol.asyncDispose]()
})
beforeEach(async () => {
  // The app opens the pane automatically once the service runs.
  const find = () => page.frames().find((frame) => /^http:\/\/8000-[a-z2-7]{10}\./.test(frame.url()))
  await expect.poll(find, { timeout: 60_000 }).toBeDefined()
  site = find() as Frame
  await site.getByRole('heading', { name: 'A site' }).waitFor()
  // Its script comes after its visible content.
  await site.waitForFunction(`typeof attacks !== 'undefined'`)
})

const appOrigin = () => stage.installation.server.origin
/** Runs one of the page’s own functions (`preview-origin/hostile.js`). */
const attack = <Outcome = string>(name: string, argument: unknown = '', from: Frame | Page = site): Promise<Outcome> =>
  from.evaluate(`attacks.${name}(${JSON.stringify(argument)})`)
const isLoggedIn = () => page.evaluate(async () => (await fetch('/api/v1/me')).status === 200)
/** What requests of a page could change. */
/** Without times of use, and without why the sandbox is awake, which changes as time passes. */
const stateOfApp = () =>
  page.evaluate(async () => {
    const paths = ['threads', 'me', 'api-keys', 'workspaces', 'settings', 'network', 'auth/sessions']
    const texts = await Promise.all(paths.map(async (path) => await (await fetch(`/api/v1/${path}`)).text()))
    const isVolatile = (key: string) => /^(last\w+|updatedAt|awake|detail|since|state)$/.test(key)
    return texts.map((text) => JSON.stringify(JSON.parse(text, (key, value) => (isVolatile(key) ? 0 : value))))
  })
const openPreview = (id: string, port = 8000) =>
  page.evaluate(
    async (target) => {
      const init = { method: 'POST', headers: { 'content-type': 'application/json' } }
      const body = JSON.stringify({ port: target.port })
      const response = await fetch(`/api/v1/threads/${target.id}/previews`, { ...init, body })
      return (await response.json()) as { url: string; origin: string }
    },
    { id, port },
  )

test('O4 O12: the page has its own cookies in the frame, and none of the app', async () => {
  expect(await attack('ownCookies')).toEqual(['', 'who=ada'])
  const cookies = await page.context().cookies()
  const preview = cookies.find(({ name }) => name.startsWith('threadbox-preview-'))
  expect(preview).toMatchObject({ httpOnly: true, sameSite: 'Lax', domain: new URL(site.url()).hostname })
})

describe('O12: the page cannot read', () => {
  test.each(['readDocument', 'readAddress', 'readStorage', 'readVariable'])('the app’s tab: %s', async (name) => {
    expect(await attack(name)).toBe('SecurityError')
  })

  test('the API, by any kind of request', async () => {
    expect(await attack('readApi', appOrigin())).toEqual(['TypeError', 'TypeError', 'refused'])
  })

  test('the app in its own frame', async () => {
    await attack('frameApp', appOrigin())
    const stolen = () => page.frames().find((frame) => frame.name() === 'stolen')
    await expect.poll(() => stolen()?.url()).toMatch(/^chrome-error:/)
  })

  test('another thread’s page with the user’s pass', async () => {
    const other = await stage.installation.client.threads.create({})
    const target = await openPreview(other.id)
    const tab = await page.context().newPage()
    await tab.goto(target.url)
    expect(await tab.title()).toBe('Nothing is running here yet')
    await tab.close()
    const answered = page.waitForEvent('response', (response) => response.url() === `${target.origin}/secret`)
    await attack('reach', `${target.origin}/secret`)
    expect((await answered).status()).toBe(403)
  })
})

describe('O12: the page cannot act on the app', () => {
  test('by requests that carry the session', async () => {
    const { client } = stage.installation
    const count = async () => (await client.threads.list({})).threads.length
    const before = await count()
    const statuses: number[] = []
    page.on('response', (response) => {
      const isChange = response.url() === `${appOrigin()}/api/v1/threads` && response.request().method() === 'POST'
      if (isChange) statuses.push(response.status())
    })
    const sent = page.waitForEvent('request', (request) => request.isNavigationRequest() && request.method() === 'POST')
    await attack('changeByRequest', appOrigin())
    await sent
    await expect.poll(() => statuses).toContain(403)
    expect(statuses.filter((status) => status !== 403)).toEqual([])
    expect(await count()).toBe(before)
  })

  test('by requests of any method, with and without the session, with headers that name another sender', async () => {
    const thread = `/api/v1/threads/${threadId}`
    const changing = ['/auth/sign-out', '/settings', '/api-keys', '/workspaces', '/auth/cookies/clear', '/network']
    const paths = [thread, '/', ...changing.map((path) => `/api/v1${path}`)]
    const before = await stateOfApp()
    const sent = new Map<string, number>()
    page.on('request', (request) => {
      if (request.frame() === site) sent.set(request.method(), (sent.get(request.method()) ?? 0) + 1)
    })
    const outcomes = await attack<Record<string, number>>('sendEverything', { origin: appOrigin(), paths })
    // Not even that there was a response: none says that another origin can see it.
    expect(Object.keys(outcomes)).toEqual(['TypeError'])
    const methods = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']
    await expect.poll(() => methods.filter((method) => (sent.get(method) ?? 0) < paths.length)).toEqual([])
    expect(await stateOfApp()).toEqual(before)
    expect(await isLoggedIn()).toBe(true)
  })

  test('by opening the app in a window, of which it gets no handle', async () => {
    const opening = page.context().waitForEvent('page')
    await attack('openApp', appOrigin())
    await site.getByRole('button', { name: 'Go' }).click()
    const opened = await opening
    await opened.locator('#message').waitFor()
    expect(await attack('openedApp')).toBe('null')
    expect(await opened.evaluate('window.opener')).toBeNull()
    await opened.close()
    expect(await isLoggedIn()).toBe(true)
  })

  test('by a passkey of the app: in its frame it can use none, in a tab none of the app’s host', async () => {
    const app = new URL(appOrigin()).hostname
    const base = app.split('.').slice(1).join('.')
    expect(await attack('usePasskeys', [app, base])).toEqual(Array(4).fill('NotAllowedError'))
    const tab = await page.context().newPage()
    await tab.goto((await openPreview(threadId)).url)
    await tab.getByRole('heading', { name: 'A site' }).waitFor()
    const devtools = await page.context().newCDPSession(tab)
    await devtools.send('WebAuthn.enable')
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: { protocol: 'ctap2', transport: 'internal', automaticPresenceSimulation: true },
    })
    expect(await attack('usePasskeys', [app], tab)).toEqual(['SecurityError', 'SecurityError'])
    // A passkey for all of the domain can be made, and the app has no use for it: its own would be for its host alone.
    await attack('usePasskeys', [base], tab)
    await tab.close()
    expect(await isLoggedIn()).toBe(true)
  })

  test('by navigating its tab elsewhere, even after a click', async () => {
    const before = page.url()
    expect(await attack('leadAway')).toBe('SecurityError')
    await attack('leadAwayByClick')
    await site.getByRole('button', { name: 'Go' }).click()
    expect(await attack('leadAway')).toBe('SecurityError')
    expect(page.url()).toBe(before)
  })

  test('by messages', async () => {
    await attack('sendMessages')
    expect(await isLoggedIn()).toBe(true)
    expect(page.url()).toContain(threadId)
  })

  test('by a cookie of the app’s name for the whole domain', async () => {
    const isApps = ({ name }: { name: string }) => /^threadbox-(?!preview)/.test(name)
    const name = (await page.context().cookies()).find(isApps)?.name ?? ''
    await attack('plantCookie', name)
    const planted = (await page.context().cookies()).filter(({ value }) => value === 'planted')
    expect(planted).toHaveLength(2)
    expect(await isLoggedIn()).toBe(true)
    for (const { domain, path: at } of planted) await page.context().clearCookies({ name, domain, path: at })
    expect(await isLoggedIn()).toBe(true)
  })

  test('by as many cookies as the browser keeps: the app works, and clears them without signing out', async () => {
    const isApps = ({ name }: { name: string }) => /^threadbox-(?!preview|device)/.test(name)
    const own = (await page.context().cookies()).find(isApps)
    await attack('plantManyCookies', own?.name)
    const planted = async () => (await page.context().cookies()).filter(({ value }) => value.startsWith('xxxx')).length
    await expect.poll(planted, { timeout: 10_000 }).toBeGreaterThan(100)
    await page.reload()
    const banner = page.locator('.banner').filter({ hasText: /have left \d+ cookies in your browser/ })
    await banner.waitFor()
    expect(await isLoggedIn()).toBe(true)
    await banner.getByRole('button', { name: 'Clear cookies' }).press('Enter')
    await banner.waitFor({ state: 'detached' })
    expect(await planted()).toBe(0)
    expect((await page.context().cookies()).find(isApps)).toMatchObject({ value: own?.value, httpOnly: true })
    expect(await isLoggedIn()).toBe(true)
    // The pass of the preview was cleared, too.
    await page.reload()
  })

  test('by a worker: it serves its own origin only', async () => {
    expect(await attack('registerWorkers', appOrigin())).toEqual(['by the worker', 'SecurityError'])
    const ours = await page.evaluate(async () => await (await fetch('/hijacked')).text())
    expect(ours).toMatch(/^<!doctype html>/i)
  })

  test('by its opener, in its own tab', async () => {
    const { url } = await openPreview(threadId)
    const opened = page.context().waitForEvent('page')
    await page.evaluate(`void window.open(${JSON.stringify(url)})`)
    const tab = await opened
    await tab.getByRole('heading', { name: 'A site' }).waitFor()
    expect(await tab.evaluate('window.opener')).toBeNull()
    await tab.close()
  })
})

test('O12: another site cannot show the page in a frame', async () => {
  const tab = await page.context().newPage()
  await tab.setContent(`<iframe src="${site.url()}" name="stolen"></iframe>`)
  await expect
    .poll(() =>
      tab
        .frames()
        .find((frame) => frame.name() === 'stolen')
        ?.url(),
    )
    .toMatch(/^chrome-error:/)
  await tab.close()
})

test('O4: a page that is opened before its service runs appears once it does', async () => {
  const tab = await page.context().newPage()
  await tab.goto((await openPreview(threadId, 9100)).url)
  expect(await tab.title()).toBe('Nothing is running here yet')
  const command = 'python3 -m http.server 9100 --bind 127.0.0.1'
  await stage.installation.client.services.start(threadId, { name: 'late', command, port: 9100, cwd: '/etc' })
  await tab.getByRole('link', { name: 'hostname' }).waitFor()
  await tab.close()
})
