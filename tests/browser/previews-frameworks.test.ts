import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answered, send } from './app-in-browser.ts'
import { type BrowserStage, startWholeBrowserStage } from './harness.ts'
import {
  fixture,
  frame,
  heading,
  newThread,
  openThread,
  patient,
  startService,
  startVite,
} from './previews-frameworks/framework-services.ts'

/** Common frameworks in real sandboxes, their pages in the frame next to the conversation. */
const cleanup = new AsyncDisposableStack()
let stage: BrowserStage
let sites: Sites
beforeAll(async () => {
  sites = cleanup.use(await startSites())
  stage = cleanup.use(await startWholeBrowserStage(sites))
})
afterAll(() => cleanup.disposeAsync())

test('O4, O12: an edit by the agent changes the page of a Vite server in its frame, without a reload', async () => {
  const vite = await startVite(stage)
  await stage.connectModel()
  await using page = await openThread(stage, vite)
  await heading(frame(page), 'First, 0')
  const add = frame(page).getByRole('button', { name: 'Add' })
  for (let press = 1; press <= 3; press += 1) await add.click()
  await heading(frame(page), 'First, 3')
  const change = { path: '/home/user/site/title.js', old_text: 'First', new_text: 'Second' }
  stage.models.reply({ calls: [{ name: 'edit_file', input: change }] }, { text: 'The title is changed.' })
  await send(page, 'Call it Second.')
  await page.getByText('The title is changed.').waitFor(patient)
  await answered(page)
  // The page’s in-memory count is next to the new title: it was not reloaded.
  await heading(frame(page), 'Second, 3')
  await add.click()
  await heading(frame(page), 'Second, 4')
}, 600_000)

test('O4: a Streamlit app works over its socket: a button is pressed, and the count rises', async () => {
  const id = await newThread(stage, { 'counter.py': await fixture('counter.py') })
  const options = '--server.headless true --server.address 127.0.0.1 --browser.gatherUsageStats false'
  const command = `exec streamlit run counter.py --server.port $PORT ${options}`
  await startService(stage, { threadId: id, name: 'streamlit', port: 8501, command })
  await using page = await openThread(stage, id)
  await frame(page).getByText('The count is 0').waitFor(patient)
  for (let press = 1; press <= 3; press += 1) {
    await frame(page).getByRole('button', { name: 'Add' }).click()
    await frame(page).getByText(`The count is ${press}`).waitFor(patient)
  }
}, 600_000)

test('O12: a session of a Flask app lasts in its frame, in a browser that blocks third-party cookies', async () => {
  const id = await newThread(stage, { 'login.py': await fixture('login.py') })
  const command = 'exec flask --app login run --host 127.0.0.1 --port $PORT'
  await startService(stage, { threadId: id, name: 'flask', port: 5000, command })
  await using page = await openThread(stage, id)
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

/** Two unrelated sites, to check how this browser handles cookies in frames of the same and of another site. */
type Sites = AsyncDisposable & {
  port: number
  /** The cookies that each frame kept, by its host. */
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
