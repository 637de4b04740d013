import { describe, expect, it } from 'vitest'
import { highlight, matches, rank } from './highlight.ts'

const marked = (text: string, query: string) =>
  highlight(text, query)
    .map((piece) => (piece.isMatch ? `[${piece.text}]` : piece.text))
    .join('')

describe('highlighting', () => {
  it('marks every occurrence of every word, whatever its case', () => {
    expect(marked('Reverse the report', 're')).toBe('[Re]verse the [re]port')
    expect(marked('pip install pandas', 'pandas pip')).toBe('[pip] install [pandas]')
  })

  it('finds a word without its accents and marks it with them', () => {
    expect(marked('Übersicht für München', 'munchen uber')).toBe('[Über]sicht für [München]')
    expect(marked('Cafe\u0301 notes', 'cafe')).toBe('[Cafe\u0301] notes')
  })

  it('returns the text unchanged when nothing matches', () => {
    expect(highlight('abc', 'x')).toEqual([{ text: 'abc', isMatch: false }])
    expect(highlight('abc', '  ')).toEqual([{ text: 'abc', isMatch: false }])
    expect(highlight('', 'x')).toEqual([])
  })

  it('treats the query as text, not as a pattern', () => {
    expect(marked('a.*b (c)', '.* (')).toBe('a[.*]b [(]c)')
    expect(rank('a (b', '(b')).toBe(1)
  })

  it('keeps characters outside the basic plane whole', () => {
    expect(marked('🐙 data', 'data')).toBe('🐙 [data]')
  })
})

describe('ranking', () => {
  it('prefers the beginning of the text, then of a word', () => {
    expect(rank('Rename thread', 're')).toBe(0)
    expect(rank('Q3 report', 're')).toBe(1)
    expect(rank('Demand forecast', 're')).toBe(2)
    expect(rank('Settings', 're')).toBeNull()
  })

  it('requires every word', () => {
    expect(matches('New thread', 'thread new')).toBe(true)
    expect(matches('New thread', 'thread old')).toBe(false)
  })
})
