import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PageReport } from '@threadbox/protocol/guest'
import type { RecordedRequest } from '@threadbox/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { attachmentKey } from '../../threads/attachments/blob-keys.ts'
import { makeTestBench, type TestBench } from './turns.test-utils.ts'

let bench: TestBench
beforeEach(async () => {
  bench = await makeTestBench()
})
afterEach(async () => {
  await bench[Symbol.asyncDispose]()
})

const providers = ['anthropic', 'openai', 'google'] as const
/** One red pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==',
  'base64',
)
const base64 = png.toString('base64')

/** An image exactly as each provider's protocol has it, whatever else is in the part. */
const partOf = {
  anthropic: { type: 'image', source: { type: 'base64', media_type: 'image/png', data: base64 } },
  openai: { type: 'image_url', image_url: { url: `data:image/png;base64,${base64}` } },
  google: { inlineData: { mimeType: 'image/png', data: base64 } },
} as const

/** Every object in a request's body that has all of the given fields. */
function partsLike(request: RecordedRequest | undefined, wanted: object): unknown[] {
  const matches: unknown[] = []
  const fits = (value: unknown) => {
    try {
      expect(value).toMatchObject(wanted)
      return true
    } catch {
      return false
    }
  }
  const visit = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return
    if (!Array.isArray(value) && fits(value)) matches.push(value)
    for (const inner of Object.values(value)) visit(inner)
  }
  visit(request?.body)
  return matches
}

const screenshot = {
  url: 'http://localhost:8000/shop',
  service: 'web',
  viewport: { width: 1280, height: 720, scale: 1, scrollX: 0, scrollY: 0 },
  region: { x: 10, y: 20, width: 300, height: 200 },
  elements: [{ selector: '#buy', text: 'Buy now', width: 80, height: 32 }],
  consoleErrors: ['TypeError: cart is undefined'],
}

async function sendScreenshot(more: { screenshots?: Record<string, typeof screenshot> } = {}): Promise<void> {
  const file = { name: 's.png', mediaType: 'image/png', sizeBytes: png.length, path: '/home/user/uploads/s.png' }
  bench.attachments.set('a1', { id: 'a1', ...file })
  await bench.dependencies.blobs.put(attachmentKey(bench.threadId, 'a1'), png)
  const message = { text: 'Why is this button grey?', attachmentIds: ['a1'], key: 'with-screenshot' }
  await bench.turns.send(bench.threadId, { ...message, screenshots: { a1: screenshot }, ...more })
  await bench.turns.settled(bench.threadId)
}

/** A busy machine takes seconds instead of tenths to create an engine with its database. */
const timeout = 60_000

describe('a screenshot in a message', { timeout }, () => {
  it.each(providers)(
    'O9: reaches %s in its own format, with a description of the elements under it',
    async (provider) => {
      await bench.connect({ provider })
      bench.model.reply({ text: 'Because it is disabled.' })
      await sendScreenshot()
      const request = bench.model.requests[0]
      expect(partsLike(request, partOf[provider])).toHaveLength(1)
      const text = request?.messages[0]?.text ?? ''
      expect(text).toContain('of the service "web" at "http://localhost:8000/shop"')
      expect(text).toContain('element "#buy" 80×32 text "Buy now"')
      expect(text).toContain('console error "TypeError: cart is undefined"')
      expect(text).toContain('Why is this button grey?')
      expect(text).not.toContain(base64)
    },
  )

  it('O9: keeps its details when the message is shown, or edited and sent again', async () => {
    await bench.connect()
    bench.model.reply({ text: 'One.' }, { text: 'Two.' })
    await sendScreenshot()
    const [shown] = await bench.entries()
    expect(shown).toMatchObject({ kind: 'user-message', attachments: [{ id: 'a1', screenshot }] })
    await bench.turns.editAndResend(bench.threadId, { entryId: shown?.id ?? '', text: 'And now?' })
    await bench.turns.settled(bench.threadId)
    expect(partsLike(bench.model.requests[1], partOf.anthropic)).toHaveLength(1)
    expect(bench.model.requests[1]?.messages[0]?.text).toContain('console error "TypeError: cart is undefined"')
  })

  it('details that match no image of the message are rejected', async () => {
    await bench.connect()
    await expect(sendScreenshot({ screenshots: { other: screenshot } })).rejects.toMatchObject({
      code: 'message.screenshot-not-a-picture',
    })
    expect(await bench.entries()).toEqual([])
  })
})

