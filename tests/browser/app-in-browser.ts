import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import type { TestServer } from '@threadbox/testkit'
import { type Browser, chromium, type Locator, type Page } from 'playwright-core'
import { openQuietNetwork } from './quiet-network.ts'

export type PageOptions = {
  locale?: string
  width?: number
  height?: number
  theme?: 'light' | 'dark'
  isTouch?: boolean
  /** Pixels of the screen for one of the page. */
  deviceScale?: number
}

const run = promisify(execFile)
const webRoot = path.join(import.meta.dirname, '../../apps/web')

/** Builds the app into a directory, in place of what is in it. */
export async function buildWebApp(outDir: string): Promise<void> {
  const vite = path.join(import.meta.dirname, '../../node_modules/.bin/vite')
  // In a process of its own: the test runner's NODE_ENV would make it a development build.
  await run(vite, ['build', '--logLevel', 'error', '--outDir', outDir, '--emptyOutDir'], {
    cwd: webRoot,
    env: { ...process.env, NODE_ENV: 'production' },
  })
}

type StartedBrowser = { browser: Browser } & AsyncDisposable

/** Chromium, which sees these ports and nothing else of the machine. */
export async function startBrowser(...servers: { port: number }[]): Promise<StartedBrowser> {
  return await startBrowserWith([], servers)
}

/** The same with arguments of its own. */
export async function startBrowserWith(args: string[], servers: { port: number }[]): Promise<StartedBrowser> {
  await using cleanup = new AsyncDisposableStack()
  const network = cleanup.use(await openQuietNetwork(servers.map(({ port }) => port)))
  const browser = await chromium.launch({ executablePath: network.executablePath, args: ['--no-sandbox', ...args] })
  cleanup.defer(() => browser.close())
  const kept = cleanup.move()
  return { browser, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

/** A page of the owner in a profile of its own, at a path of the app. */
export async function openPage(
  browser: Browser,
  options: PageOptions & { server: TestServer; pathname: string },
): Promise<Page> {
  const { server, pathname, locale = 'en-US', width = 1280, height = 800, theme = 'light', isTouch = false } = options
  const { deviceScale = 1 } = options
  const context = await browser.newContext({
    locale,
    viewport: { width, height },
    colorScheme: theme,
    hasTouch: isTouch,
    deviceScaleFactor: deviceScale,
    acceptDownloads: true,
  })
  context.setDefaultTimeout(30_000)
  const page = await context.newPage()
  await signIn(page, server)
  await page.goto(`${server.origin}${pathname}`)
  return page
}

/** Signs in from inside the browser: only there the name of the server is known. */
async function signIn(page: Page, server: TestServer): Promise<void> {
  const { email, password } = server.owner
  await page.goto(`${server.origin}/login`)
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

/** Writes a message and sends it with Enter. */
export async function send(page: Page, text: string): Promise<void> {
  await messageField(page).fill(text)
  await messageField(page).press('Enter')
}

/** Resolves when no answer is running: Send is back in the place of Stop. */
export async function answered(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor({ timeout: 120_000 })
}
