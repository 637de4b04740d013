import { brotliCompressSync, gzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { type Attack, carryOut, type Outcome } from './attacks.test-utils.ts'
import { type Authorities, hostName, makeAuthorities, newGrant } from './broker.test-utils.ts'

let authorities: Authorities
beforeAll(async () => {
  authorities = await makeAuthorities()
})

const end = '\r\nConnection: close\r\n\r\n'
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`

/** A request with the placeholder in a header; `more` are lines after it. */
function asking(line: string, { host = `Host: ${hostName}\r\n`, more = '' } = {}): Attack['run'] {
  return ({ raw, grant }) => raw(`${line}\r\n${host}Authorization: Bearer ${grant.placeholder}${more}${end}`)
}
const get = 'GET / HTTP/1.1'
const post = 'POST / HTTP/1.1'
const withHost = (host: string) => asking(get, { host })

/** A request for the host with something else before its end. */
function posting(more: (placeholder: string) => string, body: (placeholder: string) => string): Attack['run'] {
  return ({ raw, grant: { placeholder } }) =>
    raw(`${post}\r\nHost: ${hostName}\r\n${more(placeholder)}Connection: close\r\n\r\n${body(placeholder)}`)
}
const lengthOf = (text: string) => `Content-Length: ${text.length}\r\n`

const wrongHosts: Attack[] = [
  {
    name: 'another server name',
    run: ({ raw, grant }) =>
      raw(`${get}\r\nHost: ${hostName}\r\nX-Key: ${grant.placeholder}${end}`, { servername: 'evil.test' }),
  },
  {
    name: 'another server name and Host',
    run: ({ raw, grant }) =>
      raw(`${get}\r\nHost: evil.test\r\nX-Key: ${grant.placeholder}${end}`, { servername: 'evil.test' }),
  },
  {
    name: 'no server name',
    run: ({ raw, grant }) =>
      raw(`${get}\r\nHost: ${hostName}\r\nX-Key: ${grant.placeholder}${end}`, { servername: '' }),
  },
  { name: 'another Host', run: withHost('Host: evil.test\r\n') },
  { name: 'no Host', run: withHost('') },
  { name: 'an empty Host', run: withHost('Host: \r\n') },
  { name: 'two different Hosts', run: withHost(`Host: ${hostName}\r\nHost: evil.test\r\n`) },
  { name: 'the Host twice', run: withHost(`Host: ${hostName}\r\nHost: ${hostName}\r\n`) },
  { name: 'a Host with another port', run: withHost(`Host: ${hostName}:8443\r\n`) },
  { name: 'a Host with a user', run: withHost(`Host: ${hostName}@evil.test\r\n`) },
  { name: 'a list as Host', run: withHost(`Host: ${hostName}, evil.test\r\n`) },
  { name: 'an absolute URL of another host', run: asking('GET https://evil.test/ HTTP/1.1') },
  { name: 'an absolute URL without TLS', run: asking(`GET http://${hostName}/ HTTP/1.1`) },
  {
    name: 'HTTP/2: another authority',
    isHttp2: true,
    run: ({ http2, grant }) => http2({ ':authority': 'evil.test', 'x-key': grant.placeholder }),
  },
  {
    name: 'HTTP/2: another host beside the authority',
    isHttp2: true,
    run: ({ http2, grant }) => http2({ ':authority': hostName, host: 'evil.test', 'x-key': grant.placeholder }),
  },
]