describe('a model that cannot see', { timeout }, () => {
  it('is notified which images it does not get, and the conversation shows a notice', async () => {
    await bench.connect({ provider: 'openai-compatible' })
    bench.model.reply({ text: 'I cannot see it.' })
    await sendScreenshot()
    const request = bench.model.requests[0]
    expect(JSON.stringify(request?.body)).not.toContain(base64)
    const text = request?.messages[0]?.text ?? ''
    expect(text).toContain('cannot see images with the current model. Not shown: /home/user/uploads/s.png')
    expect(text).toContain('element "#buy" 80×32 text "Buy now"')
    const entries = await bench.entries()
    expect(entries.find((entry) => entry.kind === 'notice')).toMatchObject({
      code: 'images-not-seen',
      params: { count: 1 },
    })
  })

  it('a model that sees, or a message without an image, gets no notice', async () => {
    await bench.connect()
    bench.model.reply({ text: 'Yes.' })
    await sendScreenshot()
    expect((await bench.entries()).filter((entry) => entry.kind === 'notice')).toEqual([])
    await using blind = await makeTestBench()
    await blind.connect({ provider: 'openai-compatible' })
    blind.model.reply({ text: 'Hello.' })
    await blind.say('Hello')
    expect((await blind.entries()).filter((entry) => entry.kind === 'notice')).toEqual([])
  })
})

