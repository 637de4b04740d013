import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type ModelServer, startModelServer } from '@threadbox/testkit'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { AdvancedClock } from '../stack/advanced-clock.ts'
import { startInstallation, type TestInstallation } from '../stack/installation.ts'
import { buildWebApp, openPage, type PageOptions, startBrowserWith } from './app-in-browser.ts'
import { leaveProfile } from './profiles.ts'
import type { Program } from './quiet-network.ts'

/** The whole product in a browser: real app, server, host daemon and sandboxes, and a scripted model provider. */
export type BrowserStage = AsyncDisposable & {
  installation: TestInstallation
  models: ModelServer
  /** A page of the owner, at a path of the app. */
  open(pathname: string, options?: PageOptions): Promise<Page>
  /** Connects the scripted provider as the default model; returns its id. */
  connectModel(options?: { provider?: 'anthropic' | 'openai'; name?: string; contextTokens?: number }): Promise<string>
}

const modelNames = { anthropic: 'claude-sonnet-4-5', openai: 'gpt-4.1' }

/** `others`: more servers of this machine that the browser can reach. */
export async function startBrowserStage(...others: { port: number }[]): Promise<BrowserStage> {
  return await startBrowserStageWith({ others })
}

/** The same in a full browser, for behavior that only that one has. */
export async function startWholeBrowserStage(...others: { port: number }[]): Promise<BrowserStage> {
  return await startBrowserStageWith({ program: 'whole', others })
}

/** With a `clock`, time passes for server and host daemon when the test says so. */
export async function startBrowserStageWith(options: {
  program?: Program
  others?: { port: number }[]
  clock?: AdvancedClock
}): Promise<BrowserStage> {
  const { program = 'shell', others = [], clock } = options
  await using cleanup = new AsyncDisposableStack()
  const directory = await mkdtemp(path.join(tmpdir(), 'threadbox-browser-'))
  cleanup.defer(() => rm(directory, { recursive: true, force: true }))
  const webDirectory = path.join(directory, 'web')
  await buildWebApp(webDirectory)
  const models = await startModelServer()
  cleanup.defer(() => models.close())
  const installation = cleanup.use(
    await startInstallation({
      ...(clock === undefined ? {} : { hostEnvironment: clock.hostEnvironment }),
      serverEnvironment: {
        THREADBOX_WEB_DIRECTORY: webDirectory,
        // Servers that tests start in addition are on loopback.
        THREADBOX_CONNECTIONS_ALLOW: '127.0.0.0/8',
        ...clock?.environment,
      },
    }),
  )
  const { browser } = cleanup.use(await startBrowserWith({ program, servers: [installation.server, ...others] }))
  const kept = cleanup.move()
  return {
    installation,
    models,
    open: (pathname, options = {}) => openPage(browser, { server: installation.server, pathname, ...options }),
    connectModel: async ({ provider = 'anthropic', name = 'Scripted model', contextTokens } = {}) => {
      const model = await installation.client.models.connect({
        provider,
        model: modelNames[provider],
        name,
        apiKey: 'test-key',
        baseUrl: models.baseUrls[provider],
        isDefault: true,
        ...(contextTokens === undefined ? {} : { contextTokens }),
      })
      return model.id
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** Closes a page and the pages it opened. With THREADBOX_PICTURES a final screenshot of the page is kept there. */
export async function closePage(page: Page): Promise<void> {
  if (page.isClosed()) return
  const directory = process.env.THREADBOX_PICTURES
  const name = expect
    .getState()
    .currentTestName?.replaceAll(/[^a-z0-9]+/gi, '-')
    .slice(-80)
  if (directory !== undefined)
    await page.screenshot({ path: path.join(directory, `${name}.png`) }).catch(() => undefined)
  await leaveProfile(page.context())
}
