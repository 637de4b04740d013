import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { ToolCallEntry } from '@threadbox/sdk'
import { type ModelServer, startModelServer } from '@threadbox/testkit'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startInstallation, type TestInstallation, type TestThread } from '../stack/installation.ts'

/** The browser of the base image in a real sandbox, looking at real pages for a scripted model. */
let installation: TestInstallation
let model: ModelServer
let thread: TestThread
beforeAll(async () => {
  model = await startModelServer()
  installation = await startInstallation({})
  await installation.client.models.connect({
    provider: 'anthropic',
    model: 'test-model',
    baseUrl: model.baseUrls.anthropic,
    apiKey: 'key',
  })
  thread = await installation.newThread()
  const site = await readFile(path.join(import.meta.dirname, 'view-page/site.mjs'))
  await output('mkdir -p site')
  await installation.client.files.write(thread.id, '/home/user/site/site.mjs', new Uint8Array(site))
  await installation.client.services.start(thread.id, { name: 'site', port: 8000, command: 'node site/site.mjs' })
})
afterAll(async () => {
  await installation?.[Symbol.asyncDispose]()
  await model?.close()
})

async function output(command: string): Promise<string> {
  const { calls } = await thread.say(`/run ${command}`)
  expect(calls[0], command).toMatchObject({ status: 'succeeded', result: { kind: 'command', exitCode: 0 } })
  return calls[0]?.output.tail ?? ''
}

type Look = { call: ToolCallEntry; told: string; picture: Buffer | undefined }

/** Lets the model look, and takes from its next request what it was told and shown. */
async function look(input: object): Promise<Look> {
  model.reply({ calls: [{ name: 'view_page', input }] }, { text: 'Seen.' })
  const { calls } = await thread.say('Look at it')
  const [call] = calls
  if (call === undefined) throw new Error('the model’s call was not run')
  const messages = (model.requests.at(-1)?.body.messages ?? []) as { content: unknown }[]
  const results = messages.flatMap(({ content }) =>
    Array.isArray(content) ? (content as { type: string; content?: unknown }[]) : [],
  )
  const result = results.findLast(({ type }) => type === 'tool_result')?.content
  const parts = Array.isArray(result) ? (result as { type: string; text?: string; source?: { data: string } }[]) : []
  const text = parts.find(({ type }) => type === 'text')?.text
  const data = parts.find(({ type }) => type === 'image')?.source?.data
  return { call, told: text ?? String(result), picture: data === undefined ? undefined : Buffer.from(data, 'base64') }
}

/** Width, height and some pixels of a picture, by the sandbox's own Pillow. */
async function pixels(picture: Buffer | undefined, points: [number, number][]): Promise<string> {
  await installation.client.files.write(thread.id, '/home/user/seen', new Uint8Array(picture ?? Buffer.alloc(0)))
  const asked = points.map(([x, y]) => `p.getpixel((${x}, ${y}))`).join(', ')
  return (
    await output(`python3 -c "from PIL import Image; p = Image.open('seen').convert('RGB'); print(p.size, ${asked})"`)
  ).trim()
}

const browsers = () => output("pgrep -c -u user -f 'chromium|threadbox-look' || true").then((text) => Number(text))
const profiles = () => output('ls -d /tmp/threadbox-look-* 2>/dev/null | wc -l').then((text) => Number(text))

async function nothingIsLeft(): Promise<void> {
  expect(await profiles()).toBe(0)
  await vi.waitFor(async () => expect(await browsers()).toBe(0), { timeout: 30_000, interval: 250 })
}

test('view_page sees what only scripts draw, whatever a user has set for own programs', async () => {
  await output('export NODE_OPTIONS=--no-such-option LD_PRELOAD=/nothing.so')
  const seen = await look({ service: 'site', path: '/drawn' })
  await output('unset NODE_OPTIONS LD_PRELOAD')
  expect(seen.call, seen.told).toMatchObject({
    status: 'succeeded',
    result: {
      kind: 'image',
      path: 'http://localhost:8000/drawn',
      page: { title: 'Drawn', httpStatus: 200, problems: [] },
    },
  })
  expect(seen.told).toContain('Only by script 你好 🎉')
  expect(
    await pixels(seen.picture, [
      [250, 250],
      [1000, 700],
    ]),
  ).toBe('(1280, 800) (255, 0, 0) (255, 255, 255)')
  await nothingIsLeft()
})

