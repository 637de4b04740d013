import { checkProperty, cutAnywhere, cuts, foreignText } from '@threadbox/testkit/properties'
import { array, constantFrom, oneof, property } from 'fast-check'
import { expect, test } from 'vitest'
import { makeScrollback } from './scrollback.ts'

const output = array(oneof(foreignText(40), constantFrom('\u001b[?1049h', '\u001b[?25l', '\u001bc', 'line\n')), {
  maxLength: 20,
})

test('output in any pieces leaves the same end of it, within its limit', () =>
  checkProperty(
    'scrollback-in-pieces',
    property(output, cuts(800), (parts, places) => {
      const bytes = Buffer.from(parts.join(''))
      const whole = readOf([bytes])
      expect(readOf(cutAnywhere(bytes, places))).toEqual(whole)
      expect(whole.kept.length).toBeLessThanOrEqual(4 * 32)
      expect(bytes.subarray(bytes.length - whole.kept.length)).toEqual(whole.kept)
    }),
  ))

function readOf(pieces: readonly Buffer[]) {
  const scrollback = makeScrollback({ segmentBytes: 32, maxSegments: 4 })
  for (const piece of pieces) scrollback.append(piece)
  const kept: Buffer[] = []
  for (let at = scrollback.dropped; at < scrollback.size; ) {
    const part = scrollback.read(at, 1000)
    kept.push(part)
    at += part.length
  }
  return { begin: scrollback.begin(), size: scrollback.size, kept: Buffer.concat(kept) }
}
