import { describe, expect, test } from 'vitest'
import { pairsOf } from './header-pairs.logic.ts'
import { makePreviewNames } from './preview-names.logic.ts'
import { headersForService } from './request-headers.logic.ts'
import { headersForBrowser } from './response-headers.logic.ts'

const options = { installation: 'abc123', baseDomain: '', publicUrl: '', allowedHosts: '', listenHost: '127.0.0.1' }
const localHost = '5173-abcdefg234.abc123.localhost:7717'
const publicHost = '5173-abcdefg234.preview.example.com'
const local = makePreviewNames(options)
const published = makePreviewNames({
  ...options,
  baseDomain: 'preview.example.com',
  publicUrl: 'https://app.preview.example.com',
})

function service(raw: string[], more: { isUpgrade?: boolean; isPublished?: boolean } = {}) {
  const host = more.isPublished === true ? publicHost : localHost
  const names = more.isPublished === true ? published : local
  const headers = headersForService({
    rawHeaders: ['Host', host, ...raw],
    host,
    names,
    port: 5173,
    clientAddress: '192.0.2.7',
    isUpgrade: more.isUpgrade ?? false,
  })
  return pairsOf(headers)
}
const value = (pairs: [string, string][], name: string) => pairs.find(([other]) => other.toLowerCase() === name)?.[1]

describe('O12: a service gets', () => {
  test('the cookies and headers of its page, and nothing of threadbox', () => {
    const pairs = service([
      ...['Cookie', 'a=1; threadbox-abc123=secret; b="x; y"', 'Cookie', '__Host-threadbox-preview-abc123=x; c=3'],
      ...['X-Own', 'kept', 'Threadbox-Boot', 'b1', 'threadbox-background', '1', 'Authorization', 'Basic abc'],
    ])
    expect(value(pairs, 'cookie')).toBe('a=1; b="x; y"; c=3')
    expect(value(pairs, 'x-own')).toBe('kept')
    expect(value(pairs, 'authorization')).toBe('Basic abc')
    expect(pairs.filter(([name]) => /threadbox/i.test(name))).toEqual([])
  })

  test('no headers of the connection to the preview server', () => {
    const pairs = service([
      ...['Connection', 'keep-alive, X-Named', 'X-Named', 'dropped', 'Transfer-Encoding', 'chunked', 'TE', 'trailers'],
      ...['Upgrade', 'websocket', 'Keep-Alive', 'timeout=5', 'Proxy-Authorization', 'x', 'Content-Length', '3'],
    ])
    expect(pairs.filter(([name]) => !name.startsWith('x-forwarded'))).toEqual([
      ['Content-Length', '3'],
      ['host', localHost],
    ])
  })

  test('the client’s address and protocol, from the preview server only', () => {
    const pairs = service(['X-Forwarded-For', '10.0.0.1', 'X-Forwarded-Host', 'evil', 'Forwarded', 'host=evil'])
    expect(pairs.filter(([name]) => /forwarded/i.test(name))).toEqual([
      ['x-forwarded-for', '192.0.2.7'],
      ['x-forwarded-host', localHost],
      ['x-forwarded-proto', 'http'],
    ])
    expect(value(service([], { isPublished: true }), 'x-forwarded-proto')).toBe('https')
  })
})

describe('O4: a service is asked', () => {
  const origin = `http://${localHost}`
  test('under its real name if that is below localhost, with the origin that the page has', () => {
    const pairs = service(['Origin', origin])
    expect([value(pairs, 'host'), value(pairs, 'origin')]).toEqual([localHost, origin])
  })

  test('for a socket as localhost, since its origin is compared with a list', () => {
    const pairs = service(['Origin', origin], { isUpgrade: true })
    expect([value(pairs, 'host'), value(pairs, 'origin')]).toEqual(['localhost:5173', 'http://localhost:5173'])
  })

  test('as localhost if its real name would be rejected', () => {
    const pairs = service(['Origin', `https://${publicHost}`], { isPublished: true })
    expect([value(pairs, 'host'), value(pairs, 'origin')]).toEqual(['localhost:5173', 'http://localhost:5173'])
    expect(value(service(['Origin', 'https://elsewhere.example'], { isPublished: true }), 'origin')).toBe(
      'https://elsewhere.example',
    )
  })
})

function browser(rawHeaders: string[], more: { isFramed?: boolean; appOrigin?: string } = {}) {
  const { isFramed = false, appOrigin = 'http://app.abc123.localhost:7717' } = more
  return pairsOf(headersForBrowser({ rawHeaders, origin: `http://${localHost}`, port: 5173, appOrigin, isFramed }))
}

describe('O12: a service’s response', () => {
  test('sets cookies for its own host only, and none of threadbox', () => {
    const cookies = browser([
      ...['Set-Cookie', 'a=1; Domain=abc123.localhost; Path=/', 'Set-Cookie', 'threadbox-abc123=x'],
      ...['set-cookie', ' __Host-threadbox-preview-abc123=x', 'Set-Cookie', 'b=2; HttpOnly; domain = .localhost'],
    ]).filter(([name]) => name.toLowerCase() === 'set-cookie')
    expect(cookies.map(([, text]) => text)).toEqual(['a=1; Path=/', 'b=2; HttpOnly'])
  })

  test('loses headers that apply to the site, the port or the gateway', () => {
    const pairs = browser([
      ...['Clear-Site-Data', '"*"', 'Alt-Svc', 'h2=":1"', 'Strict-Transport-Security', 'max-age=1'],
      ...['Threadbox-Error', 'x', 'X-Frame-Options', 'DENY', 'X-Own', 'kept'],
    ])
    expect(pairs.map(([name]) => name)).toEqual(['X-Own', 'content-security-policy'])
  })

  test('can be framed by the app only, whatever the page’s policy says', () => {
    const policies = (raw: string[], more = {}) =>
      browser(raw, more).flatMap(([name, text]) => (name.toLowerCase() === 'content-security-policy' ? [text] : []))
    const ours = `frame-ancestors 'self' http://app.abc123.localhost:7717`
    expect(policies(['Content-Security-Policy', "default-src 'self'; frame-ancestors 'none'; img-src *"])).toEqual([
      "default-src 'self'; img-src *",
      ours,
    ])
    expect(policies(['Content-Security-Policy', "frame-ancestors 'none'"])).toEqual([ours])
    expect(policies([], { appOrigin: '' })).toEqual(["frame-ancestors 'self'"])
    expect(policies([], { isFramed: true })[0]).toMatch(/; sandbox allow-scripts (?!.*top-navigation)/)
  })

  test.each([
    ['/login?next=%2F', '/login?next=%2F'],
    [`http://${localHost}/login`, `http://${localHost}/login`],
    ['http://localhost:5173/login', `http://${localHost}/login`],
    ['http://127.0.0.1:5173', `http://${localHost}`],
    ['http://localhost:8000/', 'http://localhost:8000/'],
    ['https://example.com/a', 'https://example.com/a'],
    ['http://localhost:5173.evil.com/', 'http://localhost:5173.evil.com/'],
  ])('leads from %s to %s', (location, expected) => {
    expect(value(browser(['Location', location]), 'location')).toBe(expected)
  })
})
