import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type ModelServer, startModelServer, type TestServer } from '@threadbox/testkit'
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core'
import { build } from 'vite'
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

const webRoot = path.join(import.meta.dirname, '../../apps/web')

/** Builds the app into a directory of its own. */
export async function buildWebApp(directory: string): Promise<string> {
  const outDir = path.join(directory, 'web')
  await build({ root: webRoot, logLevel: 'error', build: { outDir, emptyOutDir: true } })
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
  await signIn(context, server)
  const page = await context.newPage()
  await page.goto(`${server.origin}${pathname}`)
  return page
}

async function signIn(context: BrowserContext, server: TestServer): Promise<void> {
  const { email, password } = server.owner
  const answer = await context.request.post(`${server.origin}/api/v1/auth/sign-in`, {
    data: { email, password },
    headers: { origin: server.origin },
  })
  if (!answer.ok()) throw new Error(`The test owner could not sign in: ${answer.status()} ${await answer.text()}`)
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
