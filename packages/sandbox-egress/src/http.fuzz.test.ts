import { once } from 'node:events'
import { createServer } from 'node:http'
import { Duplex } from 'node:stream'
import { checkProperty, cutAnywhere, cuts } from '@threadbox/testkit/properties'
import { type Arbitrary, array, asyncProperty, constantFrom, oneof, property, tuple, uint8Array } from 'fast-check'
import { expect, test } from 'vitest'
import { makeChunkedBody } from './chunked-body.logic.ts'
import { makeClientGuard } from './client-guard.ts'
import type { Guard } from './guard.ts'
import { makeHttpGuard } from './http-guard.ts'
import { checkRequestHead } from './http-head.logic.ts'

const target = { name: 'a.example.org', port: 80 }
const otherHost = 'evil.example.net'

/** Requests that are mostly right, with what readers understand differently in between. */
function requests(): Arbitrary<Buffer> {
  const line = oneof(
    {
      weight: 6,
      arbitrary: constantFrom('GET / HTTP/1.1\r\n', 'POST /x HTTP/1.1\r\n', 'GET http://a.example.org/ HTTP/1.1\r\n'),
    },
    constantFrom(
      ...[
        'GET / HTTP/1.0\r\n',
        `GET http://${otherHost}/ HTTP/1.1\r\n`,
        'CONNECT b:1 HTTP/1.1\r\n',
        'GET /\r\n',
        ' GET / HTTP/1.1\r\n',
      ],
      ...['\r\nGET / HTTP/1.1\r\n', 'GET / HTTP/1.1\n', 'PRI * HTTP/2.0\r\n', 'get / HTTP/1.1\r\n'],
    ),
  )
  const header = constantFrom(
    ...[
      `Host: ${otherHost}\r\n`,
      ` Host: ${otherHost}\r\n`,
      `X: a\rHost: ${otherHost}\r\n`,
      `X: a\nHost: ${otherHost}\r\n`,
    ],
    ...[
      'Content-Length: 5\r\n',
      'Content-Length: 0\r\n',
      'Content-Length: 5, 5\r\n',
      'Content-Length: +5\r\n',
      'content-length:\t5 \r\n',
    ],
    ...[
      'Transfer-Encoding: chunked\r\n',
      'Transfer-Encoding: identity\r\n',
      'Transfer-Encoding : chunked\r\n',
      'Transfer-Encoding: gzip, chunked\r\n',
    ],
    ...[
      'Upgrade: websocket\r\nConnection: Upgrade\r\n',
      'Upgrade: h2c\r\n',
      'Expect: 100-continue\r\n',
      'X: y\r\n',
      'Connection: close\r\n',
    ],
  )
  const host = oneof(
    { weight: 6, arbitrary: constantFrom('Host: a.example.org\r\n', 'host:A.Example.org:80\r\n') },
    constantFrom('', `Host: ${otherHost}\r\n`),
  )
  const body = constantFrom(
    ...[
      '',
      '',
      '',
      'hello',
      '5\r\nhello\r\n0\r\n\r\n',
      '5;x\r\nhello\r\n0\r\nX: y\r\n\r\n',
      '0\r\n\r\n',
      ' 5\r\nhello\r\n0\r\n\r\n',
      '0x5\r\nhello\r\n',
    ],
    ...['5\nhello\r\n0\r\n\r\n', `0\r\nHost: ${otherHost}\r\n\r\n`, '\x81\x85abcd'],
  )
  const one = tuple(line, array(header, { maxLength: 3 }), host, array(header, { maxLength: 1 }), body)
  return array(one, { minLength: 1, maxLength: 3 }).map((all) =>
    Buffer.from(
      all.map(([first, headers, own, more, end]) => [first, ...headers, own, ...more, '\r\n', end].join('')).join(''),
      'latin1',
    ),
  )
}
const anything = oneof({ weight: 4, arbitrary: requests() }, uint8Array({ maxLength: 200 }).map(Buffer.from))

