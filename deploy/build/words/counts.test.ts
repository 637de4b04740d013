import { expect, it } from 'vitest'
import { compareCounts, countHits, countsText, grownRules } from './counts.ts'
import type { Hit } from './text.ts'

const hit = (path: string, rule: string, line = 1): Hit => ({ rule, kind: 'docs', path, line, text: rule, advice: '' })

it('counts are by path and rule, in order, one line per path', () => {
  const counts = countHits([hit('b.md', 'picture'), hit('a.md', 'people'), hit('a.md', 'anew'), hit('a.md', 'anew', 2)])
  expect(countsText(counts)).toBe('{\n  "a.md": {"anew":2,"people":1},\n  "b.md": {"picture":1}\n}\n')
})

it('a rule with more hits in a file than known shows all of them; with the known number it shows none', () => {
  const hits = [hit('a.md', 'anew', 1), hit('a.md', 'anew', 2), hit('a.md', 'people')]
  expect(compareCounts({ 'a.md': { anew: 1, people: 1 } }, hits)).toEqual({ more: hits.slice(0, 2), fewer: [] })
})

it('a count that fell has to be lowered, also when the file is gone', () => {
  expect(compareCounts({ 'a.md': { anew: 2 }, 'gone.md': { people: 1 } }, [hit('a.md', 'anew')])).toEqual({
    more: [],
    fewer: ['a.md: anew: 1 of 2 known hits remain', 'gone.md: people: 0 of 1 known hits remain'],
  })
})

it('moving a text does not make a rule grow, adding one does, and a new rule has no earlier count', () => {
  const known = { 'a.md': { anew: 1 } }
  expect(grownRules(known, [hit('b.md', 'anew')])).toEqual([])
  expect(grownRules(known, [hit('a.md', 'anew'), hit('b.md', 'anew')])).toEqual(['anew'])
  expect(grownRules(known, [hit('a.md', 'people')])).toEqual([])
})
