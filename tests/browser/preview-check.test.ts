import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AppWithoutHost, startAppWithoutHost } from './app-without-host.ts'

/** Whether the user’s own browser can show previews, in Settings → About. */
let app: AppWithoutHost
beforeAll(async () => {
  app = await startAppWithoutHost()
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
})

/** Opens About, after `arrange` has set up the browser. */
async function openAbout(from: Pick<AppWithoutHost, 'page'>, arrange: (page: Page) => Promise<void> = async () => {}) {
  const page = await from.page({ signedIn: true })
  page.setDefaultTimeout(60_000)
  await arrange(page)
  await page.goto(`${app.server.origin}/settings/about`)
  const row = (title: string) => page.getByRole('listitem').filter({ hasText: title })
  await row('Preview WebSockets').waitFor()
  const read = async (title: string) => await row(title).textContent()
  return {
    page,
    names: await read('Previews in this browser'),
    cookies: await read('Preview cookies'),
    sockets: await read('Preview WebSockets'),
  }
}

describe('O4: About reports from a check in this browser', () => {
  test('that previews work: their hostnames, their cookies in a frame, their WebSockets', async () => {
    const { page, ...found } = await openAbout(app)
    expect(found).toEqual({
      names: 'Previews in this browserOKA test page on a preview domain loaded.',
      cookies: 'Preview cookiesOKCookies work in frames.',
      sockets: 'Preview WebSocketsOKWebSockets connect.',
    })
    expect(await page.locator('iframe').count()).toBe(0)
    await page.context().close()
  })

  test('that it does not resolve their hostnames, and what to do', async () => {
    await using other = await app.withBrowser(['--host-resolver-rules=MAP 1-doctor.brwsr0.localhost ~NOTFOUND'])
    const { page, names, cookies } = await openAbout(other)
    expect(names).toContain('failedThis browser can’t resolve 1-doctor.brwsr0.localhost')
    expect(names).toContain('Fix: Use a browser that resolves such names')
    expect(cookies).toContain('not checkedCouldn’t reach the test page.')
    await page.context().close()
  })

  test('that cookies of pages in a frame are not kept, and what to do', async () => {
    const { page, names, cookies } = await openAbout(app, async (tab) => {
      // The server’s redirect, without the cookie.
      await tab.route('**/.threadbox/check?*', async (route) => {
        const location = route.request().url().replace('/check?', '/check/page?')
        await route.fulfill({ status: 303, headers: { location } })
      })
    })
    expect(names).toContain('OK')
    expect(cookies).toContain('failedThis browser blocks cookies in frames')
    expect(cookies).toContain('Fix: Allow cookies for *.brwsr0.localhost in the browser')
    await page.context().close()
  })

  test('that WebSockets are blocked, and what to do', async () => {
    const { page, sockets } = await openAbout(app, async (tab) => {
      await tab.routeWebSocket('**/.threadbox/check/socket', (socket) => void socket.close())
    })
    expect(sockets).toContain('warningWebSockets are blocked between this browser and threadbox')
    expect(sockets).toContain('Fix: Configure the proxy to forward WebSockets for *.brwsr0.localhost')
    await page.context().close()
  })

  test('which address to open instead, if the app’s hostname is the cause', async () => {
    const page = await app.page()
    await page.goto(`${app.server.loopbackOrigin}/login`)
    const { email, password } = app.server.owner
    await page.evaluate(
      async (body) => {
        const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
        await fetch('/api/v1/auth/sign-in', init)
      },
      { email, password },
    )
    await page.goto(`${app.server.loopbackOrigin}/settings/about`)
    const row = page.getByRole('listitem').filter({ hasText: 'Previews in this browser' })
    await row.getByText(`Open the app at ${app.server.origin}. Previews`).waitFor()
    await page.context().close()
  })
})
