import { describe, expect, test } from 'vitest'
import { makePreviewNames } from './preview-names.logic.ts'

const options = { installation: 'abc123', baseDomain: '', publicUrl: '', allowedHosts: '', listenHost: '127.0.0.1' }
const local = makePreviewNames(options)
const published = makePreviewNames({
  ...options,
  baseDomain: 'preview.example.com',
  publicUrl: 'https://chat.example.com',
})
const label = 'abcdefg234'

describe('O12: a hostname', () => {
  test.each([
    ['8000-abcdefg234.abc123.localhost:7717', { port: 8000, label }],
    ['8000-ABCDEFG234.abc123.LOCALHOST', { port: 8000, label }],
    ['65535-abcdefg234.abc123.localhost', { port: 65_535, label }],
    ['65536-abcdefg234.abc123.localhost', undefined],
    ['0-abcdefg234.abc123.localhost', undefined],
    ['08000-abcdefg234.abc123.localhost', undefined],
    ['8000-abcdefg23.abc123.localhost', undefined],
    ['8000-abcdefg234.other1.localhost', undefined],
    ['8000-abcdefg234.abc123.localhost.evil.com', undefined],
    ['x.8000-abcdefg234.abc123.localhost', undefined],
    ['8000-abcdefg234.abc123.localhost.', undefined],
  ])('%s names %o', (host, address) => {
    expect(local.addressOf(host)).toEqual(address)
  })

  test.each([
    ['app.abc123.localhost:7717', false],
    ['localhost:7717', false],
    ['127.0.0.1', false],
    ['abc123.localhost', false],
    ['8000-abcdefg234.abc123.localhost:7717', true],
    ['anything.abc123.localhost', true],
    ['app.abc123.localhost.', false],
    ['evil.com', false],
  ])('%s is a preview: %s', (host, isPreview) => {
    expect(local.isPreview(host)).toBe(isPreview)
  })
})

test('O4: a preview has the scheme and the port by which the app was reached', () => {
  const address = { port: 8000, label }
  expect(local.originOf(address, 'app.abc123.localhost:7717')).toBe('http://8000-abcdefg234.abc123.localhost:7717')
  expect(local.originOf(address, 'localhost:9000')).toBe('http://8000-abcdefg234.abc123.localhost:9000')
  expect(published.originOf(address, 'chat.example.com')).toBe('https://8000-abcdefg234.preview.example.com')
  expect(published.originOf(address, 'localhost:7717')).toBe('http://8000-abcdefg234.preview.example.com:7717')
  expect(published.appOrigin('8000-abcdefg234.preview.example.com')).toBe('https://chat.example.com')
  expect(local.appOrigin('8000-abcdefg234.abc123.localhost:7717')).toBe('http://app.abc123.localhost:7717')
})

test.each([
  ['app.abc123.localhost:7717', undefined],
  ['localhost:7717', 'other-name'],
  ['127.0.0.1:7717', 'other-name'],
  ['[::1]:7717', 'other-name'],
  ['192.168.1.5:7717', 'no-name'],
  ['box.lan:7717', 'no-name'],
])('O4: a page of the app at %s shows previews in frames unless: %s', (host, obstacle) => {
  expect(local.obstacle(host)).toBe(obstacle)
})

test('O4: an app beside the base domain of previews is on the same site, one elsewhere is not', () => {
  expect(published.obstacle('chat.example.com')).toBeUndefined()
  expect(published.obstacle('app.preview.example.com')).toBeUndefined()
  expect(published.obstacle('192.168.1.5:7717')).toBe('other-name')
  expect(published.obstacle('localhost:7717')).toBe('other-name')
})

test('O12: only origins of the same thread, scheme and port are siblings', () => {
  const host = '8000-abcdefg234.abc123.localhost:7717'
  const port = (origin: string) => local.portOfSibling(origin, { label, host })
  expect(port('http://5173-abcdefg234.abc123.localhost:7717')).toBe(5173)
  expect(port('http://5173-abcdefg234.abc123.localhost:80')).toBeUndefined()
  expect(port('https://5173-abcdefg234.abc123.localhost:7717')).toBeUndefined()
  expect(port('http://5173-bbbbbbbbbb.abc123.localhost:7717')).toBeUndefined()
  expect(port('http://app.abc123.localhost:7717')).toBeUndefined()
  expect(port('null')).toBeUndefined()
})
