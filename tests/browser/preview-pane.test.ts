import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Entry, Service, ServicesView } from '@threadbox/protocol/public'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { buildWebApp, messageField, startBrowser } from './app-in-browser.ts'
import { closePage } from './harness.ts'
import { pageInProfile } from './profiles.ts'
import { type SandboxStandIn, startSandboxStandIn } from './sandbox-stand-in.ts'
import { type ServicesStandIn, serviceIn, startServicesStandIn } from './services-stand-in.ts'

const cleanup = new AsyncDisposableStack()
let server: SandboxStandIn
let services: ServicesStandIn
let browser: Browser
beforeAll(async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'threadbox-preview-'))
  cleanup.defer(() => rm(directory, { recursive: true, force: true }))
  await buildWebApp(directory)
  services = cleanup.use(await startServicesStandIn())
  server = cleanup.use(await startSandboxStandIn(directory, services.routes))
  browser = cleanup.use(await startBrowser(server, services)).browser
})
afterAll(() => cleanup.disposeAsync())
beforeEach(() => {
  server.clear()
  services.clear()
})

type Options = { width?: number; locale?: string; at?: string; in?: BrowserContext }
async function open(options: Options = {}): Promise<Page & AsyncDisposable> {
  const { width = 1440, locale = 'en-US', at = '/threads/t' } = options
  const origin = `http://app.stand-in.localhost:${server.port}`
  const settings = { locale, viewport: { width, height: 900 }, hasTouch: width < 900 }
  const page = await (options.in?.newPage() ?? pageInProfile(browser, { origin, settings }))
  page.setDefaultTimeout(30_000)
  await page.goto(`${origin}${at}`)
  await page.locator('#message').waitFor()
  await page.getByRole('log').locator('.r, h2').first().waitFor()
  return Object.assign(page, { [Symbol.asyncDispose]: () => closePage(page) })
}
/** Sends the event that the server sends when the services of a thread change. */
function tell(list: Service[], openPorts: ServicesView['openPorts'] = []): void {
  server.emitUserEvent({
    type: 'services-updated',
    threadId: 't',
    services: services.set('t', { services: list, openPorts }),
  })
}
/** The call that started a service. */
function startedBy(service: Service): Entry {
  const { name, port, command } = service
  return {
    id: 'c',
    turnId: '',
    at: Date.now(),
    kind: 'tool-call',
    stepId: null,
    tool: 'start_service',
    input: { name, port, command },
    status: 'succeeded',
    startedAt: 1,
    endedAt: 2,
    output: { tail: '', tailOffset: 0, sizeBytes: 0 },
    result: { kind: 'service', service },
    error: null,
  }
}
const pane = (page: Page) => page.getByRole('complementary', { name: 'Preview' })
const toggle = (page: Page) => page.getByRole('group', { name: 'Panes' }).getByRole('button', { name: 'Preview' })
const frame = (page: Page) => page.frameLocator('.frame iframe')
const heading = (page: Page, text: string) => frame(page).getByRole('heading', { name: text, exact: true })
const pill = (page: Page, word: string) => pane(page).getByRole('status').getByText(word, { exact: true })
const button = (page: Page, name: string) => pane(page).getByRole('button', { name, exact: true })
const ordered = () => server.orders.map((order) => order.path).filter((order) => !order.endsWith('/previews'))