describe('view_page', { timeout }, () => {
  const report: PageReport = {
    problem: null,
    detail: '',
    url: 'http://localhost:8000/',
    httpStatus: 200,
    title: 'Shop',
    isLoaded: true,
    waitForFound: null,
    pageWidth: 1280,
    pageHeight: 50_000,
    picture: { mediaType: 'image/png', base64, top: 0, height: 800, scale: 1 },
    text: 'Drawn by script',
    textCharacters: 15,
    console: [{ level: 'error', text: 'boom', times: 3 }],
    consoleLeftOut: 2,
    failedRequests: [{ url: 'http://localhost:8000/a.js', problem: 'HTTP 404' }],
    failedRequestsLeftOut: 0,
    windowsRefused: 1000,
    dialogs: ['alert: hello'],
  }
  /** Stands in for the guest's program, which other tests run with a real browser in a real sandbox. */
  const guestPrints = async (line: string, exitCode = 0) => {
    const directory = join(bench.sandbox.directory, '.guest')
    await mkdir(directory, { recursive: true })
    await writeFile(join(directory, 'report'), line)
    const script = `#!/bin/sh\ncat ${directory}/report\nprintf %s "$1" > ${directory}/asked\nexit ${exitCode}\n`
    await writeFile(join(directory, 'look'), script, { mode: 0o755 })
  }
  const call = async (input: object = { url: 'localhost:8000' }) => {
    bench.model.reply({ calls: [{ name: 'view_page', input }] }, { text: 'Seen.' })
    await bench.say('Look')
    const entry = (await bench.entries()).find((candidate) => candidate.kind === 'tool-call')
    return { entry: entry?.kind === 'tool-call' ? entry : undefined, request: bench.model.requests[1] }
  }
  const resultOf = (request: RecordedRequest | undefined) =>
    request?.messages.flatMap(({ results }) => results).at(-1)?.text ?? ''

  it.each(providers)('its screenshot reaches %s in its own format, once', async (provider) => {
    await bench.connect({ provider })
    await guestPrints(`something else\n${JSON.stringify(report)}\n`)
    const { request } = await call()
    expect(partsLike(request, partOf[provider])).toHaveLength(1)
  })

  it('returns text, console, failed and blocked requests; the card has the screenshot and the problems', async () => {
    await bench.connect()
    await guestPrints(JSON.stringify(report))
    const { entry, request } = await call()
    const result = resultOf(request)
    expect(result).toContain('http://localhost:8000/ (HTTP 200), title "Shop"')
    expect(result).toContain(
      'page 1280×50000 CSS pixels; the screenshot shows y=0 to 800. The page continues below: use scroll_y=800',
    )
    expect(result).toContain('Console:\nerror: boom (3 times)\n(2 more omitted)')
    expect(result).toContain('http://localhost:8000/a.js: HTTP 404')
    expect(result).toContain('The page tried to open 1000 windows, which were blocked.')
    expect(result).toContain('Page text:\nDrawn by script')
    expect(entry?.result).toMatchObject({
      kind: 'image',
      path: 'http://localhost:8000/',
      page: {
        title: 'Shop',
        httpStatus: 200,
        problems: ['error: boom (3 times)', 'http://localhost:8000/a.js: HTTP 404'],
      },
    })
  })

  it('a model that cannot see gets the text and a note that images are not visible', async () => {
    await bench.connect({ provider: 'openai-compatible' })
    await guestPrints(JSON.stringify(report))
    const { request } = await call()
    expect(resultOf(request)).toContain('Drawn by script')
    expect(resultOf(request)).toContain('You cannot see images with the current model.')
    expect(JSON.stringify(request?.body)).not.toContain(base64)
  })

  it('a problem of the page has its own error, with what was read until then', async () => {
    await bench.connect()
    await guestPrints(JSON.stringify({ ...report, problem: 'not-responding', detail: 'Nothing came.', picture: null }))
    const { entry, request } = await call()
    expect(entry).toMatchObject({ status: 'failed', error: { code: 'page.not-responding' } })
    expect(resultOf(request)).toContain('error: boom')
  })

  it.each([
    ['an invalid report', 'hello', 0, 'page.browser-failed'],
    [
      'an invalid image',
      JSON.stringify({ ...report, picture: { ...report.picture, base64: 'aGVsbG8=' } }),
      0,
      'page.browser-failed',
    ],
    ['a report beyond the limits', JSON.stringify({ ...report, text: 'x'.repeat(200_000) }), 0, 'page.browser-failed'],
    ['a guest without the program', '', 127, 'page.look-unsupported'],
  ])('%s fails the call and nothing else', async (_name, line, exitCode, code) => {
    await bench.connect()
    await guestPrints(line, exitCode)
    expect((await call()).entry).toMatchObject({ status: 'failed', error: { code } })
  })

  it('opens only pages of the sandbox itself', async () => {
    await bench.connect()
    await guestPrints(JSON.stringify(report))
    for (const url of [
      'https://example.com/',
      'http://localhost@example.com/',
      'file:///etc/passwd',
      'http://10.0.0.1/',
    ]) {
      bench.model.reply({ calls: [{ name: 'view_page', input: { url } }] }, { text: 'No.' })
      await bench.say('Look')
    }
    const calls = (await bench.entries()).filter((entry) => entry.kind === 'tool-call')
    expect(calls.map((entry) => entry.error?.code)).toEqual(Array(4).fill('page.not-local'))
    expect(bench.sandbox.starts).toEqual([])
  })

  it('without a URL it fails with an input error', async () => {
    await bench.connect()
    expect((await call({})).entry?.error).toMatchObject({ code: 'call.input-invalid' })
  })

  it('/look opens a port without a model', async () => {
    await guestPrints(JSON.stringify(report))
    await bench.say('/look 8000/shop?a=1')
    const entry = (await bench.entries()).find((candidate) => candidate.kind === 'tool-call')
    expect(entry).toMatchObject({
      tool: 'view_page',
      input: { url: 'http://localhost:8000/shop?a=1' },
      status: 'succeeded',
    })
  })
})