const smuggling: Attack[] = [
  {
    name: 'a length and chunks',
    run: posting(
      (key) => `X-Key: ${key}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n`,
      () => `0\r\n\r\nGET /admin HTTP/1.1\r\n\r\n`,
    ),
  },
  {
    name: 'chunks and a length',
    run: posting(
      (key) => `X-Key: ${key}\r\nTransfer-Encoding: chunked\r\nContent-Length: 50\r\n`,
      () => `${chunk('GET /admin HTTP/1.1')}0\r\n\r\n`,
    ),
  },
  {
    name: 'two lengths',
    run: posting(
      (key) => `X-Key: ${key}\r\nContent-Length: 1\r\nContent-Length: 30\r\n`,
      () => 'xGET /admin HTTP/1.1\r\n\r\n',
    ),
  },
  {
    name: 'a length with a sign',
    run: posting(
      (key) => `X-Key: ${key}\r\nContent-Length: +1\r\n`,
      () => 'x',
    ),
  },
  {
    name: 'a list of lengths',
    run: posting(
      (key) => `X-Key: ${key}\r\nContent-Length: 1, 1\r\n`,
      () => 'x',
    ),
  },
  {
    name: 'two transfer encodings',
    run: posting(
      (key) => `X-Key: ${key}\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n`,
      () => '0\r\n\r\n',
    ),
  },
  {
    name: 'a transfer encoding that is almost chunked',
    run: posting(
      (key) => `X-Key: ${key}\r\nTransfer-Encoding: xchunked\r\n`,
      () => '0\r\n\r\n',
    ),
  },
  {
    name: 'a transfer encoding after a vertical tab',
    run: posting(
      (key) => `X-Key: ${key}\r\nTransfer-Encoding: \x0bchunked\r\n`,
      () => '0\r\n\r\n',
    ),
  },
  {
    name: 'chunks in HTTP/1.0',
    run: ({ raw, grant }) =>
      raw(
        `POST / HTTP/1.0\r\nHost: ${hostName}\r\nX-Key: ${grant.placeholder}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      ),
  },
  {
    name: 'a chunk length with a sign',
    run: posting(
      (key) => `X-Key: ${key}\r\nTransfer-Encoding: chunked\r\n`,
      () => '+2\r\nab\r\n0\r\n\r\n',
    ),
    isAllowed: true,
  },
  { name: 'a folded header', run: asking(get, { more: '\r\n folded: yes' }) },
  {
    name: 'a folded header before the placeholder',
    run: ({ raw, grant }) => raw(`${get}\r\nHost: ${hostName}\r\nAuthorization: Bearer\r\n ${grant.placeholder}${end}`),
  },
  { name: 'a space before the colon', run: asking(get, { more: '\r\nTransfer-Encoding : chunked' }) },
  { name: 'a line that ends without carriage return', run: asking(get, { more: '\nX-Other: 1' }) },
  {
    name: 'a carriage return within a value',
    run: asking(get, { more: '\r\nX-Other: a\rTransfer-Encoding: chunked' }),
  },
  { name: 'a NUL within a value', run: asking(get, { more: '\r\nX-Other: a\0b' }) },
  {
    name: 'a request within a body',
    run: posting(
      (key) => lengthOf(`GET / HTTP/1.1\r\nX-Key: ${key}\r\n\r\n`),
      (key) => `GET / HTTP/1.1\r\nX-Key: ${key}\r\n\r\n`,
    ),
  },
  {
    name: 'an upgrade to h2c',
    run: asking(get, { more: '\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__' }),
    isAllowed: true,
  },
  {
    name: 'the preface of HTTP/2',
    run: ({ raw, grant }) => raw(`PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${grant.placeholder}`),
  },
  { name: 'a request of HTTP/0.9', run: ({ raw, grant }) => raw(`GET /${grant.placeholder}\r\n\r\n`) },
  { name: 'TRACE', run: asking('TRACE / HTTP/1.1') },
  { name: 'CONNECT', run: asking(`CONNECT ${hostName}:443 HTTP/1.1`) },
  {
    name: 'HTTP/2: CONNECT',
    isHttp2: true,
    run: ({ http2, grant }) => http2({ ':method': 'CONNECT', ':authority': hostName, 'x-key': grant.placeholder }),
  },
  {
    name: 'HTTP/2: TRACE',
    isHttp2: true,
    run: ({ http2, grant }) => http2({ ':method': 'TRACE', 'x-key': grant.placeholder }),
  },
  {
    name: 'HTTP/2: a transfer encoding',
    isHttp2: true,
    run: ({ http2, grant }) => http2({ 'transfer-encoding': 'chunked', 'x-key': grant.placeholder }),
  },
  {
    name: 'HTTP/2: a length that is not the body’s',
    isHttp2: true,
    isAllowed: true,
    run: ({ http2, grant }) =>
      http2({ ':method': 'POST', 'content-length': '1', 'x-key': grant.placeholder }, 'GET /admin HTTP/1.1\r\n\r\n'),
  },
  {
    name: 'HTTP/2: a path with a line break',
    isHttp2: true,
    run: ({ http2, grant }) => http2({ ':path': '/ HTTP/1.1\r\nHost: evil.test\r\n\r\n', 'x-key': grant.placeholder }),
  },
]

const positions: Attack[] = [
  {
    name: 'in the query',
    run: ({ raw, grant }) => raw(`GET /?k=${grant.placeholder} HTTP/1.1\r\nHost: ${hostName}${end}`),
  },
  {
    name: 'in the query, percent-encoded',
    run: ({ raw, grant }) =>
      raw(
        `GET /?k=%${grant.placeholder.charCodeAt(0).toString(16)}${grant.placeholder.slice(1)} HTTP/1.1\r\nHost: ${hostName}${end}`,
      ),
  },
  {
    name: 'in the path',
    run: ({ raw, grant }) => raw(`GET /${grant.placeholder} HTTP/1.1\r\nHost: ${hostName}${end}`),
  },
  {
    name: 'in the name of a header',
    run: ({ raw, grant }) => raw(`${get}\r\nHost: ${hostName}\r\n${grant.placeholder}: x${end}`),
  },
  {
    name: 'in a body',
    run: posting(
      (key) => lengthOf(key),
      (key) => key,
    ),
  },
  {
    name: 'in a body, split over chunks',
    run: posting(
      () => 'Transfer-Encoding: chunked\r\n',
      (key) => `${[...key].map(chunk).join('')}0\r\n\r\n`,
    ),
  },
  {
    name: 'in a compressed body',
    run: ({ raw, grant }) => {
      const body = gzipSync(grant.placeholder)
      return raw(
        Buffer.concat([
          Buffer.from(`${post}\r\nHost: ${hostName}\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length}${end}`),
          body,
        ]),
      )
    },
  },
  {
    name: 'in a trailer',
    run: posting(
      () => 'Transfer-Encoding: chunked\r\nTrailer: X-Key\r\n',
      (key) => `0\r\nX-Key: ${key}\r\n\r\n`,
    ),
  },
  { name: 'in the method', run: ({ raw, grant }) => raw(`${grant.placeholder} / HTTP/1.1\r\nHost: ${hostName}${end}`) },
  { name: 'with a method that is not allowed', grant: { methods: ['GET'] }, run: asking('DELETE / HTTP/1.1') },
  {
    name: 'with a header that names another method',
    grant: { methods: ['GET'] },
    run: asking(get, { more: '\r\nX-HTTP-Method-Override: DELETE' }),
  },
  { name: 'a path beside the prefix', grant: { pathPrefix: '/v1' }, run: asking('GET /v10 HTTP/1.1') },
  { name: 'a path that leads up', grant: { pathPrefix: '/v1' }, run: asking('GET /v1/../admin HTTP/1.1') },
  {
    name: 'an encoded path that leads up',
    grant: { pathPrefix: '/v1' },
    run: asking('GET /v1/%252e%252e%2fadmin HTTP/1.1'),
  },
  { name: 'for another host', grant: { hosts: ['other.test'] }, run: asking(get) },
  { name: 'for another port', grant: { hosts: [`${hostName}:8443`] }, run: asking(get) },
  {
    name: 'of another sandbox',
    run: ({ raw }) => raw(`${get}\r\nHost: ${hostName}\r\nX-Key: ${newGrant().placeholder}${end}`),
  },
  {
    name: 'of a deleted secret',
    run: async (ground) => {
      ground.broker.setGrants([])
      return await asking(get)(ground)
    },
  },
  {
    name: 'of a secret that was renamed and has another placeholder',
    run: async (ground) => {
      ground.broker.setGrants([{ ...ground.grant, name: 'NEW', placeholder: newGrant().placeholder }])
      return await asking(get)(ground)
    },
  },
  {
    name: 'while the grants are unknown',
    run: async (ground) => {
      ground.broker.setGrants(undefined)
      return await asking(get)(ground)
    },
  },
  {
    name: 'without TLS',
    run: ({ plain, grant }) => plain(`${get}\r\nHost: ${hostName}\r\nX-Key: ${grant.placeholder}${end}`),
  },
  { name: 'a value with a line break', grant: { value: 'a\r\nX-Injected: yes' }, run: asking(get) },
]

const hosts: Attack[] = [
  {
    name: 'a certificate of an unknown authority',
    run: asking(get),
    hostAuthority: async () => (await makeAuthorities()).ofHosts,
  },
  { name: 'a certificate for another name', run: asking(get), certificateName: 'evil.test' },
  {
    name: 'an expired certificate',
    run: asking(get),
    hostAuthority: ({ expired }) => expired,
  },
  { name: 'an address that became private', run: asking(get), isPrivate: true },
]

const message = (head: string, body: string | Buffer) =>
  Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${head}Connection: close\r\n\r\n`), Buffer.from(body)])
