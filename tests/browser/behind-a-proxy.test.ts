import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freePort } from '@threadbox/testkit'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startInstallation, type TestInstallation } from '../stack/installation.ts'
import { buildWebApp, startBrowserWith } from './app-in-browser.ts'
import { type ProxyName, startProxy } from './reverse-proxies.ts'

/** Under a domain, with TLS terminated by a real proxy that is set up as in docs/own-domain.md. */
const domain = 'box.localhost'
const patient = { timeout: 60_000 }
/** Counts its visits in a cookie, and writes the messages of its event stream, a tick every 200 ms. */
const ticking = `
const page = (seen) => \`<p></p><script>
  new EventSource('/ticks').onmessage = (event) => {
    document.querySelector('p').textContent = 'tick ' + event.data + ', seen \${seen}'
  }
</script>\`
require('node:http').createServer((request, response) => {
  if (request.url === '/ticks') {
    response.setHeader('content-type', 'text/event-stream')
    let tick = 0
    const timer = setInterval(() => response.write('data: ' + ++tick + '\\n\\n'), 200)
    return request.on('close', () => clearInterval(timer))
  }
  const seen = Number(/seen=(\\d+)/.exec(request.headers.cookie ?? '')?.[1] ?? 0) + (request.url === '/' ? 1 : 0)
  response.setHeader('set-cookie', 'seen=' + seen + '; Path=/')
  response.setHeader('content-type', 'text/html')
  response.end(page(seen))
}).listen(process.env.PORT, '127.0.0.1')
`

const cleanup = new AsyncDisposableStack()
let installation: TestInstallation
let port: number
let open: () => Promise<Page & AsyncDisposable>
beforeAll(async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'threadbox-behind-'))
  cleanup.defer(() => rm(directory, { recursive: true, force: true }))
  await buildWebApp(directory)
  port = await freePort()
  const origin = `https://app.${domain}:${port}`
  installation = cleanup.use(
    await startInstallation({
      serverEnvironment: {
        THREADBOX_WEB_DIRECTORY: directory,
        THREADBOX_BASE_DOMAIN: domain,
        THREADBOX_PUBLIC_URL: origin,
      },
    }),
  )
  // The certificate is the test’s own, so the browser gets an argument to accept it.
  const { browser } = cleanup.use(
    await startBrowserWith({ args: ['--ignore-certificate-errors'], servers: [{ port }] }),
  )
  open = async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ignoreHTTPSErrors: true })
    const page = await context.newPage()
    page.setDefaultTimeout(patient.timeout)
    await page.goto(`${origin}/login`)
    const { email, password } = installation.server.owner
    await page.getByRole('textbox', { name: 'Email' }).fill(email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.keyboard.press('Enter')
    await page.locator('#message').waitFor()
    return Object.assign(page, { [Symbol.asyncDispose]: () => context.close() })
  }
})
afterAll(() => cleanup.disposeAsync())

describe.each<ProxyName>(['nginx', 'caddy'])('O4: behind %s', (name) => {
  test('a person signs in, and About finds names, cookies and sockets of previews to work', async () => {
    await using _proxy = await startProxy(name, { domain, port, target: installation.server.port })
    await using page = await open()
    await page.goto(`https://app.${domain}:${port}/settings/about`)
    for (const title of ['Previews in this browser', 'Preview cookies', 'Preview WebSockets']) {
      await page.getByRole('listitem').filter({ hasText: title }).getByText('OK', { exact: true }).waitFor()
    }
    const cookies = (await page.context().cookies()).filter((cookie) => cookie.name.includes('threadbox-'))
    expect(cookies.every((cookie) => cookie.secure && cookie.name.startsWith('__Host-'))).toBe(true)
  })

  test('a service is live in the frame: its page, its cookie and its event stream', async () => {
    await using _proxy = await startProxy(name, { domain, port, target: installation.server.port })
    await using page = await open()
    const { client } = installation
    const { id } = await client.threads.create({})
    await client.files.write(id, '/home/user/ticking.cjs', new Blob([ticking]))
    await page.goto(`https://app.${domain}:${port}/threads/${id}`)
    await client.services.start(id, { name: 'ticking', command: 'node /home/user/ticking.cjs', port: 8400 })
    const frame = page.frameLocator('.frame iframe')
    const said = async () => {
      const text = await frame.locator('p').innerText()
      const [, tick, seen] = /^tick (\d+), seen (\d+)$/.exec(text) ?? []
      return { tick: Number(tick ?? 0), seen: Number(seen ?? 0) }
    }
    await expect.poll(async () => (await said()).tick, patient).toBeGreaterThan(2)
    const { seen } = await said()
    const pane = page.getByRole('complementary', { name: 'Preview' })
    await pane.getByRole('button', { name: 'Reload page', exact: true }).click()
    await expect.poll(async () => (await said()).seen, patient).toBeGreaterThan(seen)
  })
})

test('O4: a proxy that forwards only the app’s hostname is named as the cause', async () => {
  await using _proxy = await startProxy('caddy', { domain, port, target: installation.server.port, isForAppOnly: true })
  await using page = await open()
  await page.goto(`https://app.${domain}:${port}/settings/about`)
  const row = page.getByRole('listitem').filter({ hasText: 'Previews in this browser' })
  await row.getByText(`This browser can’t reach https://1-doctor.${domain}:${port}`).waitFor()
  await row.getByText(`a certificate for *.${domain}`).waitFor()
})
