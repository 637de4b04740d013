import { expect, test } from 'vitest'
import { pageEnd } from './output-pages.ts'

const kept = { headBytes: 100, tailFrom: 900 }

test.each([
  { at: 0, text: 'x'.repeat(60), ends: { endOffset: 60, skippedBytes: 0 } },
  { at: 60, text: 'x'.repeat(40), ends: { endOffset: 900, skippedBytes: 800 } },
  { at: 900, text: 'x'.repeat(40), ends: { endOffset: 940, skippedBytes: 0 } },
  { at: 98, text: 'ä', ends: { endOffset: 900, skippedBytes: 800 } },
])('a page of an output that starts at byte $at continues at byte $ends.endOffset', ({ at, text, ends }) => {
  expect(pageEnd({ text, kept }, at)).toEqual(ends)
})

test('an output that was kept whole is read without a gap', () => {
  const whole = { headBytes: 100, tailFrom: 100 }
  expect(pageEnd({ text: 'x'.repeat(60), kept: whole }, 60)).toEqual({ endOffset: 120, skippedBytes: 0 })
})
