import { expect, test } from 'vitest'
import { isReport } from './reports.logic.ts'

test('O3: focus, mouse movement and replies to programs are not activity', () => {
  const reports = [
    ...['\x1b[I', '\x1b[O', '\x1b[O\x1b[I', '\x1b[<35;10;20M', '\x1b[<32;1;1m'],
    ...['\x1b[?1;2c', '\x1b[>0;276;0c', '\x1b[0n', '\x1b[24;80R', '\x1b[?2026;2$y'],
    ...[
      '\x1b]11;rgb:1111/1111/1313\x1b\\',
      '\x1b]4;1;rgb:ffff/0000/0000\x07',
      '\x1bP1$r0m\x1b\\',
      '\x1bP>|xterm.js(6.0.0)\x1b\\',
    ],
  ]
  for (const report of reports) expect(isReport(report), JSON.stringify(report)).toBe(true)
})

test('O3: typing, pasting and clicking are', () => {
  const typed = [
    'a',
    '\r',
    '\x1b',
    '\x1b[A',
    '\x1bOP',
    '\x03',
    '\t',
    '\x1b[200~text\x1b[201~',
    '\x1b[<0;10;20M',
    '\x1b[<64;1;1M',
    '\x1b[Ix',
  ]
  for (const text of typed) expect(isReport(text), JSON.stringify(text)).toBe(false)
})
