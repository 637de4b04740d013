import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { makeLogger } from '@threadbox/telemetry'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BridgeFiles, readBridgeFiles } from './bridge-files.ts'
import { wantsBridge, withBridge } from './bridge-injection.ts'

const html = '<!doctype html><head><script src="/app.js"></script></head><p>käse'
let directory: string
let files: BridgeFiles
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'threadbox-bridge-'))
  await mkdir(path.join(directory, 'preview-bridge'))
  await writeFile(path.join(directory, 'preview-bridge/bridge.js'), 'bridge("</script>")\n')
  await writeFile(path.join(directory, 'preview-bridge/painter.js'), 'painter()')
  files = readBridgeFiles({
    webDirectory: directory,
    logger: makeLogger({ process: 'test', level: 'silent' }),
  }) as BridgeFiles
})
afterAll(() => rm(directory, { recursive: true }))

async function change(
  headers: Record<string, string>,
  body: Buffer | string = html,
  statusCode = 200,
): Promise<{ headers: Record<string, string>; body: string }> {
  const rawHeaders = Object.entries(headers).flat()
  const context = { files, origin: 'http://8000-a.box.localhost', appOrigin: 'http://app.box.localhost' }
  const changed = withBridge({ statusCode, headers, rawHeaders }, context)
  const sink = new PassThrough()
  const [read] = await Promise.all([text(sink), pipeline([PassThrough.from([body]), ...changed.through, sink])])
  const names = changed.rawHeaders.filter((_, index) => index % 2 === 0)
  return {
    headers: Object.fromEntries(names.map((name, index) => [name, changed.rawHeaders[2 * index + 1] ?? ''])),
    body: read,
  }
}
const page = { 'content-type': 'text/html; charset=utf-8' }

test('a page gets the bridge before its first script, with a URL that changes with it and the origin of the app', async () => {
  const { body, headers } = await change({ ...page, 'content-length': '70', etag: '"a"' })
  expect(body).toMatch(
    /^<!doctype html><head><script src="\/\.threadbox\/bridge\.js\?v=\w{12}" data-app="http:\/\/app\.box\.localhost" data-painter="\/\.threadbox\/painter\.js\?v=\w{12}"><\/script><script src="\/app\.js">/,
  )
  expect(body).toContain('<p>käse')
  expect(headers).toEqual({ ...page, etag: '"a"', vary: 'sec-fetch-dest' })
})

test.each([
  ['gzip', gzipSync(html)],
  ['br', brotliCompressSync(html)],
  ['zstd', zstdCompressSync(html)],
])('also if it is compressed with %s', async (encoding, packed) => {
  const { body, headers } = await change({ ...page, 'content-encoding': encoding, 'content-length': '9' }, packed)
  expect(body).toContain('/.threadbox/bridge.js')
  expect(body).toContain('<p>käse')
  expect(Object.keys(headers)).toEqual(['content-type', 'vary'])
})

describe('left unchanged', () => {
  test.each<[string, Record<string, string>, number?]>([
    ['what is no page', { 'content-type': 'application/json' }],
    ['XML', { 'content-type': 'application/xhtml+xml' }],
    ['a download', { ...page, 'content-disposition': 'attachment; filename=a.html' }],
    ['a part', { ...page, 'content-range': 'bytes 0-9/70' }, 206],
    ['a page of two bytes a character', { 'content-type': 'text/html; charset=UTF-16' }],
    ['what is packed in a way that cannot be read here', { ...page, 'content-encoding': 'gzip, br' }],
  ])('is %s', async (_name, headers, status) => {
    expect(await change(headers, html, status)).toEqual({ headers, body: html })
  })

  test('is a page that no frame of the app requested', () => {
    const asked = (dest: string | undefined, method = 'GET', isPage = true) =>
      wantsBridge(method, dest === undefined ? {} : { 'sec-fetch-dest': dest }, isPage)
    expect([asked('iframe'), asked(undefined), asked('iframe', 'POST')]).toEqual([true, true, true])
    expect([asked('document'), asked('empty'), asked('iframe', 'HEAD'), asked(undefined, 'GET', false)]).toEqual(
      Array(4).fill(false),
    )
  })
})

describe('the policy of a page', () => {
  const bridge = 'http://8000-a.box.localhost/.threadbox/bridge.js http://8000-a.box.localhost/.threadbox/painter.js'
  const csp = "default-src 'self'"

  test('allows both scripts and nothing else, also if the page itself did not change', async () => {
    const expected = `${csp}; script-src-elem 'self' ${bridge}`
    const whole = await change({ ...page, 'Content-Security-Policy': csp })
    expect(whole.headers['Content-Security-Policy']).toBe(expected)
    const same = await change({ 'Content-Security-Policy': csp, etag: '"a"' }, '', 304)
    expect(same.headers).toEqual({ 'Content-Security-Policy': expected, etag: '"a"' })
  })

  test('in the page itself does so, too', async () => {
    const { body } = await change(page, `<head><meta http-equiv="content-security-policy" content="${csp}"><p>`)
    expect(body).toContain(`content="${csp}; script-src-elem 'self' ${bridge}"`)
  })

  test('that ignores URLs gets the script itself, which it allows by its hash', async () => {
    const policy = "script-src 'nonce-a' 'strict-dynamic'"
    const { body, headers } = await change({ ...page, 'content-security-policy': policy })
    expect(body).toMatch(/<head><script data-app="[^"]+" data-painter="[^"]+">bridge\("<\\\/script>"\)<\/script>/)
    expect(headers['content-security-policy']).toContain(`'strict-dynamic' '${files.inlineHash}' http`)
  })
})

test('without the built app, pages stay as their services made them', () => {
  const logger = makeLogger({ process: 'test', level: 'silent' })
  expect(readBridgeFiles({ webDirectory: '', logger })).toBeUndefined()
  expect(readBridgeFiles({ webDirectory: path.join(directory, 'none'), logger })).toBeUndefined()
})