const back = (name: string, reply: NonNullable<Attack['reply']>): Attack => ({
  name,
  reply,
  isAllowed: true,
  run: asking(get),
})
const basic = (text: string) => Buffer.from(text).toString('base64')

const echoes: Attack[] = [
  back('in a header', ({ value }) => message(`X-Echo: a ${value} b\r\n`, '')),
  {
    ...back('in the name of a header', ({ value }) => message(`${value}: x\r\n`, '')),
    grant: { value: 'lower-case-value-0123456789abcd' },
  },
  back('in a cookie', ({ value }) => message(`Set-Cookie: a=${encodeURIComponent(value)}\r\n`, '')),
  back(
    'in a redirect to another host',
    ({ value }) => `HTTP/1.1 302 Found\r\nLocation: https://evil.test/?k=${value}\r\nContent-Length: 0\r\n\r\n`,
  ),
  back('in the reason of the status', ({ value }) => `HTTP/1.1 200 ${value}\r\nContent-Length: 0\r\n\r\n`),
  back(
    'in an early response',
    ({ value }) => `HTTP/1.1 103 Early Hints\r\nLink: ${value}\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n`,
  ),
  back('in a body', ({ value }) => message('', `before ${value} after`)),
  back('in a body of one-byte writes', ({ value }) => [message('', ''), ...`before ${value} after`]),
  back('in a body of one-byte chunks', ({ value }) => [
    message('Transfer-Encoding: chunked\r\n', ''),
    ...[...value].map(chunk),
    '0\r\n\r\n',
  ]),
  back('in base64', ({ value }) => message('', basic(value))),
  back('in base64, after one byte', ({ value }) => message('', basic(`:${value}:`))),
  back('in base64, after two bytes', ({ value }) => message('', basic(`u:${value}`))),
  back('in base64 for URLs', ({ value }) => message('', Buffer.from(`u:${value}`).toString('base64url'))),
  back('percent-encoded', ({ value }) => message('', encodeURIComponent(value))),
  back('percent-encoded in lower case', ({ value }) =>
    message(
      '',
      encodeURIComponent(value).replace(/%../g, (code) => code.toLowerCase()),
    ),
  ),
  back('in JSON', ({ value }) => message('', JSON.stringify({ value }).replaceAll('/', '\\/'))),
  back('compressed with gzip', ({ value }) => message('Content-Encoding: gzip\r\n', gzipSync(value))),
  back('compressed with Brotli', ({ value }) => message('Content-Encoding: br\r\n', brotliCompressSync(value))),
  back('compressed twice', ({ value }) => message('Content-Encoding: gzip, gzip\r\n', gzipSync(gzipSync(value)))),
  back('compressed with a transfer encoding', ({ value }) =>
    message('Transfer-Encoding: gzip, chunked\r\n', `${chunk(value)}0\r\n\r\n`),
  ),
  back('in a trailer', ({ value }) =>
    message('Transfer-Encoding: chunked\r\nTrailer: X-Echo\r\n', `0\r\nX-Echo: ${value}\r\n\r\n`),
  ),
  back(
    'in another response after the first',
    ({ value }) =>
      `HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: ${value.length}\r\n\r\n${value}`,
  ),
  back('in something that is not HTTP', ({ value }) => `${value}\r\n\r\n`),
  {
    ...back('in a response to HEAD', ({ value }) => message(`ETag: "${value}"\r\n`, '')),
    run: asking('HEAD / HTTP/1.1'),
  },
  {
    ...back('in a WebSocket’s frame and handshake', ({ value }) => [
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nX-Echo: ${value}\r\n\r\n`,
      Buffer.concat([Buffer.from([0x81, value.length]), Buffer.from(value)]),
    ]),
    run: asking(get, {
      more: '\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13',
    }),
  },
  {
    ...back('where the request had no placeholder', ({ value }) => message('', value)),
    isAllowed: false,
    run: ({ raw }) => raw(`${get}\r\nHost: ${hostName}${end}`),
  },
  {
    name: 'HTTP/2: in headers, an early response, body and trailers',
    isHttp2: true,
    isAllowed: true,
    run: ({ http2, grant }) => http2({ 'x-key': grant.placeholder }),
  },
]

async function carryOutAll(attacks: readonly Attack[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (let index = 0; index < attacks.length; index += 24) {
    outcomes.push(
      ...(await Promise.all(attacks.slice(index, index + 24).map((attack) => carryOut(attack, authorities)))),
    )
  }
  return outcomes
}

const all = { wrongHosts, smuggling, positions, hosts, echoes }

test('no attack gets the value anywhere but into the allowed request', async () => {
  const attacks = Object.values(all).flat()
  const outcomes = await carryOutAll(attacks)
  const leaked = outcomes.filter(({ leaks }) => leaks.length > 0)
  console.log(`${outcomes.length} attacks, ${leaked.length} leaked`)
  expect(leaked.map(({ name, leaks }) => `${name}: ${leaks}`)).toEqual([])
  // Where the value may reach the host, it did: what came back was searched.
  const unsent = outcomes.filter(({ reached }, index) => attacks[index]?.isAllowed === true && !reached)
  expect(unsent.map(({ name }) => name)).toEqual([])
  expect(outcomes.length).toBeGreaterThanOrEqual(40)
})

test('the search finds a value that got through, and what is refused has a code', async () => {
  const [control] = await carryOutAll([{ name: 'allowed', run: asking(get) }])
  expect(control).toMatchObject({ leaks: ['the host'], reached: true })
  const refused = await carryOutAll([...wrongHosts, ...smuggling, ...hosts])
  const without = refused.filter(
    ({ reached, seen }) => !reached && !/"code":"secret\.[a-z-]+"|NGHTTP2|Error|HTTP\/1\.1 400/.test(seen),
  )
  expect(without.map(({ name, seen }) => `${name}: ${seen.slice(0, 100)}`)).toEqual([])
})
