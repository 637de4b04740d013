import { describe, expect, test } from 'vitest'
import { afterClose, afterFrame, inParts, newLink, retryDelayMs } from './link.logic.ts'

describe('the link to a terminal', () => {
  test('G8: ends with the terminal, and reconnects in all other cases', () => {
    for (const code of [4000, 4001, 4004]) expect(afterClose(newLink, code).connection).toBe('over')
    for (const code of [1001, 1006, 1011, 4008]) expect(afterClose(newLink, code).connection).toBe('waiting')
    expect([0, 1, 5, 50].map(retryDelayMs)).toEqual([250, 500, 8000, 8000])
  })

  test('keeps the state of the terminal, and clears a problem after a success', () => {
    const problem = { code: 'host.no-memory', kind: 'exhausted' as const, details: {}, message: 'No.', remedy: 'Wait.' }
    const failed = afterFrame(newLink, { type: 'error', error: problem })
    expect(failed.problem).toEqual(problem)
    const ended = afterFrame(failed, { type: 'status', status: 'ended', exitCode: 3 })
    expect(ended).toMatchObject({ status: 'ended', exitCode: 3, problem: null })
    expect(afterFrame(ended, { type: 'resized', cols: 1, rows: 1 })).toBe(ended)
  })
})

test('G8: a pasted text is sent in parts, and no character is split', () => {
  expect(inParts('', 4)).toEqual([])
  expect(inParts('abcdefgh', 4)).toEqual(['abcd', 'efgh'])
  const parts = inParts('abc😀😀x', 4)
  expect(parts).toEqual(['abc', '😀😀', 'x'])
  expect(parts.join('')).toBe('abc😀😀x')
})
