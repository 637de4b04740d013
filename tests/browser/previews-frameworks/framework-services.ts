import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Service } from '@threadbox/protocol/public'
import type { FrameLocator, Page } from 'playwright-core'
import { expect, vi } from 'vitest'
import { openPaneWith } from '../app-in-browser.ts'
import { type BrowserStage, closePage } from '../harness.ts'
import { archiveOfInstalled } from './installed-package.ts'

/** Frameworks as people use them, in real sandboxes, their pages in the frame beside the conversation. */

/** Timeout for starting a framework on a busy machine. */
export const patient = { timeout: 180_000 }
const readyTimeoutSeconds = 300
export const frame = (page: Page) => page.frameLocator('.frame iframe')
export const heading = (within: Page | FrameLocator, name: string) =>
  within.getByRole('heading', { name, exact: true }).waitFor(patient)
export const fixture = (name: string) => readFile(path.join(import.meta.dirname, name), 'utf8')

export async function newThread(
  { installation: { client } }: BrowserStage,
  files: Record<string, string | Buffer<ArrayBuffer>>,
): Promise<string> {
  const { id } = await client.threads.create({})
  for (const [name, content] of Object.entries(files)) {
    await client.files.write(id, `/home/user/site/${name}`, new Blob([content]))
  }
  return id
}

/** A thread's page with the preview open. */
export async function openThread(stage: BrowserStage, id: string): Promise<Page & AsyncDisposable> {
  const page = await stage.open(`/threads/${id}`, { width: 1440, height: 900 })
  await page.locator('#message').waitFor()
  await openPaneWith(page, 'Alt+1', 'Preview')
  return Object.assign(page, { [Symbol.asyncDispose]: () => closePage(page) })
}

/** Starts a service of a framework; resolves when it responds. Otherwise fails with its output. */
export async function startService(
  { installation: { client } }: BrowserStage,
  service: { threadId: string; name: string; port: number; command: string },
): Promise<void> {
  const { threadId, ...started } = service
  const { services } = client
  await services.start(threadId, { ...started, cwd: 'site', readyTimeoutSeconds })
  let found: Service | undefined
  const isDecided = async () => {
    found = (await services.list(threadId)).services.find(({ name }) => name === service.name)
    expect(found?.status).not.toBe('starting')
  }
  await vi.waitFor(isDecided, { timeout: readyTimeoutSeconds * 1000, interval: 250 }).catch(() => undefined)
  if (found?.status === 'running') return
  const { text } = await services.logs(threadId, service.name)
  throw new Error(`${service.name} is ${found?.status}, ${JSON.stringify(found?.problem)}; it printed:\n${text}`)
}

/** A thread with a development server of Vite. */
export async function startVite(stage: BrowserStage): Promise<string> {
  const id = await newThread(stage, {
    'package.json': '{"private":true,"type":"module"}',
    'vite.tar.gz': await archiveOfInstalled('vite'),
    'index.html': await fixture('page.html'),
    'main.js': await fixture('main.js'),
    'title.js': `export const title = 'First'\n`,
  })
  const serve = 'exec node node_modules/vite/bin/vite.js --host 127.0.0.1 --port $PORT --strictPort'
  const command = `tar xzf vite.tar.gz && ${serve}`
  await startService(stage, { threadId: id, name: 'vite', port: 5173, command })
  return id
}
