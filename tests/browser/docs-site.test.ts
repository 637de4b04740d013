import { globSync } from 'node:fs'
import { appendFile, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildSite, runAstro } from '../../docs-site/tools/build-site.ts'
import { buildWebApp, startBrowser } from './app-in-browser.ts'
import { startServerWithoutHost } from './app-without-host.ts'
import type { themes } from './screens/screen-stage.ts'
import { type FindViolations, makeFindViolations } from './screens/violations.ts'

/** The documentation as the server serves it: a reader needs no account, no JavaScript and no other host. */
const cleanup = new AsyncDisposableStack()
let browser: Browser
let origin: string
let findViolations: FindViolations

beforeAll(async () => {
  const directory = await mkdtemp(join(tmpdir(), 'threadbox-docs-'))
  cleanup.defer(() => rm(directory, { recursive: true, force: true }))
  const webDirectory = join(directory, 'web')
  await buildWebApp(webDirectory)
  await buildSite(join(webDirectory, 'docs'))
  const environment = { THREADBOX_WEB_DIRECTORY: webDirectory }
  const { server } = cleanup.use(await startServerWithoutHost({ environment }))
  origin = server.origin
  browser = cleanup.use(await startBrowser(server)).browser
  findViolations = await makeFindViolations()
})
afterAll(() => cleanup.disposeAsync())

type Visit = { page: Page; asked: string[]; printed: string[] }

/** A page of the site, with its requests and the browser’s complaints, such as what the policy blocked. */
async function visit(
  path: string,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Visit & AsyncDisposable> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  const page = await context.newPage()
  const [asked, printed]: [string[], string[]] = [[], []]
  page.on('request', (request) => asked.push(request.url()))
  page.on('console', (message) => printed.push(message.text()))
  page.on('pageerror', (error) => printed.push(error.message))
  await page.goto(`${origin}/docs/${path}`)
  return { page, asked, printed, [Symbol.asyncDispose]: () => context.close() }
}

const languages = [
  { language: 'en', folder: '', word: 'snapshot', results: 'results for' },
  { language: 'de', folder: 'de/', word: 'Zurückspulen', results: 'Ergebnisse für' },
  { language: 'it', folder: 'it/', word: 'memoria', results: 'risultati per' },
  { language: 'ja', folder: 'ja/', word: 'メモリ', results: '検索結果' },
]

/** Pages that take axe seconds; a phone shows nothing on them that it doesn’t show on the others. */
const long = ['build/api/', 'operate/errors/']

test.each(['', 'start/', 'sandbox/', 'de/persistence/', 'it/agents/', 'ja/limits/', ...long])(
  'axe finds nothing on %s in both themes, on a desk and on a phone',
  async (path) => {
    await using opened = await visit(path, { viewport: { width: 1440, height: 900 } })
    const { page } = opened
    const show = async (theme: (typeof themes)[number]) => {
      await page.emulateMedia({ colorScheme: theme })
      await page.locator(`html[data-theme=${theme}]`).waitFor()
    }
    await page.getByRole('heading', { level: 1 }).waitFor()
    await show('light')
    expect(await findViolations(page)).toEqual([])
    await page.setViewportSize({ width: 390, height: 844 })
    if (!long.includes(path)) expect(await findViolations(page)).toEqual([])
    await show('dark')
    if (!long.includes(path)) expect(await findViolations(page, { onlyColors: true })).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBe(0)
    await page.setViewportSize({ width: 1440, height: 900 })
    expect(await findViolations(page, { onlyColors: true })).toEqual([])
  },
)

