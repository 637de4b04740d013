import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestServer, type TestServer } from '@threadbox/testkit'
import type { Browser, Page } from 'playwright-core'
import { buildWebApp, startBrowserWith } from './app-in-browser.ts'
import { quietPath } from './profiles.ts'
import type { Program } from './quiet-network.ts'

/**
 * The real web app on a real server in Chromium, on a machine whose host daemon does not respond: for everything that
 * needs no sandbox. It also shows what the app says while sandboxes cannot start.
 */
export type AppWithoutHost = AsyncDisposable & {
  server: Awaited<ReturnType<typeof startTestServer>>
  /** A page in its own browser profile. With `signedIn` the owner is signed in. */
  page(options?: { signedIn?: boolean; locale?: string }): Promise<Page>
  /** The same in another browser, started with these arguments. */
  withBrowser(
    args: string[],
    program?: Program,
  ): Promise<Pick<AppWithoutHost, 'page'> & { connections(): number } & AsyncDisposable>
}

/** `others`: further servers on loopback that the browser reaches. */
type Options = { signUp?: boolean; environment?: Record<string, string>; others?: { port: number }[] }

export async function startAppWithoutHost(options: Options = {}): Promise<AppWithoutHost> {
  await using cleanup = new AsyncDisposableStack()
  const { server } = cleanup.use(await startServerWithoutHost(options))
  const start = async (args: string[], program: Program = 'shell') => {
    const started = await startBrowserWith({ args, servers: [server, ...(options.others ?? [])], program })
    const page: AppWithoutHost['page'] = ({ signedIn = false, locale = 'en-US' } = {}) =>
      openPage({ browser: started.browser, server, signedIn, locale })
    return { page, connections: started.connections, [Symbol.asyncDispose]: () => started[Symbol.asyncDispose]() }
  }
  const { page } = cleanup.use(await start([]))
  const kept = cleanup.move()
  return {
    server,
    page,
    withBrowser: start,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** The same without a browser. */
export async function startServerWithoutHost(
  options: Options = {},
): Promise<Pick<AppWithoutHost, 'server'> & AsyncDisposable> {
  await using cleanup = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), 'threadbox-browser-'))
  cleanup.defer(() => rm(directory, { recursive: true, force: true }))
  const webDirectory = join(directory, 'web')
  await buildWebApp(webDirectory)
  const environment = {
    THREADBOX_INSTALLATION: 'brwsr0',
    THREADBOX_DATA: directory,
    THREADBOX_HOST_SOCKET: join(directory, 'host.sock'),
    THREADBOX_GATEWAY_SOCKET: join(directory, 'gateway.sock'),
    THREADBOX_WEB_DIRECTORY: webDirectory,
    ...options.environment,
  }
  const server = await startTestServer({
    host: { installation: 'brwsr0', dataDirectory: directory, environment },
    signUp: options.signUp ?? true,
  })
  cleanup.defer(() => server.close())
  const kept = cleanup.move()
  return { server, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

async function openPage(options: {
  browser: Browser
  server: TestServer
  signedIn: boolean
  locale: string
}): Promise<Page> {
  const { browser, server, signedIn, locale } = options
  const context = await browser.newContext({ locale, viewport: { width: 1280, height: 800 } })
  const page = await context.newPage()
  if (signedIn) {
    const { email, password } = server.owner
    await page.goto(`${server.origin}${quietPath}`)
    await post(page, { path: '/auth/sign-in', body: { email, password } })
  }
  await page.goto(server.origin)
  return page
}

/** Calls the API from inside the page, with its cookies: only browsers know the names under `localhost`. */
export async function post(page: Page, request: { path: string; body: unknown }): Promise<void> {
  const answer = await page.evaluate(async ({ path, body }) => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    return { isOk: response.ok, text: await response.text() }
  }, request)
  if (!answer.isOk) throw new Error(`POST ${request.path} failed: ${answer.text}`)
}
