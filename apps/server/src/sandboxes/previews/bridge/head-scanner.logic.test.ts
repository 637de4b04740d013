import { describe, expect, test } from 'vitest'
import { makeHeadScanner } from './head-scanner.logic.ts'

const scan = (page: string, size = page.length) => {
  const scanner = makeHeadScanner({ insertion: '<B>', changePolicy: (policy) => `${policy}; own` })
  let out = ''
  for (let at = 0; at < page.length; at += size) out += scanner.push(page.slice(at, at + size))
  return out + scanner.end()
}

test.each([
  ['<!doctype html><html><head><script>1</script>', '<!doctype html><html><head><B><script>1</script>'],
  ['<script>1</script>', '<B><script>1</script>'],
  ['Hello', '<B>Hello'],
  ['', '<B>'],
  [
    '<!-- <script> > --><HTML lang="a>b">\n<Head data-x=\'>\'>\n<link>',
    '<!-- <script> > --><HTML lang="a>b">\n<Head data-x=\'>\'>\n<B><link>',
  ],
  ['<html><body onload="1">x', '<html><B><body onload="1">x'],
  ['<head><meta charset="utf-8"><title>a', '<head><meta charset="utf-8"><B><title>a'],
  ['<head><title><script></title><p>', '<head><B><title><script></title><p>'],
  ['\u00ef\u00bb\u00bf<!DOCTYPE html><p>x', '\u00ef\u00bb\u00bf<!DOCTYPE html><B><p>x'],
  ['<html><head></head><p>', '<html><head><B></head><p>'],
])('goes before the first script of %j, in chunks of any size', (page, changed) => {
  for (const size of [page.length || 1, 1, 3, 7]) expect(scan(page, size)).toBe(changed)
})

test('changes no other byte of a page', () => {
  const bytes = Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 7) % 256)).toString('latin1')
  const page = `<!doctype html><p title="a>b">${bytes}<script>"<head><meta charset=x>"</script>`
  for (const size of [page.length, 1, 100]) expect(scan(page, size).replace('<B>', '')).toBe(page)
})

test('leaves pages with two bytes per character unchanged', () => {
  const page = Buffer.from('\ufeff<!doctype html><p>', 'utf16le').toString('latin1')
  expect(scan(page)).toBe(page)
})

describe('policies in the head', () => {
  const policy = (content: string) => `<meta http-equiv="Content-Security-Policy" content="${content}">`
  test('are changed, also behind scripts and styles, and only in the head', () => {
    const head = `<head><script>if (a < b) '${policy('x')}'</script><style>a{}</style>${policy('y &quot;z&quot;')}`
    const changed = scan(`${head}</head><body>${policy('w')}`, 5)
    expect(changed).toBe(
      `<head><B><script>if (a < b) '${policy('x')}'</script><style>a{}</style>${policy('y &quot;z&quot;; own')}</head><body>${policy('w')}`,
    )
  })

  test('are found in any notation', () => {
    expect(scan("<meta content='a' http-equiv=content-security-policy>")).toBe(
      '<B><meta content="a; own" http-equiv=content-security-policy>',
    )
    expect(scan('<meta name="description" content="a">')).toBe('<B><meta name="description" content="a">')
  })
})

test('a page is passed on as it arrives: nothing after its head is held back, and a tag without an end does not block it', () => {
  const scanner = makeHeadScanner({ insertion: '<B>', changePolicy: (policy) => policy })
  expect(scanner.push('<!doctype html><html><head><script>long')).toBe('<!doctype html><html><head><B><script>')
  expect(scanner.push('x'.repeat(100))).toHaveLength(100 + 4 - 12)
  expect(scanner.push('</script></head><p>begin<')).toContain('<p>begin<')
  expect(scanner.push('b')).toBe('b')
  const endless = makeHeadScanner({ insertion: '<B>', changePolicy: (policy) => policy })
  expect(endless.push(`<meta x="${'x'.repeat(70_000)}`)).toMatch(/^<B><meta x="x+$/)
})