describe.each(languages)('in $language', ({ language, folder, word, results }) => {
  test('A5: search finds pages of the language; nothing is requested from another host, and the policy has hashes and no unsafe-inline', async () => {
    await using opened = await visit(`${folder}start/`)
    const { page, asked, printed } = opened
    const policy = await (await page.reload())?.headerValue('content-security-policy')
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("'sha256-")
    expect(policy).not.toContain('unsafe-inline')
    const search = page.getByRole('button', { name: /Search|Suche|Cerca|検索/ })
    await search.click()
    await page.locator('.pagefind-ui__search-input').fill(word)
    const first = page.locator('.pagefind-ui__result-link').first()
    await first.waitFor()
    expect(await page.locator('.pagefind-ui__message').textContent()).toContain(results)
    const address = new URL((await first.getAttribute('href')) ?? '', origin).pathname
    expect(address).toMatch(new RegExp(`^/docs/${folder}(?!(de|it|ja)/)`))
    await first.click()
    await page.waitForURL((url) => url.pathname === address)
    expect(await page.locator('html').getAttribute('lang')).toBe(language)
    await expect.poll(() => search.isEnabled()).toBe(true)
    await page.keyboard.press('Control+k')
    await page.locator('.pagefind-ui__search-input').waitFor({ timeout: 60_000 })
    expect(printed).toEqual([])
    const hosts = asked.filter((url) => !url.startsWith('data:')).map((url) => new URL(url).origin)
    expect(new Set(hosts)).toEqual(new Set([origin]))
  })

  test('A5: it is readable without JavaScript', async () => {
    await using opened = await visit(`${folder}sandbox/`, { javaScriptEnabled: false })
    const { page } = opened
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await page.getByRole('img').first().isVisible()).toBe(true)
    expect(await page.locator('main p').first().isVisible()).toBe(true)
    await page.locator('main a[href*="/persistence/"]').first().click()
    await page.waitForURL((url) => url.pathname === `/docs/${folder}persistence/`)
    expect(await page.locator('#cold').isVisible()).toBe(true)
  })
})

describe('a page without a translation', () => {
  test('A5: shows the English text below an Italian notice, with an Italian menu', async () => {
    await using opened = await visit('it/operate/install/')
    const { page } = opened
    await page.getByText('Questi contenuti non sono ancora disponibili nella tua lingua.').waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe('it')
    expect(await page.locator('main').getAttribute('lang')).toBe('en')
    expect(await page.getByText('Questi contenuti').locator('xpath=ancestor::*[@lang][1]').getAttribute('lang')).toBe(
      'it',
    )
    await page.getByRole('heading', { name: 'Requirements' }).waitFor()
    const menu = page.getByRole('navigation').filter({ has: page.getByRole('link', { name: 'Installazione' }) })
    expect(await menu.getByRole('link', { name: 'Installazione' }).getAttribute('aria-current')).toBe('page')
    expect(await menu.getByText('Gestione', { exact: true }).count()).toBe(1)
    // Links of the English text stay in Italian.
    await page.locator('main a[href*="/operate/settings/"]').first().click()
    await page.waitForURL((url) => url.pathname === '/docs/it/operate/settings/')
  })

  test('A5: a translated one shows no notice', async () => {
    await using opened = await visit('it/start/')
    await opened.page.getByRole('heading', { level: 1 }).waitFor()
    expect(await opened.page.locator('main').getAttribute('lang')).toBe('it')
    expect(await opened.page.getByText('Questi contenuti').count()).toBe(0)
    expect(await opened.page.getByText('più vecchia della pagina inglese').count()).toBe(0)
  })
})

test('A5: a translation that is older than its English page says so', async () => {
  const root = join(import.meta.dirname, '../..')
  // Next to the original: Astro requires its modules in a parent folder.
  const copy = await mkdtemp(join(root, '.docs-site-'))
  cleanup.defer(() => rm(copy, { recursive: true, force: true }))
  const filter = (path: string) => !/\/(node_modules|\.astro)(\/|$)/.test(path.slice(root.length))
  await cp(join(root, 'docs-site'), copy, { recursive: true, filter })
  const content = join(copy, 'src/content/docs')
  // The menu requires every page; what the others say does not matter here.
  for (const page of globSync('{*,operate/*,build/*}.md', { cwd: content })) {
    if (page !== 'limits.md' && page !== 'start.md') await writeFile(join(content, page), '---\ntitle: A page\n---\n')
  }
  await appendFile(join(content, 'limits.md'), '\nOne more sentence.\n')
  const site = join(copy, 'dist')
  await runAstro({ root: copy, outputDirectory: site })
  const textOf = async (path: string) => await readFile(join(site, path, 'index.html'), 'utf8')
  expect(await textOf('de/limits')).toContain('Diese Übersetzung ist älter als die englische Seite.')
  expect(await textOf('it/limits')).toContain('Questa traduzione è più vecchia della pagina inglese')
  expect(await textOf('ja/limits')).toContain('この翻訳は英語版より古いため')
  expect(await textOf('de/start')).not.toContain('Diese Übersetzung ist älter')
})