describe('opening', () => {
  test('O4: opens automatically when a service starts, leaves the focus where it is, and shows the live page', async () => {
    await using page = await open()
    await messageField(page).focus()
    tell([serviceIn('starting')])
    await pill(page, 'starting').waitFor()
    await pane(page).getByText('Starting on port 8501').waitFor()
    expect(await toggle(page).getAttribute('aria-pressed')).toBe('true')
    await expect.poll(() => page.locator(':focus').getAttribute('id')).toBe('message')
    tell([serviceIn('running')])
    await heading(page, '/').waitFor()
    await pill(page, 'running').waitFor()
    expect(services.shown).toEqual(['8501 /'])
  })

  test('O4: opens once per start, and not again for a service whose preview the person closed', async () => {
    await using page = await open()
    tell([serviceIn('starting')])
    await pane(page).waitFor()
    await button(page, 'Close preview').click()
    await pane(page).waitFor({ state: 'detached' })
    server.putEntry(startedBy(serviceIn('running')))
    const card = page.getByRole('log').getByRole('region', { name: 'Service dashboard' })
    for (const status of ['running', 'stopped', 'starting', 'error', 'starting'] as const) {
      tell([serviceIn(status)])
      await card.getByText(status, { exact: true }).waitFor()
      expect(await pane(page).count()).toBe(0)
    }
    tell([serviceIn('running'), serviceIn('starting', { name: 'api', port: 8000 })])
    await pane(page).getByRole('tab', { name: /^api/, selected: true }).waitFor()
  })

  test('⌥1 opens it with the focus on the tab in front, arrows choose, ⌥1 returns the focus', async () => {
    services.set('t', { services: [serviceIn('running'), serviceIn('stopped', { name: 'api', port: 8000 })] })
    await using page = await open()
    await page.keyboard.press('Alt+1')
    await pane(page)
      .getByRole('tab', { name: /^dashboard/ })
      .waitFor()
    await messageField(page).focus()
    await page.keyboard.press('Alt+1')
    await pane(page).waitFor({ state: 'detached' })
    await messageField(page).focus()
    await page.keyboard.press('Alt+1')
    await expect.poll(() => page.locator(':focus').textContent()).toMatch(/^dashboard/)
    await page.keyboard.press('ArrowRight')
    await pane(page).getByRole('tab', { name: /^api/, selected: true }).waitFor()
    await pane(page).getByText('api stopped').waitFor()
    await page.keyboard.press('Alt+1')
    await expect.poll(() => page.locator(':focus').getAttribute('id')).toBe('message')
    expect(await messageField(page).inputValue()).toBe('')
  })

  test('says what to do without a service, and offers open ports', async () => {
    await using page = await open()
    await toggle(page).click()
    await pane(page).getByText('Type /serve or ask the agent.').waitFor()
    tell([], [{ port: 5173, command: 'npx vite', cwd: null }])
    await pane(page).getByText('Port 5173 is open').waitFor()
    await button(page, 'Show port 5173').click()
    await heading(page, '/').waitFor()
    expect(services.shown).toEqual(['5173 /'])
    await expect.poll(() => button(page, 'Restart service').count()).toBe(0)
    tell([], [])
    await pane(page).getByText('Port 5173 isn’t open').waitFor()
  })
})

describe('what it remembers', () => {
  test('O6: pane, service, path and width survive a reload, another thread and a second tab', async () => {
    services.set('t', { services: [serviceIn('running', { name: 'api', port: 8000 }), serviceIn('running')] })
    await using page = await open()
    await toggle(page).click()
    await pane(page)
      .getByRole('tab', { name: /^dashboard/ })
      .click()
    await pane(page).getByRole('textbox', { name: 'Page path' }).fill('forecast?day=1')
    await page.keyboard.press('Enter')
    await heading(page, '/forecast').waitFor()
    await button(page, 'Phone, 390 px').click()
    await frame(page).getByText('390 px').waitFor()
    const width = () => pane(page).evaluate((element) => element.offsetWidth)
    const before = await width()
    await page.getByRole('separator', { name: 'Resize preview pane' }).focus()
    await page.keyboard.press('ArrowLeft')
    await expect.poll(width).toBe(before + 16)
    const same = async (shown: Page) => {
      await pane(shown)
        .getByRole('tab', { name: /^dashboard/, selected: true })
        .waitFor()
      await heading(shown, '/forecast').waitFor()
      await frame(shown).getByText('390 px').waitFor()
      await expect.poll(() => pane(shown).evaluate((element) => element.offsetWidth)).toBe(before + 16)
    }
    await page.reload()
    await same(page)
    await page.goto(`http://app.stand-in.localhost:${server.port}/threads/new`)
    await pane(page).waitFor({ state: 'detached' })
    await page.goBack()
    await same(page)
    const second = await open({ in: page.context() })
    await same(second)
  })

  test('O6: pinned, the same page stays open in other threads and pages; unpinned, it stays in its thread', async () => {
    services.set('t', { services: [serviceIn('running')] })
    await using page = await open()
    await toggle(page).click()
    await frame(page).getByLabel('Word').fill('typed before')
    await button(page, 'Keep open in other threads').click()
    await page.getByRole('link', { name: 'New thread' }).click()
    await page.waitForURL('**/threads/new')
    expect(await frame(page).getByLabel('Word').inputValue()).toBe('typed before')
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.waitForURL('**/settings/**')
    expect(await frame(page).getByLabel('Word').inputValue()).toBe('typed before')
    await page.reload()
    await heading(page, '/').waitFor()
    await button(page, 'Keep open only here').click()
    await pane(page).waitFor({ state: 'detached' })
  })
})

