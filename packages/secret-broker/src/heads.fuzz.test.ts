import { isThreadboxError } from '@threadbox/errors'
import { checkProperty, foreignText } from '@threadbox/testkit/properties'
import { array, boolean, constantFrom, oneof, property, record, tuple } from 'fast-check'
import { expect, test } from 'vitest'
import { hostName, newGrant } from './broker.test-utils.ts'
import { insertIntoBody, insertIntoHead } from './insertion.logic.ts'
import { type RequestHead, readHttp1Head, readHttp2Head } from './request-head.logic.ts'
import { headForSandbox } from './response-head.logic.ts'
import { echoReplacements, formsOf } from './secret-forms.logic.ts'
import { isWithin } from './target.logic.ts'

const target = { name: hostName, port: 443 }
const grant = newGrant({ positions: ['header', 'query'], methods: ['GET', 'POST'], pathPrefix: '/v1' })
const names = constantFrom(
  'Host',
  'Transfer-Encoding',
  'Content-Length',
  'Connection',
  'Authorization',
  'Expect',
  'TE',
  'x-a',
  ':authority',
  ':path',
  ':method',
  ':scheme',
)
const values = oneof(
  foreignText(20),
  constantFrom(
    hostName,
    `${hostName}:443`,
    'chunked',
    'gzip, chunked',
    '0',
    '5',
    'x-a, authorization',
    'https',
    'GET',
    '/v1/x?y',
    `Bearer ${grant.placeholder}`,
    `Basic ${Buffer.from(`user:${grant.placeholder}`).toString('base64')}`,
  ),
)
const rawHeaders = array(tuple(oneof(names, foreignText(8)), values), { maxLength: 8 }).map((pairs) => pairs.flat())
const requests = record({
  method: oneof(constantFrom('GET', 'POST', 'TRACE', 'CONNECT', 'get'), foreignText(8)),
  url: oneof(
    constantFrom('/', '/v1/a?b', `https://${hostName}/v1`, 'https://other.test/', `/v1?${grant.placeholder}`),
    foreignText(30).map((text) => `/${text}`),
    foreignText(30),
  ),
  httpVersion: constantFrom('1.0', '1.1'),
  rawHeaders: tuple(boolean(), rawHeaders).map(([hasHost, all]) => (hasHost ? ['Host', hostName, ...all] : all)),
})

function orRefused<Result>(read: () => Result): Result | undefined {
  try {
    return read()
  } catch (error) {
    if (isThreadboxError(error) && error.code.startsWith('secret.')) return undefined
    throw error
  }
}

function checkHead(head: RequestHead): void {
  expect(head.path).toMatch(/^(\*|\/[\x21-\x7e]*)$/)
  for (const [name] of head.headers) {
    expect(name).not.toMatch(/^(:.*|host|connection|transfer-encoding|content-length|upgrade|expect|trailer)$/)
  }
}

test('any head is one whose meaning is certain, or a refusal with a code', () =>
  checkProperty(
    'brokered-request-heads',
    property(requests, rawHeaders, boolean(), (request, fields, hasBody) => {
      const head = orRefused(() => readHttp1Head(request, target))
      if (head !== undefined) {
        checkHead(head)
        const hosts = request.rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'host')
        expect(hosts).toHaveLength(1)
      }
      const other = orRefused(() => readHttp2Head({ rawHeaders: fields, hasBody }, target))
      if (other !== undefined) checkHead(other)
    }),
    { runs: 1000 },
  ))

test('a value is inserted only for its placeholder, and only where all conditions hold', () =>
  checkProperty(
    'brokered-insertions',
    property(requests, (request) => {
      const head = orRefused(() => readHttp1Head(request, target))
      if (head === undefined) return
      const inserted = orRefused(() => insertIntoHead(head, [grant], target))
      if (inserted === undefined) return
      const text = JSON.stringify([inserted.path, inserted.headers])
      const isInserted = formsOf(grant.value).some((form) => text.includes(form))
      expect(isInserted).toBe(inserted.used.length > 0)
      if (isInserted) expect([['GET', 'POST'].includes(head.method), head.path.startsWith('/v1')]).toEqual([true, true])
    }),
    { runs: 1000 },
  ))

test('a body without a placeholder stays as it is, byte for byte', () =>
  checkProperty(
    'brokered-bodies',
    property(foreignText(200), constantFrom('application/json', 'text/plain', ''), (text, mediaType) => {
      const body = Buffer.from(text)
      const purpose = { target, method: 'POST', path: '/v1', overridesMethod: false }
      const bodyGrant = { ...grant, positions: ['body' as const] }
      const { body: same } = insertIntoBody(body, { grants: [bodyGrant], purpose, mediaType })
      expect(same.equals(body)).toBe(true)
      const asked = Buffer.from(JSON.stringify({ text, key: grant.placeholder }))
      const { body: changed } = insertIntoBody(asked, { grants: [bodyGrant], purpose, mediaType: 'application/json' })
      expect(JSON.parse(changed.toString())).toEqual({
        text: Buffer.from(JSON.stringify(text)).length > 0 ? JSON.parse(JSON.stringify(text)) : text,
        key: grant.value,
      })
    }),
  ))

test('no header of a response has a value, and none frames another message', () =>
  checkProperty(
    'brokered-response-heads',
    property(
      array(
        tuple(oneof(names, foreignText(8)), oneof(values, constantFrom(...formsOf(grant.value), `a${grant.value}b`))),
        {
          maxLength: 8,
        },
      ),
      (pairs) => {
        const echo = echoReplacements([grant], { keepsLength: false })
        const head = orRefused(() => headForSandbox(pairs.flat(), { echo, host: hostName, isEmpty: false }))
        for (const [name, value] of head?.headers ?? []) {
          expect(name).not.toMatch(/^(:.*|connection|transfer-encoding|upgrade|alt-svc)$/)
          for (const form of formsOf(grant.value)) expect(value).not.toContain(form)
        }
      },
    ),
  ))

const paths = array(
  constantFrom('/', 'v1', '..', '.', '%2e', '%2E%2e', '%252e', '%2f', '\\', ';', 'a', '%', '//', '%00'),
  { maxLength: 8 },
).map((parts) => `/v1${parts.join('')}`)

test('every reader takes a path within a prefix for one', () =>
  checkProperty(
    'brokered-path-prefixes',
    property(paths, (path) => {
      if (!isWithin(path, '/v1')) return
      let read = path
      for (let round = 0; round < 3; round++) {
        expect(new URL(read.replaceAll('\\', '/'), 'https://a.test').pathname).toMatch(/^\/v1(\/|$)/)
        read = read.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
      }
    }),
    { runs: 1000 },
  ))
