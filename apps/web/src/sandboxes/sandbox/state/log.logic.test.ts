import { expect, test } from 'vitest'
import { logDuration, logMark, sleepGaps } from './log.logic.ts'

const codes = (...names: string[]) => names.map((code) => ({ code }))

test('the log is dashed from a wake down to the pause before it, whatever happened in between', () => {
  expect(sleepGaps(codes('woken.disk', 'demoted', 'frozen-dropped', 'paused.idle', 'held', 'started'))).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ])
  expect(sleepGaps(codes('paused.person', 'woken.frozen', 'paused.idle'))).toEqual([false, true, false])
  expect(sleepGaps([])).toEqual([])
})

test('each line has the glyph of the state it led to; one without a change of state has none', () => {
  expect(logMark('paused.room').glyph).toBe('paused')
  expect(logMark('woken.memory')).toEqual({ glyph: 'active', isWake: true })
  expect(logMark('woken.new')).toEqual({ glyph: 'cold', isWake: true })
  expect(logMark('pause-failed').glyph).toBe('error')
  expect(logMark('limits-changed').glyph).toBeNull()
  expect(logMark('something-new').glyph).toBeNull()
})

test('a line without a duration shows none', () => {
  const line = { id: 'l', at: 0, code: 'started', reportId: null }
  expect(logDuration({ ...line, params: { durationMs: 240 } })).toBe(240)
  expect(logDuration({ ...line, params: {} })).toBeUndefined()
})