test('O6: the card of a service shows its current state, and View in pane brings it to the front', async () => {
  const dashboard = serviceIn('running')
  services.set('t', { services: [serviceIn('running', { name: 'api', port: 8000 }), dashboard] })
  await using page = await open()
  server.putEntry(startedBy(dashboard))
  const card = page.getByRole('log').getByRole('region', { name: 'Service dashboard' })
  await card.getByText('running', { exact: true }).waitFor()
  await card.getByRole('button', { name: 'View in pane' }).click()
  await pane(page)
    .getByRole('tab', { name: /^dashboard/, selected: true })
    .waitFor()
  await expect.poll(() => page.locator(':focus').getAttribute('role')).toBe('tab')
  await button(page, 'Close preview').click()
  await expect.poll(() => page.locator(':focus').textContent()).toBe('View in pane')
  const problem = { code: 'exited' as const, exitCode: 1, message: '', lastLines: 'one\nKeyError: two\n' }
  tell([serviceIn('error', { problem })])
  await card.getByText('KeyError: two').waitFor()
  await card.getByRole('button', { name: 'Restart service' }).click()
  await expect.poll(ordered).toEqual(['POST /threads/t/services/dashboard/restart'])
  tell([])
  await card.getByText('stopped', { exact: true }).waitFor()
  expect(await card.getByRole('button').count()).toBe(0)
})

describe('the page', () => {
  test('O8: Reload page and Restart service differ, and the previous page stays until the new one is ready', async () => {
    services.set('t', { services: [serviceIn('running')] })
    await using page = await open()
    await toggle(page).click()
    await frame(page).getByText('view 1').waitFor()
    const release = services.holdPages()
    await button(page, 'Reload page').click()
    await pane(page).getByRole('progressbar').waitFor()
    await frame(page).getByText('view 1').waitFor()
    release()
    await frame(page).getByText('view 2').waitFor()
    await pane(page).getByRole('progressbar').waitFor({ state: 'detached' })
    expect(ordered()).toEqual([])

    await button(page, 'Restart service').click()
    await expect.poll(ordered).toEqual(['POST /threads/t/services/dashboard/restart'])
    tell([serviceIn('starting')])
    await pill(page, 'starting').waitFor()
    await frame(page).getByText('view 2').waitFor()
    tell([serviceIn('running')])
    await frame(page).getByText('view 3').waitFor()
  })

  test('O7: suspended offers Wake first; the open page continues, and no request reaches the sleeping sandbox', async () => {
    services.set('t', { services: [serviceIn('running')] })
    await using page = await open()
    await toggle(page).click()
    await frame(page).getByLabel('Word').fill('kept')
    tell([serviceIn('suspended')])
    const cover = pane(page).getByRole('region', { name: 'Suspended' })
    await cover.waitFor()
    expect(await cover.getByRole('button').allInnerTexts()).toEqual(['Wake', 'Restart service'])
    await pill(page, 'suspended').waitFor()
    expect(await page.locator('.frame-scroll').getAttribute('inert')).not.toBeNull()
    expect(await button(page, 'Reload page').getAttribute('aria-disabled')).toBe('true')
    await cover.getByRole('button', { name: 'Wake' }).click()
    await expect.poll(ordered).toEqual(['POST /threads/t/sandbox/wake'])
    tell([serviceIn('running')])
    await cover.waitFor({ state: 'detached' })
    expect(await frame(page).getByLabel('Word').inputValue()).toBe('kept')
    expect(services.shown).toEqual(['8501 /'])

    tell([serviceIn('suspended')])
    await cover.waitFor()
    await page.reload()
    await cover.waitFor()
    await cover.getByRole('button', { name: 'Restart service' }).click()
    await expect.poll(() => ordered().at(-1)).toBe('POST /threads/t/services/dashboard/restart')
    expect(server.orders.filter(({ path }) => path.endsWith('/previews'))).toHaveLength(1)
  })

  test('O7: an ended service says how it ended, with its last lines, Restart service and Add to message', async () => {
    const lastLines = "Traceback (most recent call last):\nKeyError: 'wind_speed'\n"
    const problem = { code: 'exited' as const, exitCode: 3, message: 'It ended.', lastLines }
    services.set('t', { services: [serviceIn('error', { problem })] })
    await using page = await open()
    await messageField(page).fill('Look at this.')
    await toggle(page).click()
    await pill(page, 'error').waitFor()
    const cover = pane(page).getByRole('region', { name: 'dashboard failed' })
    await cover.getByText('The process exited with code 3.').waitFor()
    await cover.getByText("KeyError: 'wind_speed'").waitFor()
    await cover.getByRole('button', { name: 'Add to message' }).click()
    const sent = `Look at this.\n\nOutput of the service “dashboard” on port 8501:\n\`\`\`\n${lastLines.trim()}\n\`\`\`\n`
    expect(await messageField(page).inputValue()).toBe(sent)
    expect(services.shown).toEqual([])
    await cover.getByRole('button', { name: 'Restart service' }).click()
    await expect.poll(ordered).toEqual(['POST /threads/t/services/dashboard/restart'])
    tell([serviceIn('stopped')])
    await pane(page).getByRole('region', { name: 'dashboard stopped' }).waitFor()
  })

  test('O12: keeps its cookies, sends forms and opens tabs, and cannot affect the app', async () => {
    services.set('t', { services: [serviceIn('running')] })
    await using page = await open()
    await toggle(page).click()
    await frame(page).getByLabel('Word').fill('x')
    await frame(page).getByRole('button', { name: 'Submit' }).click()
    await heading(page, '/sent').waitFor()
    await button(page, 'Reload page').hover()
    await page.getByRole('tooltip', { name: /^Reload page\. Goes back to \/,/ }).waitFor()
    const [popup] = await Promise.all([
      page.context().waitForEvent('page'),
      frame(page).getByRole('link', { name: 'Popup' }).click(),
    ])
    await popup.getByRole('heading', { name: '/popup' }).waitFor()
    await popup.close()
    await pane(page).getByRole('textbox', { name: 'Page path' }).fill('/hostile')
    await page.keyboard.press('Enter')
    await frame(page).getByText('document refused; storage refused;').waitFor()
    await frame(page).getByText('top refused;').waitFor()
    expect(new URL(page.url()).pathname).toBe('/threads/t')
  })

  test('O4: opens in a new tab at its own address', async () => {
    services.set('t', { services: [serviceIn('running')] })
    await using page = await open()
    await toggle(page).click()
    await heading(page, '/').waitFor()
    const [tab] = await Promise.all([page.context().waitForEvent('page'), button(page, 'Open in new tab').click()])
    await tab.getByRole('heading', { name: '/', exact: true }).waitFor()
    expect(await tab.evaluate('window.opener === null')).toBe(true)
    expect(services.shown).toHaveLength(2)
  })

  test('says why previews cannot be shown here, and what to do', async () => {
    services.set('t', { services: [serviceIn('running')] })
    services.setUnavailable({ code: 'preview.test', message: 'No names here.', remedy: 'Use another address.' })
    await using page = await open()
    await toggle(page).click()
    const cover = pane(page).getByRole('region', { name: 'No names here.' })
    await cover.getByText('Use another address.').waitFor()
    services.setUnavailable(null)
    await cover.getByRole('button', { name: 'Try again' }).click()
    await heading(page, '/').waitFor()
  })

  test('O4: finds out automatically why a page never loads, and says so instead of showing an empty frame', async () => {
    services.set('t', { services: [serviceIn('running')] })
    services.loseNames(true)
    await using page = await open()
    await toggle(page).click()
    const cover = pane(page).getByRole('region', { name: 'What is wrong: unreachable.' })
    await cover.getByText('The cure.').waitFor()
    services.loseNames(false)
    await cover.getByRole('button', { name: 'Try again' }).click()
    await heading(page, '/').waitFor()
    await cover.waitFor({ state: 'detached' })
  })
})

