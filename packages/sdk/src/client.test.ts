import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createClient } from './client.ts'
import type { StreamStatus } from './event-stream.ts'
import { makeSseParser } from './sse-parser.ts'

const cleanups: (() => void)[] = []
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup()
})

/** A server on loopback with the test’s responses. */
async function serve(answer: (request: IncomingMessage, response: ServerResponse, count: number) => void) {
  let count = 0
  const server = createServer((request, response) => {
    count += 1
    answer(request, response, count)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const event = (seq: number) => `id: ${seq}\ndata: {"type":"entry-removed","seq":${seq},"entryId":"e${seq}"}\n\n`

test('a failed request becomes the error that the server threw', async () => {
  const body = { error: { code: 'thread.not-found', kind: 'not-found', message: 'No.', remedy: 'Look.', details: {} } }
  const baseUrl = await serve((_request, response) => response.writeHead(404).end(JSON.stringify(body)))
  const call = createClient({ baseUrl }).threads.get('t1')
  await expect(call).rejects.toMatchObject({ code: 'thread.not-found', kind: 'not-found', remedy: 'Look.' })
})

test('a response from a proxy is not mistaken for one of the server', async () => {
  const baseUrl = await serve((_request, response) => response.writeHead(502).end('<html>Bad gateway</html>'))
  await expect(createClient({ baseUrl }).account.me()).rejects.toMatchObject({
    code: 'server.answer-unknown',
    kind: 'unavailable',
  })
})

test('a missing response has its own error', async () => {
  const client = createClient({ baseUrl: 'http://127.0.0.1:9' })
  await expect(client.account.me()).rejects.toMatchObject({ code: 'server.unreachable', kind: 'unavailable' })
})

test('a stream continues after a lost connection from the last event ID, each event once', async () => {
  const lastIds: (string | undefined)[] = []
  const baseUrl = await serve((request, response, count) => {
    lastIds.push(request.headers['last-event-id'] as string | undefined)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    if (count === 1) response.write(event(6) + event(7), () => response.destroy())
    else response.write(event(8))
  })
  const ended = new AbortController()
  const seen: number[] = []
  const states: StreamStatus['state'][] = []
  await createClient({ baseUrl }).streamThread('t1', {
    after: 5,
    signal: ended.signal,
    onStatus: (status) => states.push(status.state),
    onEvent: (received) => {
      if ('seq' in received) seen.push(received.seq)
      if (seen.length === 3) ended.abort()
    },
  })
  expect(seen).toEqual([6, 7, 8])
  expect(lastIds).toEqual([undefined, '7'])
  expect(states).toEqual(['connecting', 'open', 'waiting', 'connecting', 'open'])
})

test('a stream ends after a reset, because a reconnect would only repeat it', async () => {
  const baseUrl = await serve((_request, response) => {
    response.writeHead(200).write('data: {"type":"reset"}\n\n')
  })
  const events: unknown[] = []
  const signal = new AbortController().signal
  await createClient({ baseUrl }).streamThread('t1', { after: 5, signal, onEvent: (received) => events.push(received) })
  expect(events).toEqual([{ type: 'reset' }])
})

test('a permanently rejected stream rejects instead of retrying forever', async () => {
  const error = { code: 'auth.required', kind: 'unauthenticated', message: 'Log in.', remedy: '', details: {} }
  const baseUrl = await serve((_request, response) => response.writeHead(401).end(JSON.stringify({ error })))
  const stream = createClient({ baseUrl }).streamUser({ signal: new AbortController().signal, onEvent: () => {} })
  await expect(stream).rejects.toMatchObject({ code: 'auth.required' })
})

test('events are assembled from any pieces, with CRLF, comments and several lines', () => {
  const text = ': keep-alive\r\n\r\nid: 4\r\ndata: a\r\ndata: b\r\n\r\ndata:c\n\nevent: x\rdata: d\r\r'
  for (let size = 1; size < 8; size += 1) {
    const parse = makeSseParser()
    const messages = []
    for (let at = 0; at < text.length; at += size) messages.push(...parse(text.slice(at, at + size)))
    messages.push(...parse('\n'))
    expect(messages.map(({ id, event: name, data }) => [id, name, data])).toEqual([
      ['4', 'message', 'a\nb'],
      ['4', 'message', 'c'],
      ['4', 'x', 'd'],
    ])
  }
})