function passThrough(guard: Guard, pieces: readonly Buffer[]): { passed: Buffer; reason: string | null } {
  const passed: Buffer[] = []
  for (const piece of pieces) {
    const inspected = guard.push(piece)
    if ('refused' in inspected) return { passed: Buffer.concat(passed), reason: inspected.refused }
    passed.push(...inspected.forward)
  }
  return { passed: Buffer.concat(passed), reason: null }
}

test('bytes in any pieces are inspected to the same result, and what passes is their beginning, unchanged', () =>
  checkProperty(
    'egress-http-in-pieces',
    property(anything, cuts(400), constantFrom(80, 443, 22), (bytes, places, port) => {
      const inPieces = passThrough(makeClientGuard({ ...target, port }), cutAnywhere(bytes, places))
      const whole = passThrough(makeClientGuard({ ...target, port }), [bytes])
      expect(inPieces.reason).toBe(whole.reason)
      expect(bytes.subarray(0, inPieces.passed.length).equals(inPieces.passed)).toBe(true)
      // A refusal comes before the rest of its piece passes.
      if (whole.reason === null) expect(inPieces.passed.equals(whole.passed)).toBe(true)
    }),
    { runs: 500 },
  ))

test('of what passes, another server reads no request for another host', () =>
  checkProperty(
    'egress-http-other-server',
    asyncProperty(requests(), cuts(400), async (bytes, places) => {
      const { passed } = passThrough(makeHttpGuard(target), cutAnywhere(bytes, places))
      for (const host of await hostsThatNodeReads(passed)) {
        expect(['a.example.org', 'a.example.org:80', 'a.example.org.']).toContain(host?.toLowerCase())
      }
    }),
    { runs: 300 },
  ))

test('a head of any text is for the name, or refused with a reason', () =>
  checkProperty(
    'egress-http-head',
    property(requests(), (bytes) => {
      const end = bytes.indexOf('\r\n\r\n')
      const found = checkRequestHead(bytes.subarray(0, end + 4), target)
      if ('refused' in found) return
      const hosts = bytes
        .subarray(0, end)
        .toString('latin1')
        .match(/host\s*:[^\r\n]*/gi)
      expect(hosts).toHaveLength(1)
      expect(hosts?.[0]?.toLowerCase()).toMatch(/^host:\s*a\.example\.org(:80)?$/)
    }),
    { runs: 500 },
  ))

test('chunks in any pieces end at the same place', () =>
  checkProperty(
    'egress-http-chunks',
    property(array(uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 5 }), cuts(300), (chunks, places) => {
      const parts = chunks.map((chunk) => [`${chunk.length.toString(16)}\r\n`, chunk, '\r\n'])
      const body = Buffer.concat([...parts.flat(), '0\r\n\r\n'].map((part) => Buffer.from(part as string)))
      const reader = makeChunkedBody()
      let used = 0
      for (const piece of cutAnywhere(Buffer.concat([body, Buffer.from('GET /')]), places))
        used += reader.take(piece).used
      expect(used).toBe(body.length)
      expect(reader.take(Buffer.from('x'))).toEqual({ used: 0, state: 'ended' })
    }),
    { runs: 200 },
  ))

async function hostsThatNodeReads(bytes: Buffer): Promise<(string | undefined)[]> {
  const hosts: (string | undefined)[] = []
  const server = createServer((request, response) => {
    hosts.push(request.headers.host)
    request.resume()
    response.end()
  })
  server.on('upgrade', (request, socket) => {
    hosts.push(request.headers.host)
    socket.destroy()
  })
  server.on('clientError', (_error, socket) => socket.destroy())
  const wire = new Duplex({ read: () => undefined, write: (_bytes, _encoding, done) => done() })
  wire.on('error', () => undefined)
  server.emit('connection', wire)
  wire.push(bytes)
  wire.push(null)
  if (!wire.destroyed) await once(wire, 'close').catch(() => undefined)
  server.close()
  return hosts
}
