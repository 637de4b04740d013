import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { holdSandboxSchema, type SandboxView } from '@threadbox/protocol/public'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { buildWebApp, messageField, startBrowser } from './app-in-browser.ts'
import { closePage } from './harness.ts'
import { pageInProfile } from './profiles.ts'
import { lossyReport, type SandboxStandIn, sandboxIn, startSandboxStandIn } from './sandbox-stand-in.ts'

const hour = 3_600_000
const cleanup = new AsyncDisposableStack()
let server: SandboxStandIn
let browser: Browser
beforeAll(async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'threadbox-panel-'))
  cleanup.defer(() => rm(directory, { recursive: true, force: true }))
  await buildWebApp(directory)
  server = cleanup.use(await startSandboxStandIn(directory))
  browser = cleanup.use(await startBrowser(server)).browser
})
afterAll(() => cleanup.disposeAsync())
beforeEach(() => server.clear())

async function open(options: { width?: number; locale?: string } = {}): Promise<Page & AsyncDisposable> {
  const { width = 1440, locale = 'en-US' } = options
  const settings = { locale, viewport: { width, height: 900 }, hasTouch: width < 900 }
  const page = await pageInProfile(browser, { origin: server.origin, settings })
  page.setDefaultTimeout(10_000)
  await page.goto(`${server.origin}/threads/t`)
  await page.locator('#message').waitFor()
  // The conversation is loaded, so later events are new.
  await page.getByRole('log').locator('.r, h2').first().waitFor()
  return Object.assign(page, { [Symbol.asyncDispose]: () => closePage(page) })
}
const chip = (page: Page) => page.locator('.topbar .chip')
const pane = (page: Page) => page.getByRole('complementary', { name: 'Sandbox' })
const sheet = (page: Page) => page.getByRole('dialog', { name: 'Sandbox' })
const row = (page: Page) =>
  page.getByRole('complementary', { name: 'Threads' }).getByRole('link', { name: 'One thread' })
async function openPane(page: Page) {
  await chip(page).click()
  await pane(page).getByRole('heading', { name: 'Sandbox' }).waitFor()
  return pane(page)
}
const paths = () => server.orders.map((order) => order.path)
const awake = (values: Partial<NonNullable<SandboxView['awake']>>): SandboxView =>
  sandboxIn('active', { awake: { reasons: [], pauseAt: null, heldUntil: null, latestPauseAt: null, ...values } })

describe('the state of a sandbox', () => {
  test('C3, C4: chip, sidebar and panel say the same after each change, in a second tab too', async () => {
    await using first = await open()
    await using second = await open()
    await openPane(first)
    await openPane(second)
    const cases: [SandboxView, word: string, detail: RegExp][] = [
      [awake({ reasons: [{ reason: 'turn', detail: '' }] }), 'Active', /agent working/],
      [awake({ reasons: [{ reason: 'cpu', detail: 'python3 training.py' }] }), 'Active', /training\.py running/],
      [awake({ pauseAt: Date.now() + hour }), 'Active', /pauses at .*\d\d:\d\d/],
      [sandboxIn('pausing'), 'Pausing', /about 1 s/],
      [sandboxIn('paused'), 'Paused', /2 h/],
      [
        sandboxIn('paused', { waiting: { position: 1, places: 12 } }),
        'Waiting',
        /memory is full with 12 sandboxes awake/,
      ],
      [sandboxIn('waking'), 'Waking', /from memory/],
      [sandboxIn('cold', { since: Date.now() - 9.5 * 24 * hour }), 'Cold', /9 d/],
      [sandboxIn('error', { detail: { code: 'sandbox.disk-full', params: {} } }), 'Error', /disk full/],
      [sandboxIn('fresh'), 'Fresh', /starts with your first command/],
    ]
    let slowest = 0
    for (const [sandbox, word, detail] of cases) {
      const since = performance.now()
      server.setSandbox(sandbox)
      for (const page of [first, second]) {
        const within = { timeout: 15_000 }
        await chip(page).getByRole('status').getByText(word, { exact: true }).waitFor(within)
        await chip(page).getByText(detail).waitFor(within)
        await pane(page).getByRole('region', { name: word, exact: true }).waitFor(within)
        await row(page)
          .getByText(`sandbox ${word}`)
          .waitFor({ ...within, state: 'attached' })
      }
      slowest = Math.max(slowest, performance.now() - since)
    }
    console.log(`shown everywhere at most ${Math.round(slowest)} ms after a change`)
  })

  test('the next change is shown with its time, and never a time that has passed', async () => {
    const page = await open()
    await using _page = page
    const opened = await openPane(page)
    const until = Date.now() + 2 * hour
    server.setSandbox(sandboxIn('paused', { asleep: { memory: 'frozen', memoryUntil: until, removedAt: null } }))
    await opened.getByText(/Memory is kept until at least .*\d\d:\d\d\./).waitFor()
    server.setSandbox(sandboxIn('paused', { asleep: { memory: 'saved', memoryUntil: 1, removedAt: null } }))
    await opened.getByText('Memory is kept while there’s disk space.').waitFor()
    server.setSandbox(sandboxIn('cold', { asleep: { memory: 'none', memoryUntil: null, removedAt: until } }))
    await opened.getByText('Files are kept; memory is gone.').waitFor()
    await opened.getByText(/Its files are deleted at/).waitFor()
  })
})

