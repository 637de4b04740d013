import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Looking, startLooking } from './view-page/looking.ts'

/** What a model and a person see of pages in a sandbox. */
let looking: Looking
beforeAll(async () => {
  looking = await startLooking()
})
afterAll(() => looking?.[Symbol.asyncDispose]())

/** Width, height and some pixels of an image, by the sandbox’s own Pillow. */
async function pixels(image: Buffer | undefined, points: [number, number][]): Promise<string> {
  await looking.installation.client.files.write(
    looking.thread.id,
    '/home/user/seen',
    new Uint8Array(image ?? Buffer.alloc(0)),
  )
  const asked = points.map(([x, y]) => `p.getpixel((${x}, ${y}))`).join(', ')
  return (
    await looking.output(
      `python3 -c "from PIL import Image; p = Image.open('seen').convert('RGB'); print(p.size, ${asked})"`,
    )
  ).trim()
}

test('view_page sees what only scripts draw, regardless of the user’s own settings', async () => {
  await looking.output('export NODE_OPTIONS=--no-such-option LD_PRELOAD=/nothing.so')
  const seen = await looking.view({ service: 'site', path: '/drawn' })
  await looking.output('unset NODE_OPTIONS LD_PRELOAD')
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
    await pixels(seen.image, [
      [250, 250],
      [1000, 700],
    ]),
  ).toBe('(1280, 800) (255, 0, 0) (255, 255, 255)')
  await looking.nothingIsLeft()
})

test('it reports the console, exceptions and failed requests of a page', async () => {
  const { call, told } = await looking.view({ url: 'http://localhost:8000/errors', width: 390, height: 844 })
  expect(told).toContain('error: boom 7')
  expect(told).toContain('log: fine')
  expect(told).toContain('Error: late')
  expect(told).toContain('http://localhost:8000/missing.json: HTTP 404')
  const problems = call.result?.kind === 'image' ? call.result.page?.problems : []
  expect(problems).toEqual(expect.arrayContaining(['error: boom 7', 'http://localhost:8000/missing.json: HTTP 404']))
})

test('a port at which nothing listens, another machine and an unknown service each have their own error', async () => {
  const dead = await looking.view({ url: 'http://localhost:8999/' })
  expect(dead.call).toMatchObject({ status: 'failed', error: { code: 'page.unreachable' } })
  expect(dead.told).toContain('net::ERR_CONNECTION_REFUSED')
  expect((await looking.view({ url: 'https://example.com/' })).call.error?.code).toBe('page.not-local')
  expect((await looking.view({ service: 'nobody' })).call.error?.code).toBe('service.not-found')
})

test('a page 50,000 pixels high is shown in parts that a model can read', async () => {
  const { told, image } = await looking.view({ service: 'site', path: '/tall', full_page: true, scroll_y: 40_000 })
  expect(told).toContain('page 1280×50000 CSS pixels; the screenshot shows y=40000 to 42400')
  expect(told).toContain('use scroll_y=42400 to see more')
  const [size, red, blue] =
    /\((\d+, \d+)\) \((\d+), \d+, (\d+)\)/.exec(await pixels(image, [[400, 700]]))?.slice(1) ?? []
  expect(size).toBe('836, 1568')
  // At four fifths of a gradient from red to blue.
  expect(Number(red)).toBeLessThan(70)
  expect(Number(blue)).toBeGreaterThan(185)
})

test('/look shows a page without a model, and a sandbox without a browser says how to install one', async () => {
  const { calls } = await looking.thread.say('/look 8000/drawn')
  expect(calls[0]).toMatchObject({ tool: 'view_page', status: 'succeeded', result: { page: { title: 'Drawn' } } })
  await looking.output('sudo mv /usr/bin/chromium-headless-shell /usr/bin/elsewhere')
  const missing = await looking.view({ service: 'site' })
  expect(missing.call).toMatchObject({ status: 'failed', error: { code: 'page.browser-missing' } })
  expect(missing.told).toContain('apt-get install -y chromium-headless-shell')
})
