import { describe, expect, test } from 'vitest'
import { distanceFromEnd, followDistance, followsAfterScroll, topAfterPrepend } from './scroll.logic.ts'

const at = (top: number, height = 2000, viewport = 500) => ({ top, height, viewport })
const end = 1500

describe('following the end', () => {
  test('any upward movement stops it, however small', () => {
    expect(followsAfterScroll(true, { before: at(end), after: at(end - 10) })).toBe(false)
  })

  test('growth of the content alone does not', () => {
    expect(followsAfterScroll(true, { before: at(end), after: at(end, 2400) })).toBe(true)
  })

  test('a shrinking list that pulls the view up does not count as movement of the reader', () => {
    expect(followsAfterScroll(true, { before: at(end), after: at(1400, 1900) })).toBe(true)
  })

  test('a smaller window does not count as movement of the reader', () => {
    expect(followsAfterScroll(true, { before: at(end), after: { top: end + 200, height: 2000, viewport: 300 } })).toBe(
      true,
    )
  })

  test('coming back to within 80 pixels resumes it, farther away does not', () => {
    expect(followsAfterScroll(false, { before: at(1000), after: at(end - followDistance) })).toBe(true)
    expect(followsAfterScroll(false, { before: at(1000), after: at(end - followDistance - 1) })).toBe(false)
  })

  test('the distance is never negative', () => {
    expect(distanceFromEnd(at(0, 300))).toBe(0)
  })

  test('visible rows stay in place when older rows are added above', () => {
    expect(topAfterPrepend(at(40), 2600)).toBe(640)
  })
})
