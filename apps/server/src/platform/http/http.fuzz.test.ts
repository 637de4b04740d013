import { createHmac } from 'node:crypto'
import { isThreadboxError } from '@threadbox/errors'
import { checkProperty, foreignJson, foreignText } from '@threadbox/testkit/properties'
import {
  array,
  asyncProperty,
  constantFrom,
  integer,
  ipV4,
  ipV6,
  oneof,
  property,
  stringMatching,
  uint8Array,
} from 'fast-check'
import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { preferredLanguage } from './accept-language.ts'
import type { ApiEnv } from './api.ts'
import { makeClientAddress, networkOf } from './client-address.ts'
import { cookieValues, isSigned, withOnlyCookie } from './cookies.logic.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'
import { guardText } from './text-guard.middleware.ts'

type Request = Parameters<ReturnType<typeof makeClientAddress>>[0]
const requestOf = (peer: string, forwarded: string) =>
  ({ socket: { remoteAddress: peer }, headers: { 'x-forwarded-for': forwarded } }) as unknown as Request

test('a cookie that is put into any header is the only one of its name', () =>
  checkProperty(
    'cookies',
    property(
      array(oneof(foreignText(), constantFrom('session=1', ' session=2', 'session', 'session2=3')), { maxLength: 6 }),
      stringMatching(/^[!#-+\--:<-[\]-~]{0,40}$/),
      (parts, value) => {
        const header = parts.join(';')
        const changed = withOnlyCookie(header, { name: 'session', value })
        expect(cookieValues(changed, 'session')).toEqual([value])
        expect(cookieValues(changed, 'session2')).toEqual(cookieValues(header, 'session2'))
      },
    ),
  ))

test('no value is signed that the secret’s holder did not sign', () =>
  checkProperty(
    'signed-cookies',
    property(foreignText(200), stringMatching(/^[\w-]{1,40}$/), (text, value) => {
      expect(isSigned('secret', text)).toBe(false)
      const signature = createHmac('sha256', 'secret').update(value).digest('base64')
      const cookie = encodeURIComponent(`${value}.${signature}`)
      expect([isSigned('secret', cookie), isSigned('other', cookie), isSigned('secret', `x${cookie}`)]).toEqual([
        true,
        false,
        false,
      ])
    }),
  ))

test('what a client writes before its own address changes nothing, and an untrusted peer’s header neither', () =>
  checkProperty(
    'client-address',
    property(foreignText(100), ipV4(), (written, client) => {
      const behindProxy = makeClientAddress({ trustedProxies: '10.0.0.0/8' })
      // An address in the range counts as one more proxy.
      if (!client.startsWith('10.')) expect(behindProxy(requestOf('10.0.0.1', `${written}, ${client}`))).toBe(client)
      expect(makeClientAddress({ trustedProxies: '' })(requestOf('192.0.2.1', `${written}, ${client}`))).toBe(
        '192.0.2.1',
      )
      behindProxy(requestOf('10.0.0.1', written))
    }),
  ))

test('every address has one network, and any text counts as itself', () =>
  checkProperty(
    'client-network',
    property(oneof(ipV4(), ipV6(), foreignText()), (address) => {
      expect(networkOf(address).length).toBeLessThanOrEqual(Math.max(address.length, 24))
    }),
  ))

test('any header of languages prefers one that exists', () =>
  checkProperty(
    'accept-language',
    property(
      array(oneof(foreignText(), constantFrom('de-AT;q=0.5', 'it', ';q=', 'ja;q=NaN')), { maxLength: 6 }),
      (parts) => {
        expect(['en', 'de', 'it', 'ja']).toContain(preferredLanguage(parts.join(',')))
      },
    ),
  ))

test('a position in a list is read as it was written, and any other text is an error with a code', () =>
  checkProperty(
    'list-cursors',
    property(integer(), foreignText(), foreignText(200), (number, text, other) => {
      const schema = z.tuple([z.number(), z.string()])
      expect(decodeCursor(schema, encodeCursor([number, text]))).toEqual([number, text])
      expect(coded(() => decodeCursor(schema, other))).toBe('request.cursor-invalid')
    }),
  ))

test('a body of any bytes reaches a route as valid JSON with plain text, or not at all', () =>
  checkProperty(
    'json-bodies',
    asyncProperty(
      oneof(
        uint8Array({ maxLength: 100 }),
        foreignJson().map((value) => Buffer.from(JSON.stringify(value) ?? '')),
      ),
      async (body) => {
        const app = new Hono<ApiEnv>()
        const reached: string[] = []
        app.onError((error, context) => {
          if (!isThreadboxError(error)) throw error
          return context.text(error.code, 400)
        })
        app.post('/', guardText, async (context) => {
          reached.push(await context.req.text())
          return context.text('')
        })
        const headers = { 'content-type': 'application/json' }
        await app.request('/', { method: 'POST', headers, body: Buffer.from(body) })
        for (const text of reached) {
          JSON.parse(text, (key, value) => {
            for (const each of [key, typeof value === 'string' ? value : '']) {
              expect(each.isWellFormed() && !each.includes('\0')).toBe(true)
            }
            return value
          })
        }
      },
    ),
  ))

function coded(work: () => unknown): string {
  try {
    work()
    return 'nothing'
  } catch (error) {
    if (!isThreadboxError(error)) throw error
    return error.code
  }
}
