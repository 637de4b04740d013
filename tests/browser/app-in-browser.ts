import { execFile } from 'node:child_process'
import { cp, rm } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { noteStart, type TestServer } from '@threadbox/testkit'
import { type Browser, chromium, type Locator, type Page } from 'playwright-core'
import { expect } from 'vitest'
import { pageInProfile } from './profiles.ts'
import { openQuietNetwork, type Program } from './quiet-network.ts'

export type PageOptions = {
  locale?: string
  width?: number
  height?: number
  theme?: 'light' | 'dark'
  isTouch?: boolean
  /** Screen pixels per CSS pixel. */
  deviceScale?: number
}

const run = promisify(execFile)
const webRoot = path.join(import.meta.dirname, '../../apps/web')

/** Environment variable with the directory of a built app. */
export const builtAppVariable = 'THREADBOX_BUILT_APP'

/** Builds the app into a directory, replacing its content; or copies the one that was built for all tests. */
export async function buildWebApp(outDir: string): Promise<void> {
  const built = process.env[builtAppVariable]
  if (built !== undefined) {
    await rm(outDir, { recursive: true, force: true })
    await cp(built, outDir, { recursive: true })
    return
  }
  const vite = path.join(import.meta.dirname, '../../node_modules/.bin/vite')
  // In its own process: the test runner’s NODE_ENV would make it a development build.
  await run(vite, ['build', '--logLevel', 'error', '--outDir', outDir, '--emptyOutDir'], {
    cwd: webRoot,
    env: { ...process.env, NODE_ENV: 'production' },
  })
}

type StartedBrowser = { browser: Browser; connections(): number } & AsyncDisposable

/** Chromium, which sees these ports and nothing else of the machine. */
export async function startBrowser(...servers: { port: number }[]): Promise<StartedBrowser> {
  return await startBrowserWith({ servers })
}

/** Playwright’s default, unlike real browsers: with it, Back never finds a page as it was left. */
const withoutPageCache = '--disable-back-forward-cache'
/** Among the arguments: pages are kept for Back and Forward, as in real browsers. */
export const keepPages = '--enable-back-forward-cache'

/** The same with other arguments, or another program. */
export async function startBrowserWith(options: {
  servers: { port: number }[]
  args?: string[]
  program?: Program
}): Promise<StartedBrowser> {
  const { servers, args = [], program = 'shell' } = options
  await using cleanup = new AsyncDisposableStack()
  const network = cleanup.use(
    await openQuietNetwork(
      servers.map(({ port }) => port),
      program,
    ),
  )
  noteStart('browser')
  const browser = await chromium.launch({
    executablePath: network.executablePath,
    args: ['--no-sandbox', ...args],
    ignoreDefaultArgs: args.includes(keepPages) ? [withoutPageCache] : [],
  })
  cleanup.defer(() => browser.close())
  const kept = cleanup.move()
  return { browser, connections: network.connections, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

/** A page of the owner, at a path of the app, in a profile that no other page uses (see `profiles.ts`). */
export async function openPage(
  browser: Browser,
  options: PageOptions & { server: TestServer; pathname: string },
): Promise<Page> {
  const { server, pathname, locale = 'en-US', width = 1280, height = 800, theme = 'light', isTouch = false } = options
  const page = await pageInProfile(browser, {
    origin: server.origin,
    settings: {
      locale,
      viewport: { width, height },
      colorScheme: theme,
      hasTouch: isTouch,
      deviceScaleFactor: options.deviceScale ?? 1,
      // Elements are where they stay: nothing is pressed while it moves, and nothing waits for the end of a motion.
      reducedMotion: 'reduce',
      acceptDownloads: true,
    },
    enter: (first) => signIn(first, server),
  })
  await page.goto(`${server.origin}${pathname}`)
  return page
}

/** Signs in from inside the browser, at a page of the server: only there its hostname is known. */
async function signIn(page: Page, server: TestServer): Promise<void> {
  const { email, password } = server.owner
  const status = await page.evaluate(
    async (body) => {
      const headers = { 'content-type': 'application/json' }
      return (await fetch('/api/v1/auth/sign-in', { method: 'POST', headers, body: JSON.stringify(body) })).status
    },
    { email, password },
  )
  if (status !== 200) throw new Error(`The test owner could not sign in: ${status}`)
}

/** The message field. */
export function messageField(page: Page): Locator {
  return page.getByRole('textbox', { name: 'Message', exact: true })
}

/** The last message of a page: the thread that accepted it, or undefined if it was not accepted. */
const taken = new WeakMap<Page, Promise<string | undefined>>()

/** Writes a message and sends it with Enter. */
export async function send(page: Page, text: string): Promise<void> {
  const messagesPath = /\/threads\/([^/]+)\/messages$/
  const isMessage = (method: string, url: string) => method === 'POST' && messagesPath.test(new URL(url).pathname)
  const response = page.waitForResponse((one) => isMessage(one.request().method(), one.url()), { timeout: 60_000 })
  const threadIn = (url: string) => messagesPath.exec(new URL(url).pathname)?.[1]
  taken.set(
    page,
    response.then(
      (one) => (one.ok() ? threadIn(one.url()) : undefined),
      () => undefined,
    ),
  )
  await messageField(page).fill(text)
  await messageField(page).press('Enter')
}

/** Resolves when the last message has its response, for the server and on the page: Send has replaced Stop. */
export async function answered(page: Page): Promise<void> {
  const threadId = await taken.get(page)
  const isRunning = async (id: string) =>
    await page.evaluate(async (thread) => {
      const answer = await fetch(`/api/v1/threads/${thread}`)
      return ((await answer.json()) as { isTurnRunning?: boolean }).isTurnRunning ?? false
    }, id)
  if (threadId !== undefined) {
    await expect.poll(() => isRunning(threadId), { timeout: 120_000, interval: 200 }).toBe(false)
  }
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor({ timeout: 120_000 })
}

/** Opens a pane with its key, even if it opens automatically at the same moment (the key would then close it). */
export async function openPaneWith(page: Page, key: string, name: string): Promise<void> {
  const pane = page.getByRole('complementary', { name }).or(page.getByRole('dialog', { name, exact: true }))
  await expect
    .poll(
      async () => {
        if (await pane.isVisible()) return true
        await page.keyboard.press(key)
        return false
      },
      { timeout: 60_000, interval: 1000 },
    )
    .toBe(true)
}