test('the log is live: its last line and errors while closed, its end while open, a part of it in the message', async () => {
  services.set('t', { services: [serviceIn('running')] })
  services.setLog('Listening on 8501\nKeyError: one\n')
  await using page = await open()
  await toggle(page).click()
  const logs = pane(page).getByRole('region', { name: 'Logs' })
  await logs.getByText('KeyError: one').waitFor()
  await logs.getByText('1 error', { exact: true }).waitFor()
  await logs.getByRole('button', { name: 'Open logs' }).click()
  await logs.getByText('Listening on 8501').waitFor()
  services.setLog('Listening on 8501\nKeyError: one\nGET /forecast 200\n')
  await logs.getByText('GET /forecast 200').waitFor()
  await logs.getByRole('button', { name: 'Add to message' }).click()
  expect(await messageField(page).inputValue()).toContain(
    '```\nListening on 8501\nKeyError: one\nGET /forecast 200\n```',
  )
})

test('on a phone it is a sheet that only the person opens, with one field for the services, in German', async () => {
  const list = [serviceIn('running'), serviceIn('error', { name: 'api', port: 8000 })]
  await using page = await open({ width: 390, locale: 'de-DE' })
  tell([serviceIn('starting')])
  tell(list)
  await page.getByRole('button', { name: 'Vorschau', exact: true }).click()
  const sheet = page.getByRole('dialog', { name: 'Vorschau' })
  await sheet.getByRole('combobox', { name: 'Dienste' }).click()
  await page.getByRole('option', { name: 'api :8000' }).click()
  await sheet.getByText('api ist ausgefallen').waitFor()
  expect(await messageField(page).count()).toBe(0)
  expect(await page.locator('html').evaluate((element) => element.scrollWidth)).toBeLessThanOrEqual(390)
  for (const target of await sheet.getByRole('button').all()) {
    const box = await target.boundingBox()
    expect(Math.min(box?.width ?? 0, box?.height ?? 0), await target.innerHTML()).toBeGreaterThanOrEqual(40)
  }
  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'detached' })
  await page.reload()
  await page.locator('#message').waitFor()
  expect(await sheet.count()).toBe(0)
})