describe('the panel', () => {
  test('⌥4 opens it with the focus on its heading, and returns the focus', async () => {
    await using page = await open()
    await messageField(page).focus()
    await page.keyboard.press('Alt+4')
    await expect.poll(() => page.locator(':focus').textContent()).toBe('Sandbox')
    expect(await messageField(page).inputValue()).toBe('')
    await page.keyboard.press('Alt+4')
    await pane(page).waitFor({ state: 'detached' })
    await expect.poll(() => page.locator(':focus').getAttribute('id')).toBe('message')
  })

  test('is a sheet over the whole page on a phone: the page below is inert, Esc closes it', async () => {
    await using page = await open({ width: 390 })
    await chip(page).click()
    await sheet(page).waitFor()
    expect(await messageField(page).evaluate((field) => field.closest('[inert]') !== null)).toBe(true)
    expect(await page.locator('html').evaluate((element) => element.scrollWidth)).toBeLessThanOrEqual(390)
    await page.keyboard.press('Escape')
    await sheet(page).waitFor({ state: 'detached' })
    await expect.poll(() => page.locator(':focus').getAttribute('class')).toContain('chip')
  })

  test('stays open through a reload, with its width', async () => {
    await using page = await open()
    await openPane(page)
    const width = () => pane(page).evaluate((element) => element.clientWidth)
    const before = await width()
    await page.getByRole('separator', { name: 'Resize sandbox panel' }).focus()
    await page.keyboard.press('ArrowRight')
    await expect.poll(width).toBe(before - 16)
    await page.reload()
    await pane(page).waitFor()
    expect(await width()).toBe(before - 16)
  })

  test('says that it could not be read, and shows the last known values', async () => {
    await using page = await open()
    server.failDetail({ status: 500, code: 'internal.unexpected' })
    const opened = await openPane(page)
    await opened.getByText('Couldn’t load the sandbox.').waitFor()
    server.failDetail(null)
    await opened.getByRole('button', { name: 'Try again' }).click()
    await opened.getByText('python3 training.py').waitFor()
    server.failDetail({ status: 500, code: 'internal.unexpected' })
    server.setSandbox(awake({ pauseAt: Date.now() + hour }))
    await opened.getByText(/The sandbox isn’t responding\. Last response \d\d:\d\d/).waitFor()
    await opened.getByText('python3 training.py').waitFor()
  })

  test('an empty sandbox says so instead of showing nothing', async () => {
    server.setDetail({ processes: [], ports: [], usage: null, log: [] })
    await using page = await open()
    const opened = await openPane(page)
    await opened.getByText('Nothing is running.').waitFor()
    await opened.getByText('No open ports.').waitFor()
    await opened.getByText('No activity yet.').waitFor()
  })

  test('C4: pause now is unavailable during a turn, and a refusal is shown next to the button', async () => {
    server.setThread({ isTurnRunning: true })
    await using page = await open()
    const opened = await openPane(page)
    const pause = opened.getByRole('button', { name: 'Pause now' })
    await pause.click({ force: true })
    expect(await pause.getAttribute('aria-disabled')).toBe('true')
    server.setThread({ isTurnRunning: false })
    await expect.poll(() => pause.getAttribute('aria-disabled')).toBeNull()
    server.refuseOrders('sandbox.turn-running')
    await pause.click()
    await opened.getByRole('alert').getByText('sandbox.turn-running', { exact: true }).waitFor()
    expect(paths().filter((path) => path.endsWith('/pause'))).toHaveLength(1)
  })

  test('keep awake always has an end, chosen or typed, at most seven days ahead', async () => {
    await using page = await open()
    const opened = await openPane(page)
    await opened.getByRole('button', { name: 'Keep awake' }).click()
    await page.getByRole('menuitem', { name: /^4 hours/ }).click()
    await expect.poll(() => server.orders.at(-1)?.path).toBe('POST /threads/t/sandbox/hold')
    const { until } = holdSandboxSchema.parse(server.orders.at(-1)?.body)
    expect(Math.abs((until ?? 0) - Date.now() - 4 * hour)).toBeLessThan(60_000)

    await opened.getByRole('button', { name: 'Keep awake' }).click()
    await page.getByRole('menuitem', { name: 'Until…' }).click()
    await page.getByLabel('Date and time').fill('2020-01-01T10:00')
    await page.getByRole('dialog').getByRole('button', { name: 'Keep awake' }).click()
    await page.getByRole('alert').getByText('Choose a time in the future.').waitFor()

    await page.keyboard.press('Escape')
    const heldUntil = Date.now() + hour
    server.setSandbox(awake({ reasons: [{ reason: 'hold', detail: '' }], heldUntil }))
    await opened.getByRole('button', { name: /^Awake until/ }).click()
    await page.getByRole('menuitem', { name: 'Stop keeping awake' }).click()
    await expect.poll(() => server.orders.at(-1)?.body).toEqual({ until: null })
  })

  test('restart says what will be lost before it does anything', async () => {
    await using page = await open()
    const opened = await openPane(page)
    await opened.getByText('python3 training.py').waitFor()
    const ask = async () => {
      await opened.getByRole('button', { name: 'More actions for the sandbox' }).click()
      await page.getByRole('menuitem', { name: 'Restart…' }).click()
      await page
        .getByRole('dialog')
        .getByText(/Everything in memory is lost.*This stops training\.py\./)
        .waitFor()
    }
    await ask()
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect(paths()).toEqual([])
    await ask()
    await page.getByRole('dialog').getByRole('button', { name: 'Restart', exact: true }).click()
    await expect.poll(paths).toEqual(['POST /threads/t/sandbox/restart'])
  })

  test('G7 C12: limits are checked while they are typed, only changed ones are sent, and one is reset to its inherited value', async () => {
    await using page = await open()
    const opened = await openPane(page)
    const limits = opened.getByRole('region', { name: 'Limits' })
    await limits.getByLabel('Disk').fill('1 GiB')
    await limits.getByText('3 GiB is already in use.').waitFor()
    await limits.getByLabel('Memory').fill('a lot')
    await limits.getByText('Not a valid value. Example: 4 GiB').waitFor()
    await limits.getByRole('button', { name: 'Undo' }).click()
    await limits.getByLabel('Memory').fill('8 GiB')
    await limits.getByRole('button', { name: 'Save' }).click()
    await expect
      .poll(() => server.orders)
      .toEqual([{ path: 'PATCH /threads/t/sandbox', body: { limits: { memoryBytes: 8 * 1024 ** 3 } } }])
    server.setDetail({ ownLimits: ['memoryBytes'], workspaceLimits: ['cpus'] })
    await page.reload()
    await limits.getByText('from workspace').waitFor()
    expect(await limits.getByRole('button', { name: /^Use the inherited value/ }).count()).toBe(1)
    await limits.getByRole('button', { name: 'Use the inherited value for Memory' }).click()
    await expect.poll(() => server.orders.at(-1)?.body).toEqual({ limits: { memoryBytes: null } })
  })

  test('each value of the policy says where it comes from, and is reset to the installation’s', async () => {
    server.setDetail({ ownPolicy: ['hotHours'] })
    await using page = await open()
    const opened = await openPane(page)
    const policy = opened.getByRole('region', { name: 'Pausing and retention' })
    await policy.getByText('this thread').waitFor()
    expect(await policy.getByText('from installation', { exact: true }).count()).toBe(5)
    await policy.getByRole('button', { name: 'Use the inherited value for Keep saved memory for at least' }).click()
    await expect.poll(() => server.orders.at(-1)?.body).toEqual({ policy: { hotHours: null } })
    await policy.getByLabel('Pause after being idle for').fill('5')
    await page.keyboard.press('Enter')
    await expect.poll(() => server.orders.at(-1)?.body).toEqual({ policy: { idlePauseMinutes: 5 } })
    await policy.getByLabel('Maximum time awake').fill('0')
    await policy.getByText('Enter a value from 0.1 to 8760.').waitFor()
  })
})

