import { checkProperty, foreignText } from '@threadbox/testkit/properties'
import { array, constantFrom, nat, oneof, property, uint8Array } from 'fast-check'
import { expect, test } from 'vitest'
import { makeHeadScanner } from './head-scanner.logic.ts'
import { withScripts } from './script-policy.logic.ts'

const insertion = '\u0001bridge\u0001'
const words = [
  ...[
    '<!doctype html>',
    '<html lang="a">',
    '<head>',
    '<title>',
    '</title>',
    '<script>',
    '</script',
    '>',
    '<!--',
    '-->',
  ],
  ...['<meta charset=utf-8>', '<meta http-equiv="content-security-policy" content="default-src \'none\'">', '<body>'],
  ...['<link', '"', "'", '\u00ef\u00bb\u00bf', '\u00ff\u00fe', '\u00fe\u00ff', '\n', ' ', '<', '</', '<base href=x>'],
]
/** Bytes as Latin-1, as the scanner gets them. */
const pages = array(
  oneof(
    constantFrom(...words),
    uint8Array({ maxLength: 6 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
  ),
  { maxLength: 20 },
).map((parts) => parts.join(''))

test('a page in any pieces is changed in the same way', () =>
  checkProperty(
    'head-scanner-in-pieces',
    property(pages, array(nat({ max: 300 }), { maxLength: 8 }), (page, places) => {
      expect(scanned(inPieces(page, places))).toBe(scanned([page]))
    }),
    { runs: 1000 },
  ))

test('a page only gets the insertion, once, and loses nothing', () =>
  checkProperty(
    'head-scanner-keeps-the-page',
    property(pages, (page) => {
      const changed = scanned([page])
      const at = changed.indexOf(insertion)
      const without = at < 0 ? changed : changed.slice(0, at) + changed.slice(at + insertion.length)
      expect(without).toBe(page)
    }),
  ))

test('the script can run under any policy, and everything else stays as it was', () =>
  checkProperty(
    'script-policy',
    property(
      array(oneof(foreignText(30), constantFrom("script-src 'none'", "default-src 'self'", ';', ',')), {
        maxLength: 8,
      }),
      (parts) => {
        const header = parts.join(' ')
        const once = withScripts(header, { urls: ['https://own.example/a.js'], inlineHash: undefined })
        const again = withScripts(once, { urls: ['https://own.example/a.js'], inlineHash: undefined })
        expect(again.split(',').length).toBe(once.split(',').length)
        for (const policy of once.split(', ')) {
          if (/(^|; )(script-src|default-src)(\s|;|$)/i.test(policy))
            expect(policy).toContain('https://own.example/a.js')
        }
      },
    ),
  ))

function scanned(pieces: readonly string[]): string {
  const scanner = makeHeadScanner({ insertion, changePolicy: (policy) => policy })
  return pieces.map((piece) => scanner.push(piece)).join('') + scanner.end()
}

function inPieces(text: string, places: readonly number[]): string[] {
  const ends = [...places.map((place) => place % (text.length + 1)).toSorted((one, other) => one - other), text.length]
  return ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end))
}
