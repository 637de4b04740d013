import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { MessageTooLarge, makeDevTools } from './devtools.ts'
import { cut, makePageEvents } from './page-events.ts'
import { Deadline } from './time.ts'

describe('the connection to the browser', () => {
  const connected = () => {
    const input = new PassThrough()
    const output = new PassThrough()
    return { input, output, devTools: makeDevTools({ input, output }) }
  }
  const say = (output: PassThrough, message: object) => void output.write(`${JSON.stringify(message)}\0`)

  it('results belong to their commands, whatever their order, and however the bytes are cut', async () => {
    const { input, output, devTools } = connected()
    const answers = Promise.all([devTools.send('One'), devTools.send('Two', { a: 'ä' }, 'session')])
    const sent = String(input.read())
      .split('\0')
      .filter(Boolean)
      .map((text) => JSON.parse(text))
    expect(sent).toMatchObject([
      { id: 1, method: 'One' },
      { id: 2, method: 'Two', params: { a: 'ä' }, sessionId: 'session' },
    ])
    const bytes = Buffer.from(`{"id":2,"result":{"said":"zweitens ü"}}\0{"id":1,"result":{}}\0`)
    for (const byte of bytes) output.write(Buffer.from([byte]))
    expect(await answers).toEqual([{}, { said: 'zweitens ü' }])
  })

  it('a refused command rejects with the words of the browser', async () => {
    const { output, devTools } = connected()
    const refused = devTools.send('One')
    say(output, { id: 1, error: { message: 'No such page' } })
    await expect(refused).rejects.toThrow('No such page')
  })

  it('when the browser ends, waiting and later commands are rejected with the first reason', async () => {
    const { output, devTools } = connected()
    const waiting = devTools.send('One')
    devTools.end(new Error('it used too much memory'))
    output.destroy()
    await expect(waiting).rejects.toThrow('too much memory')
    await expect(devTools.send('Two')).rejects.toThrow('too much memory')
  })

  it('one message without an end does not fill the memory', async () => {
    const { output, devTools } = connected()
    const waiting = devTools.send('One')
    waiting.catch(() => undefined)
    const megabyte = Buffer.alloc(1024 * 1024, 'x')
    for (let count = 0; count < 50 && !output.destroyed; count += 1) {
      if (!output.write(megabyte)) await new Promise((resolve) => setImmediate(resolve))
    }
    await expect(waiting).rejects.toBeInstanceOf(MessageTooLarge)
  })
})

describe('the messages of a page', () => {
  const event = (method: string, params: Record<string, unknown>) => ({ method, params, sessionId: 's' })
  const logged = (...args: unknown[]) =>
    event('Runtime.consoleAPICalled', { type: 'log', args: args.map((value) => ({ type: typeof value, value })) })

  it('contain console, exceptions and failed requests with their reasons, each reported once', () => {
    const events = makePageEvents('main')
    events.take(logged('a', 1, { b: 2 }))
    events.take(logged('a', 1, { b: 2 }))
    const exception = {
      exceptionDetails: { exception: { description: 'Error: late' }, url: 'http://x/a.js', lineNumber: 4 },
    }
    events.take(event('Runtime.exceptionThrown', exception))
    events.take(event('Network.requestWillBeSent', { requestId: '1', request: { url: 'http://x/data' } }))
    events.take(event('Network.loadingFailed', { requestId: '1', type: 'Fetch', errorText: 'net::ERR_FAILED' }))
    const answer = (url: string, status: number, more = {}) =>
      event('Network.responseReceived', { type: 'Image', response: { url, status }, ...more })
    events.take(answer('http://x/p.png', 404))
    events.take(answer('http://x/favicon.ico', 404))
    events.take(answer('http://x/', 500, { type: 'Document', frameId: 'main' }))
    expect(events.facts()).toMatchObject({
      httpStatus: 500,
      console: [
        { level: 'log', text: 'a 1 {"b":2}', times: 2 },
        { level: 'error', text: 'Error: late (http://x/a.js:5)', times: 1 },
      ],
      failedRequests: [
        { url: 'http://x/data', problem: 'net::ERR_FAILED' },
        { url: 'http://x/p.png', problem: 'HTTP 404' },
      ],
    })
  })

  it('are bounded however many they are, and say how many were left out', () => {
    const events = makePageEvents('main')
    for (let count = 0; count < 3000; count += 1) events.take(logged(`${count} ${'x'.repeat(5000)}`))
    const facts = events.facts()
    expect(facts.console).toHaveLength(50)
    expect(facts.console[0]?.text).toHaveLength(1000)
    expect(facts.consoleLeftOut).toBe(2950)
    expect(events.isFlooded()).toBe(true)
  })

  it('are not cut within a character', () => {
    expect(cut('ab🎉cd', 4)).toBe('ab…')
    expect(cut('abcd', 4)).toBe('abcd')
  })
})

it('a deadline holds over several steps and names its own problem', async () => {
  const deadline = new Deadline(50, 'no-answer')
  expect(await deadline.within(Promise.resolve(1))).toBe(1)
  await expect(deadline.within(new Promise(() => undefined))).rejects.toMatchObject({ problem: 'no-answer' })
  // Timers can be a fraction of a millisecond early.
  expect(deadline.leftMs()).toBeLessThan(5)
})
