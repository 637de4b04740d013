import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startInstallation, type TestInstallation } from '../stack/installation.ts'
import { buildWebApp, startBrowserWith } from './app-in-browser.ts'
import { freePort, type ProxyName, startProxy } from './reverse-proxies.ts'

/** Under a domain, with TLS ended by a real proxy that is set up as docs/own-domain.md says. */
const domain = 'box.localhost'
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
  // The certificate is the test's own, so the browser is told to take it.
  const { browser } = cleanup.use(await startBrowserWith(['--ignore-certificate-errors'], [{ port }]))
  open = async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ignoreHTTPSErrors: true })
    const page = await context.newPage()
    page.setDefaultTimeout(60_000)
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

/** A page that shows its cookie, and what comes over a WebSocket and an endless answer. */
const site = `
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
const guid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
const page = '<h1>Behind</h1><p id=cookie></p><p id=socket></p><p id=stream></p><script>' +
  'document.cookie="own=kept";cookie.textContent=document.cookie;' +
  'new WebSocket(location.origin.replace("http","ws")).onmessage=(e)=>{socket.textContent=e.data};' +
  'new EventSource("/events").onmessage=(e)=>{stream.textContent=e.data}</script>'
const server = createServer((request, response) => {
  const isStream = request.url === '/events'
  response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'text/html' })
  if (isStream) response.write('data: a part\\n\\n')
  else response.end(page)
})
server.on('upgrade', (request, socket) => {
  const accept = createHash('sha1').update(request.headers['sec-websocket-key'] + guid).digest('base64')
  const head = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade']
  socket.write([...head, 'Sec-WebSocket-Accept: ' + accept, '', ''].join('\\r\\n'))
  socket.write(Buffer.concat([Buffer.from([0x81, 9]), Buffer.from('a message')]))
  socket.on('error', () => undefined)
})
server.listen(8000, '127.0.0.1')
`

describe.each<ProxyName>(['nginx', 'caddy'])('O4: behind %s', (name) => {
  test('the app, its previews, their cookies, sockets and streams work, and About says so', async () => {
    await using _proxy = await startProxy(name, { domain, port, target: installation.server.port })
    const { client } = installation
    await using page = await open()
    const { id } = await client.threads.create({})
    await client.files.write(id, '/home/user/site.mjs', new Blob([site]))
    await client.services.start(id, { name: 'site', command: 'node site.mjs', port: 8000 })
    const status = async () => (await client.services.list(id)).services[0]?.status
    await expect.poll(status, { timeout: 60_000 }).toBe('running')
    await page.goto(`https://app.${domain}:${port}/threads/${id}`)
    await page.locator('#message').waitFor()
    // What started before the page was there does not open by itself.
    await page.getByRole('group', { name: 'Panes' }).getByRole('button', { name: 'Preview' }).click()
    const preview = page.frameLocator('.frame iframe')
    await preview.getByRole('heading', { name: 'Behind' }).waitFor()
    await preview.getByText('own=kept').waitFor()
    await preview.getByText('a message').waitFor()
    await preview.getByText('a part').waitFor()
    const cookies = await page.context().cookies()
    const ours = cookies.filter((cookie) => cookie.name.includes('threadbox-'))
    expect(ours.map((cookie) => [cookie.secure, cookie.name.startsWith('__Host-')])).toEqual([
      [true, true],
      [true, true],
    ])
    await page.goto(`https://app.${domain}:${port}/settings/about`)
    for (const title of ['Previews in this browser', 'Cookies of previews', 'WebSockets of previews']) {
      await page.getByRole('listitem').filter({ hasText: title }).getByText('fine', { exact: true }).waitFor()
    }
    await client.services.remove(id, 'site')
  })
})

test('O4: a proxy that passes on the name of the app only is named as what stands in the way', async () => {
  await using _proxy = await startProxy('caddy', { domain, port, target: installation.server.port, isForAppOnly: true })
  await using page = await open()
  await page.goto(`https://app.${domain}:${port}/settings/about`)
  const row = page.getByRole('listitem').filter({ hasText: 'Previews in this browser' })
  await row.getByText(`This browser does not get to https://1-doctor.${domain}:${port}`).waitFor()
  await row.getByText(`a certificate for *.${domain}`).waitFor()
})
