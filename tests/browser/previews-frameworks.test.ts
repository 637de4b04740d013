import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import type { FrameLocator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { answered, openPaneWith, send } from './app-in-browser.ts'
import { type BrowserStage, closePage, startWholeBrowserStage } from './harness.ts'
import { archiveOfInstalled } from './previews-frameworks/installed-package.ts'

/** Frameworks as people use them, in real sandboxes, their pages in the frame beside the conversation. */
const cleanup = new AsyncDisposableStack()
let stage: BrowserStage
let sites: Sites
beforeAll(async () => {
  sites = cleanup.use(await startSites())
  stage = cleanup.use(await startWholeBrowserStage(sites))
})
afterAll(() => cleanup.disposeAsync())

/** Starting a framework on a machine that is busy with other things. */
const patient = { timeout: 180_000 }
const readyTimeoutSeconds = 300
const frame = (page: Page) => page.frameLocator('.frame iframe')
const heading = (within: Page | FrameLocator, name: string) =>
  within.getByRole('heading', { name, exact: true }).waitFor(patient)
const fixture = (name: string) => readFile(path.join(import.meta.dirname, 'previews-frameworks', name), 'utf8')

async function newThread(files: Record<string, string | Buffer<ArrayBuffer>>): Promise<string> {
  const { client } = stage.installation
  const { id } = await client.threads.create({})
  for (const [name, content] of Object.entries(files)) {
    await client.files.write(id, `/home/user/site/${name}`, new Blob([content]))
  }
  return id
}

/** A thread's page with the preview open. */
async function openThread(id: string): Promise<Page & AsyncDisposable> {
  const page = await stage.open(`/threads/${id}`, { width: 1440, height: 900 })
  await page.locator('#message').waitFor()
  await openPaneWith(page, 'Alt+1', 'Preview')
  return Object.assign(page, { [Symbol.asyncDispose]: () => closePage(page) })
}

/** Starts a service of a framework; resolves when it answers. Fails with what it printed when it does not. */
async function startService(id: string, service: { name: string; port: number; command: string }): Promise<void> {
  const { services } = stage.installation.client
  await services.start(id, { ...service, cwd: 'site', readyTimeoutSeconds })
  let status: string | undefined
  const isDecided = async () => {
    status = (await services.list(id)).services.find(({ name }) => name === service.name)?.status
    expect(status).not.toBe('starting')
  }
  await vi.waitFor(isDecided, { timeout: readyTimeoutSeconds * 1000, interval: 250 }).catch(() => undefined)
  if (status === 'running') return
  const { text } = await services.logs(id, service.name)
  throw new Error(`${service.name} is ${status}; it printed:\n${text}`)
}

/** A thread with a development server of Vite. */
async function startVite(): Promise<string> {
  const id = await newThread({
    'package.json': '{"private":true,"type":"module"}',
    'vite.tar.gz': await archiveOfInstalled('vite'),
    'index.html': await fixture('page.html'),
    'main.js': await fixture('main.js'),
    'title.js': `export const title = 'First'\n`,
  })
  const serve = 'exec node node_modules/vite/bin/vite.js --host 127.0.0.1 --port $PORT --strictPort'
  const command = `tar xzf vite.tar.gz && ${serve}`
  await startService(id, { name: 'vite', port: 5173, command })
  return id
}

let vite: string

test('O4, O12: an edit by the agent changes the page of a Vite server in its frame, without a reload', async () => {
  vite = await startVite()
  await stage.connectModel()
  await using page = await openThread(vite)
  await heading(frame(page), 'First, 0')
  const add = frame(page).getByRole('button', { name: 'Add' })
  for (let press = 1; press <= 3; press += 1) await add.click()
  await heading(frame(page), 'First, 3')
  const change = { path: '/home/user/site/title.js', old_text: 'First', new_text: 'Second' }
  stage.models.reply({ calls: [{ name: 'edit_file', input: change }] }, { text: 'The title is changed.' })
  await send(page, 'Call it Second.')
  await page.getByText('The title is changed.').waitFor(patient)
  await answered(page)
  // What the page counted in memory stands beside the new title: it was not loaded again.
  await heading(frame(page), 'Second, 3')
  await add.click()
  await heading(frame(page), 'Second, 4')
}, 600_000)

test('O3, C4: a Vite tab that is left open lets its sandbox pause on time, and it stays paused', async () => {
  const { client } = stage.installation
  await using page = await openThread(vite)
  await heading(frame(page), 'Second, 0')
  // Once its server is lost, Vite's script asks for it each second: in the page, and not in a worker out of sight of this test.
  await page.context().addInitScript('delete globalThis.SharedWorker')
  const opened = page.context().waitForEvent('page')
  await page.getByRole('button', { name: 'Open in new tab' }).click()
  const tab = await opened
  let attempts = 0
  tab.on('websocket', () => {
    attempts += 1
  })
  await heading(tab, 'Second, 0')
  const sandbox = async () => (await client.threads.get(vite)).sandbox
  await client.sandboxes.change(vite, { policy: { idlePauseMinutes: 1 } })
  const startedAt = Date.now()
  const isPaused = async () => expect((await sandbox()).state).toBe('paused')
  await vi.waitFor(isPaused, { timeout: 150_000, interval: 500 })
  console.log(`with two open pages of Vite: paused after ${Math.round((Date.now() - startedAt) / 1000)} s, set were 60`)
  const { since, detail } = await sandbox()
  expect(detail).toEqual({ code: 'paused.idle', params: { minutes: 1 } })
  const before = attempts
  await expect.poll(() => attempts - before, patient).toBeGreaterThan(10)
  expect(await sandbox()).toMatchObject({ state: 'paused', since })
  await tab.close()
}, 600_000)

test('O4: a Streamlit app works over its socket: a button is pressed, and the count rises', async () => {
  const id = await newThread({ 'counter.py': await fixture('counter.py') })
  const options = '--server.headless true --server.address 127.0.0.1 --browser.gatherUsageStats false'
  const command = `exec streamlit run counter.py --server.port $PORT ${options}`
  await startService(id, { name: 'streamlit', port: 8501, command })
  await using page = await openThread(id)
  await frame(page).getByText('The count is 0').waitFor(patient)
  for (let press = 1; press <= 3; press += 1) {
    await frame(page).getByRole('button', { name: 'Add' }).click()
    await frame(page).getByText(`The count is ${press}`).waitFor(patient)
  }
}, 600_000)

test('O12: a login of a Flask app holds in its frame, in a browser that blocks third-party cookies', async () => {
  const id = await newThread({ 'login.py': await fixture('login.py') })
  const command = 'exec flask --app login run --host 127.0.0.1 --port $PORT'
  await startService(id, { name: 'flask', port: 5000, command })
  await using page = await openThread(id)
  await heading(frame(page), 'Log in')
  expect(await sites.cookiesInFrames(page)).toEqual({ 'same.site.localhost': 'lax=1; none=1', 'other.localhost': '' })
  await frame(page).getByRole('textbox', { name: 'Name' }).fill('Ada')
  await frame(page).getByRole('button', { name: 'Log in' }).click()
  await heading(frame(page), 'Hello Ada')
  await page.reload()
  await heading(frame(page), 'Hello Ada')
  await frame(page).getByRole('button', { name: 'Log out' }).click()
  await heading(frame(page), 'Log in')
}, 600_000)

/** Two sites of other people, to see what this browser does with cookies in frames of the same and of another site. */
type Sites = AsyncDisposable & {
  port: number
  /** What each frame got to keep, by its host. */
  cookiesInFrames(page: Page): Promise<Record<string, string>>
}

async function startSites(): Promise<Sites> {
  const server = createServer((request, response) => {
    const host = (name: string) => `http://${name}:${(server.address() as AddressInfo).port}/frame`
    response.setHeader('content-type', 'text/html')
    if (request.url === '/')
      return response.end(
        ['same.site.localhost', 'other.localhost'].map((name) => `<iframe src="${host(name)}"></iframe>`).join(''),
      )
    if (request.url === '/kept') return response.end(request.headers.cookie ?? '')
    response.setHeader('set-cookie', ['lax=1; SameSite=Lax', 'none=1; SameSite=None; Secure'])
    response.end(
      `<script>fetch('/kept').then((kept) => kept.text()).then((kept) => { document.title = 'kept:' + kept })</script>`,
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    cookiesInFrames: async (page) => {
      const tab = await page.context().newPage()
      await tab.goto(`http://app.site.localhost:${port}/`)
      const kept: Record<string, string> = {}
      for (const inside of tab.frames().slice(1)) {
        await inside.waitForFunction(`document.title.startsWith('kept:')`)
        const cookies = (await inside.title()).slice('kept:'.length).split('; ').sort().join('; ')
        kept[new URL(inside.url()).hostname] = cookies
      }
      await tab.close()
      return kept
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