describe('the composer of a sleeping thread', () => {
  test('O3: typing wakes a paused sandbox once; opening it and an existing draft do not', async () => {
    server.setSandbox(sandboxIn('paused'))
    await using page = await open()
    await page.getByText('Sending wakes the sandbox.').waitFor()
    await messageField(page).pressSequentially('hello there', { delay: 30 })
    await expect.poll(paths).toEqual(['POST /threads/t/sandbox/wake'])
    await messageField(page).pressSequentially(' and more', { delay: 30 })
    await page.reload()
    await messageField(page).waitFor()
    await expect.poll(() => messageField(page).inputValue()).toBe('hello there and more')
    // Longer than the pause in typing that triggers a request.
    await page.waitForTimeout(500)
    expect(paths()).toEqual(['POST /threads/t/sandbox/wake'])
  })

  test('accepts messages while the sandbox wakes and says that they are queued', async () => {
    server.setSandbox(sandboxIn('waking'))
    await using page = await open()
    await page.getByText('The sandbox is waking. Messages you send are queued.').waitFor()
    await messageField(page).fill('go on')
    await messageField(page).press('Enter')
    await expect.poll(paths).toEqual(['POST /threads/t/messages'])
  })
})

describe('the wake line', () => {
  const wake = (status: 'checking' | 'complete') => {
    const report = lossyReport(status)
    return { id: 'w', turnId: '', at: report.wokenAt, kind: 'wake' as const, report }
  }

  test('C6, G10: grows from “checking” to the exact list, lost items first, each with its reason', async () => {
    await using page = await open()
    server.putEntry(wake('checking'))
    await page.getByRole('button', { name: /Started from disk in 0\.6 s.*checking what survived/ }).waitFor()
    server.putEntry(wake('complete'))
    const line = page.getByRole('button', { name: /Started from disk in 0\.6 s.*1 variable restored, 2 lost/ })
    await line.waitFor()
    const card = page.getByRole('region', { name: 'What survived' })
    await card.getByText('the saved memory was discarded.').waitFor()
    const names = await card.locator('li b').allInnerTexts()
    expect(names).toEqual(['python train.py', 'conn', '1 variable', '900 files'])
    await card.getByText('A connection cannot be written down.').waitFor()
    await card.getByRole('button', { name: '900 files' }).click()
    await card.getByText('and 899 more, not listed').waitFor()
    await card.getByRole('button', { name: 'Restart: python train.py' }).click()
    await expect.poll(paths).toEqual(['POST /threads/t/sandbox/rescued/p1/start'])
    await card.getByText('Restarted', { exact: true }).waitFor()
    await line.click()
    await card.waitFor({ state: 'detached' })
  })

  test('an earlier report is opened from the log and returns the focus', async () => {
    const entry = { id: 'l2', at: Date.now(), code: 'woken.disk', params: { durationMs: 620 }, reportId: 'r1' }
    server.setDetail({ log: [entry] })
    await using page = await open()
    const opened = await openPane(page)
    await opened.getByRole('button', { name: 'Report', exact: true }).click()
    await page.getByRole('dialog').getByText('A connection cannot be written down.').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.locator(':focus').textContent()).toBe('Report')
  })

  test('is announced once, politely, when it is complete', async () => {
    await using page = await open()
    server.putEntry(wake('complete'))
    const heard = page.locator('[aria-live=polite]').getByText(/^Started from disk in 0\.6 s: .*2 lost\.$/)
    await heard.waitFor({ state: 'attached' })
    expect(await heard.count()).toBe(1)
    await page.reload()
    await page.getByRole('button', { name: /Started from disk/ }).waitFor()
    expect(await heard.count()).toBe(0)
  })
})

test('everything about the sandbox is available in German, and fits a phone', async () => {
  server.putEntry({
    id: 'n',
    turnId: '',
    at: Date.now(),
    kind: 'notice',
    code: 'disk-nearly-full',
    params: { usedBytes: 9e9, limitBytes: 10e9, folders: JSON.stringify([{ path: '/home/user/daten', bytes: 5e9 }]) },
  })
  server.setSandbox(sandboxIn('paused', { detail: { code: 'paused.idle', params: { minutes: 30 } } }))
  await using page = await open({ width: 390, locale: 'de-DE' })
  await page.getByText('Platte fast voll', { exact: false }).first().waitFor()
  await page.getByText('/home/user/daten').waitFor()
  await page.getByRole('button', { name: 'Grenze erhöhen' }).click()
  await sheet(page).getByText('30 min lang untätig').waitFor()
  await expect.poll(() => page.locator(':focus').getAttribute('value')).toBe('4 GiB')
  expect(await page.locator('html').evaluate((element) => element.scrollWidth)).toBeLessThanOrEqual(390)
})