test('it tells the console, exceptions and failed requests of a page', async () => {
  const { call, told } = await look({ url: 'http://localhost:8000/errors', width: 390, height: 844 })
  expect(told).toContain('error: boom 7')
  expect(told).toContain('log: fine')
  expect(told).toContain('Error: late')
  expect(told).toContain('http://localhost:8000/missing.json: HTTP 404')
  const problems = call.result?.kind === 'image' ? call.result.page?.problems : []
  expect(problems).toEqual(expect.arrayContaining(['error: boom 7', 'http://localhost:8000/missing.json: HTTP 404']))
})

test('a page that never finishes loading is shown as far as it came; one that never answers is an error', async () => {
  const slow = await look({ service: 'site', path: '/waiting', timeout_seconds: 3 })
  expect(slow.call.status).toBe('succeeded')
  expect(slow.told).toContain('It had not finished loading after 3 s')
  expect(slow.told).toContain('here already')
  const never = await look({ service: 'site', path: '/never', timeout_seconds: 3 })
  expect(never.call).toMatchObject({ status: 'failed', error: { code: 'page.no-answer' } })
  await nothingIsLeft()
})

test('a port at which nothing listens, another machine and an unknown service are errors of their own', async () => {
  const dead = await look({ url: 'http://localhost:8999/' })
  expect(dead.call).toMatchObject({ status: 'failed', error: { code: 'page.unreachable' } })
  expect(dead.told).toContain('net::ERR_CONNECTION_REFUSED')
  expect((await look({ url: 'https://example.com/' })).call.error?.code).toBe('page.not-local')
  expect((await look({ service: 'nobody' })).call.error?.code).toBe('service.not-found')
})

test('a page 50,000 pixels high is shown in parts that a model can read', async () => {
  const { told, picture } = await look({ service: 'site', path: '/tall', full_page: true, scroll_y: 40_000 })
  expect(told).toContain('page 1280×50000 CSS pixels; the picture shows it from 40000 to 42400')
  expect(told).toContain('scroll_y=42400 shows more')
  const [size, red, blue] =
    /\((\d+, \d+)\) \((\d+), \d+, (\d+)\)/.exec(await pixels(picture, [[400, 700]]))?.slice(1) ?? []
  expect(size).toBe('836, 1568')
  // At four fifths of a gradient from red to blue.
  expect(Number(red)).toBeLessThan(70)
  expect(Number(blue)).toBeGreaterThan(185)
})

test('a page that opens a thousand windows, one that only grows and one that never pauses harm nothing', async () => {
  const service = async () => (await installation.client.services.list(thread.id)).services[0]
  const before = await service()
  const pid = await output('pgrep -f site/site.mjs')
  const windows = await look({ service: 'site', path: '/windows' })
  expect(windows.call.status, windows.told).toBe('succeeded')
  expect(windows.told).toMatch(/It tried to open \d+ windows, which was refused/)
  await nothingIsLeft()
  const greedy = await look({ service: 'site', path: '/memory' })
  expect(greedy.call.status).toBe('failed')
  expect(['page.too-much-memory', 'page.crashed'], greedy.told).toContain(greedy.call.error?.code)
  await nothingIsLeft()
  const busy = await look({ service: 'site', path: '/loop', timeout_seconds: 3 })
  expect(busy.call).toMatchObject({ status: 'failed', error: { code: 'page.not-responding' } })
  expect(busy.told).toContain('warning: spinning')
  await nothingIsLeft()
  expect(await output('pgrep -f site/site.mjs')).toBe(pid)
  expect(await service()).toEqual(before)
})

test('Stop during a look ends the browser and leaves nothing behind', async () => {
  model.reply({ calls: [{ name: 'view_page', input: { service: 'site', path: '/never', timeout_seconds: 120 } }] })
  const ending = thread.say('Look at it')
  await vi.waitFor(
    async () => {
      const names = (await installation.client.files.list(thread.id, '/tmp')).entries.map(({ name }) => name)
      expect(names.some((name) => name.startsWith('threadbox-look-'))).toBe(true)
    },
    { timeout: 60_000, interval: 250 },
  )
  await installation.client.threads.stop(thread.id)
  const { calls, turn } = await ending
  expect(turn.status).toBe('stopped')
  expect(calls[0]).toMatchObject({ tool: 'view_page', status: 'stopped' })
  await nothingIsLeft()
})

test('/look shows a page without a model, and a sandbox without a browser says how to get one', async () => {
  const { calls } = await thread.say('/look 8000/drawn')
  expect(calls[0]).toMatchObject({ tool: 'view_page', status: 'succeeded', result: { page: { title: 'Drawn' } } })
  await output('sudo mv /usr/bin/chromium-headless-shell /usr/bin/elsewhere')
  const missing = await look({ service: 'site' })
  expect(missing.call).toMatchObject({ status: 'failed', error: { code: 'page.browser-missing' } })
  expect(missing.told).toContain('apt-get install -y chromium-headless-shell')
})
