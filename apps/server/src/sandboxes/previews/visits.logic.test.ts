import { describe, expect, test } from 'vitest'
import { makePreviewNames } from './preview-names.logic.ts'
import { isForeign, judgeVisit } from './visits.logic.ts'

const page = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'same-site' }

describe('O3: a sandbox is woken by', () => {
  test.each([
    ['a frame that the app opens', 'GET', page],
    ['an address that a person types', 'GET', { ...page, 'sec-fetch-dest': 'document', 'sec-fetch-site': 'none' }],
    ['a link in the page', 'GET', { ...page, 'sec-fetch-site': 'same-origin', 'sec-fetch-user': '?1' }],
    ['a browser that sends no fetch metadata', 'GET', { accept: 'text/html,*/*' }],
  ])('%s', (_title, method, headers) => {
    expect(judgeVisit(method, headers)).toEqual({ isPage: true, isDeliberate: true, mayWake: true })
  })
})

describe('O3: a sandbox is neither woken nor kept awake by', () => {
  test.each([
    ['a script that polls', { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }],
    ['an image', { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }],
    ['a socket', { 'sec-fetch-mode': 'websocket', 'sec-fetch-dest': 'websocket', upgrade: 'websocket' }],
    ['a page that reloads itself', { ...page, 'sec-fetch-site': 'same-origin' }],
    ['a page that is prefetched', { ...page, 'sec-purpose': 'prefetch' }],
    ['a script of a browser that sends no fetch metadata', { accept: '*/*' }],
    ['an object in a page', { ...page, 'sec-fetch-dest': 'object' }],
  ])('%s', (_title, headers) => {
    expect(judgeVisit('GET', headers)).toMatchObject({ isDeliberate: false, mayWake: false })
  })

  test('a form keeps it awake but does not wake it: it could not be sent again', () => {
    expect(judgeVisit('POST', page)).toEqual({ isPage: true, isDeliberate: true, mayWake: false })
  })
})

describe('O12: with a cookie of this preview', () => {
  const names = makePreviewNames({
    installation: 'abc123',
    baseDomain: '',
    publicUrl: '',
    allowedHosts: '',
    listenHost: '127.0.0.1',
  })
  const host = '8000-abcdefg234.abc123.localhost:7717'
  const foreign = (headers: Record<string, string>, method = 'GET') =>
    isForeign({ method, headers, host, names, address: { port: 8000, label: 'abcdefg234' } })
  const sibling = 'http://5173-abcdefg234.abc123.localhost:7717'
  const other = 'http://8000-bbbbbbbbbb.abc123.localhost:7717'
  const app = 'http://app.abc123.localhost:7717'

  test.each([
    ['its own page acts', { origin: `http://${host}`, 'sec-fetch-site': 'same-origin' }, 'POST'],
    ['another port of the thread acts', { origin: sibling, 'sec-fetch-site': 'same-site' }, 'POST'],
    ['another port of the thread shows an image', { 'sec-fetch-site': 'same-site', referer: `${sibling}/` }, 'GET'],
    ['the app opens a frame', page, 'GET'],
    ['a program sends a request', {}, 'POST'],
  ])('%s', (_title, headers, method) => {
    expect(foreign(headers, method)).toBe(false)
  })

  test.each([
    ['another thread cannot act', { origin: other, 'sec-fetch-site': 'same-site' }, 'POST'],
    ['another thread cannot send a form', { ...page, origin: other }, 'POST'],
    ['a frame without an origin cannot act', { origin: 'null' }, 'POST'],
    ['the app itself does not act', { origin: app, 'sec-fetch-site': 'same-site' }, 'POST'],
    ['another thread cannot load a script', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' }, 'GET'],
    ['another thread cannot load it by its referrer', { 'sec-fetch-site': 'same-site', referer: `${other}/` }, 'GET'],
    ['another site cannot open a socket', { origin: 'https://evil.com', upgrade: 'websocket' }, 'GET'],
  ])('%s', (_title, headers, method) => {
    expect(foreign(headers, method)).toBe(true)
  })
})
