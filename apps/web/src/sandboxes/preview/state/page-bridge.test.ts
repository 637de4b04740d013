import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { AppMessage } from '../../../preview-bridge/messages.ts'
import { makePageBridge } from './page-bridge.ts'

const posted: AppMessage[] = []
const page = (path: string, values: object = {}) => ({
  threadbox: 'page',
  path,
  title: '',
  isLocked: false,
  isNew: false,
  ...values,
})
const line = (text: string) => ({ level: 'log', text, at: 1 })
const lines = (...texts: string[]) => ({ threadbox: 'console', lines: texts.map(line), dropped: 0 })
const at = (scale: number, signal = new AbortController().signal) => ({ scale, signal })
const open = () => makePageBridge({ post: (message) => posted.push(message), now: () => Date.now() })
const lastId = () => (posted.at(-1) as { id: string }).id
beforeEach(() => {
  vi.useFakeTimers()
  posted.length = 0
})
afterEach(() => {
  vi.useRealTimers()
})

describe('what a page reports', () => {
  test('reaches readers at most ten times a second', () => {
    const bridge = open()
    const listener = vi.fn()
    bridge.page.subscribe(listener)
    for (let index = 0; index < 50; index += 1) bridge.receive(page(`/${index}`))
    expect(listener).not.toHaveBeenCalled()
    vi.advanceTimersByTime(100)
    expect(listener).toHaveBeenCalledTimes(1)
    expect(bridge.page.getState().path).toBe('/49')
  })

  test('is cleared when another page comes, and when the loaded document has no bridge', () => {
    const bridge = open()
    bridge.receive(page('/a', { isNew: true }))
    bridge.receive(lines('one'))
    bridge.receive(page('/b', { isNew: true }))
    vi.advanceTimersByTime(100)
    expect(bridge.page.getState()).toMatchObject({ path: '/b', lines: [] })
    bridge.loaded()
    expect(posted).toEqual([{ threadbox: 'hello' }])
    bridge.receive(page('/b'))
    vi.advanceTimersByTime(10_000)
    expect(bridge.page.getState().path).toBe('/b')
    bridge.loaded()
    vi.advanceTimersByTime(10_000)
    expect(bridge.page.getState().path).toBeNull()
  })
})

describe('a hostile page', () => {
  test('changes nothing with invalid messages, messages that are too long, and paths that name another host', () => {
    const bridge = open()
    const huge = 'x'.repeat(5_000_000)
    const refused: unknown[] = [
      ...[undefined, null, 1, huge, [], {}, { threadbox: 'navigate', url: 'http://evil' }],
      ...['', 'a', '//evil', '/\\evil', 'http://evil/', `/${huge}`, '/a b', 1].map((path) => page(path as string)),
      ...[
        page('/x', { title: huge }),
        lines(huge),
        { ...lines(), lines: Array.from({ length: 1000 }, () => line('')) },
      ],
    ]
    for (const message of refused) bridge.receive(message)
    vi.advanceTimersByTime(1000)
    expect(bridge.page.getState()).toEqual({ path: null, title: '', isLocked: false, lines: [], dropped: 0 })
  })

  test('that sends endlessly is read 200 times a second, and the last lines of its console are kept', () => {
    const bridge = open()
    for (let index = 0; index < 100_000; index += 1) bridge.receive(lines(`${index} a`, `${index} b`))
    vi.advanceTimersByTime(100)
    expect(bridge.page.getState().lines).toHaveLength(300)
    expect(bridge.page.getState().lines.at(-1)?.text).toBe('199 b')
    vi.advanceTimersByTime(1000)
    bridge.receive(lines('later'))
    vi.advanceTimersByTime(100)
    expect(bridge.page.getState().lines.at(-1)?.text).toBe('later')
  })

  test('cannot use a guessed ID, and a capture without a reply fails after a timeout', async () => {
    const bridge = open()
    const region = { x: 0, y: 0, width: 10, height: 10 }
    const viewport = { width: 100, height: 100, scrollX: 0, scrollY: 0 }
    const reply = { threadbox: 'captured', image: new Blob(['x']), elements: [], missing: [], viewport }
    const outcome = bridge.capture(region, at(1)).catch((error: Error) => error.message)
    bridge.receive({ ...reply, id: 'guessed' })
    vi.advanceTimersByTime(60_000)
    expect(await outcome).toBe('The page didn’t respond.')

    const second = bridge.capture(region, at(2))
    bridge.receive({ ...reply, id: lastId() })
    expect((await second).image.size).toBe(1)
    const third = bridge.capture(region, at(2))
    bridge.receive({ threadbox: 'failed', id: lastId(), message: 'No.' })
    await expect(third).rejects.toThrow('No.')
  })

  test('is not asked after a cancel, and a cancel ends the wait immediately', async () => {
    const bridge = open()
    const region = { x: 0, y: 0, width: 10, height: 10 }
    const cancel = new AbortController()
    const outcome = bridge.capture(region, at(1, cancel.signal)).catch((error: Error) => error.name)
    const viewport = { width: 100, height: 100, scrollX: 0, scrollY: 0 }
    const reply = { threadbox: 'captured', image: new Blob(['x']), elements: [], missing: [], viewport }
    const id = lastId()
    cancel.abort()
    bridge.receive({ ...reply, id })
    expect(await outcome).toBe('AbortError')
    await expect(bridge.capture(region, at(1, cancel.signal))).rejects.toThrow()
    expect(posted).toHaveLength(1)
  })

  test.each<[string, object]>([
    ['text instead of an image', { image: 'data:image/png;base64,' }],
    ['no image', { image: undefined }],
    ['an image of 1 GB', { image: Object.defineProperty(new Blob([]), 'size', { value: 2 ** 30 }) }],
    ['a thousand elements', { elements: Array.from({ length: 1000 }, () => ({})) }],
    ['an element with a long text', { elements: [{ selector: 'p', text: 'x'.repeat(201), width: 1, height: 1 }] }],
    ['a viewport of no numbers', { viewport: { width: '1', height: null, scrollX: Number.NaN, scrollY: 0 } }],
    ['something unknown that is missing', { missing: ['everything'] }],
  ])('that replies with %s ends the wait without an image', async (_, values) => {
    const bridge = open()
    const region = { x: 0, y: 0, width: 10, height: 10 }
    const outcome = bridge.capture(region, at(1)).catch((error: Error) => error.message)
    const viewport = { width: 100, height: 100, scrollX: 0, scrollY: 0 }
    const reply = { threadbox: 'captured', id: lastId(), image: new Blob(['x']), elements: [], missing: [], viewport }
    bridge.receive({ ...reply, ...values })
    expect(await outcome).toBe('The page sent an unexpected response.')
  })

  test('can reply while it floods', async () => {
    const bridge = open()
    const picked = bridge.pick({ x: 1, y: 1 })
    for (let index = 0; index < 1000; index += 1) bridge.receive(page('/'))
    bridge.receive({ threadbox: 'picked', id: lastId(), region: { x: 0, y: 0, width: 5, height: 5 } })
    expect(await picked).toEqual({ x: 0, y: 0, width: 5, height: 5 })
  })
})
