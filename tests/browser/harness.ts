import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { type ModelServer, startModelServer, type TestServer } from '@threadbox/testkit'
import { type Browser, chromium, type Locator, type Page } from 'playwright-core'
import { expect } from 'vitest'
import { startInstallation, type TestInstallation } from '../stack/installation.ts'
import { openQuietNetwork } from './quiet-network.ts'

/** The whole product in a browser: real app, server, host daemon and sandboxes, and a scripted model provider. */
export type BrowserStage = AsyncDisposable & {
  installation: TestInstallation
  models: ModelServer
  /** A page of the owner, at a path of the app. */
  open(pathname: string, options?: PageOptions): Promise<Page>
  /** Connects the scripted provider as the default model; returns its id. */
  connectModel(options?: { name?: string; contextTokens?: number }): Promise<string>
}

export type PageOptions = {
  locale?: string
  width?: number
  height?: number
  theme?: 'light' | 'dark'
  isTouch?: boolean
}

const run = promisify(execFile)
const webRoot = path.join(import.meta.dirname, '../../apps/web')

/** Builds the app into a directory of its own. */
export async function buildWebApp(directory: string): Promise<string> {
  const outDir = path.join(directory, 'web')
  const vite = path.join(import.meta.dirname, '../../node_modules/.bin/vite')
  // In a process of its own: the test runner's NODE_ENV would make it a development build.
  await run(vite, ['build', '--logLevel', 'error', '--outDir', outDir, '--emptyOutDir'], {
    cwd: webRoot,
    env: { ...process.env, NODE_ENV: 'production' },
  })
  return outDir
}

/** Chromium, which sees the server and nothing else of the machine. */
export async function startBrowser(server: { port: number }): Promise<{ browser: Browser } & AsyncDisposable> {
  await using cleanup = new AsyncDisposableStack()
  const network = cleanup.use(await openQuietNetwork(server.port))
  const browser = await chromium.launch({ executablePath: network.executablePath, args: ['--no-sandbox'] })
  cleanup.defer(() => browser.close())
  const kept = cleanup.move()
  return { browser, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

export async function startBrowserStage(): Promise<BrowserStage> {
  await using cleanup = new AsyncDisposableStack()
  const directory = await mkdtemp(path.join(tmpdir(), 'threadbox-browser-'))
  cleanup.defer(() => rm(directory, { recursive: true, force: true }))
  const webDirectory = await buildWebApp(directory)
  const models = await startModelServer()
  cleanup.defer(() => models.close())
  const installation = cleanup.use(
    await startInstallation({ serverEnvironment: { THREADBOX_WEB_DIRECTORY: webDirectory } }),
  )
  const { browser } = cleanup.use(await startBrowser(installation.server))
  const kept = cleanup.move()
  return {
    installation,
    models,
    open: (pathname, options = {}) => openPage(browser, { server: installation.server, pathname, ...options }),
    connectModel: async ({ name = 'Scripted model', contextTokens } = {}) => {
      const model = await installation.client.models.connect({
        provider: 'anthropic',
        model: 'claude-sonnet-4-5',
        name,
        apiKey: 'test-key',
        baseUrl: models.baseUrls.anthropic,
        isDefault: true,
        ...(contextTokens === undefined ? {} : { contextTokens }),
      })
      return model.id
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

async function openPage(
  browser: Browser,
  options: PageOptions & { server: TestServer; pathname: string },
): Promise<Page> {
  const { server, pathname, locale = 'en-US', width = 1280, height = 800, theme = 'light', isTouch = false } = options
  const context = await browser.newContext({
    locale,
    viewport: { width, height },
    colorScheme: theme,
    hasTouch: isTouch,
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

/** Closes a page with its profile. With THREADBOX_PICTURES a picture of how it looked at last is kept there. */
export async function closePage(page: Page): Promise<void> {
  const directory = process.env.THREADBOX_PICTURES
  const name = expect
    .getState()
    .currentTestName?.replaceAll(/[^a-z0-9]+/gi, '-')
    .slice(-80)
  if (directory !== undefined)
    await page.screenshot({ path: path.join(directory, `${name}.png`) }).catch(() => undefined)
  await page.context().close()
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
