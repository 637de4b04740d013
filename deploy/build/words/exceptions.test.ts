import { expect, it } from 'vitest'
import { applyExceptions, parseExceptions } from './exceptions.ts'
import type { Hit } from './text.ts'

const hit = (path: string, text: string): Hit => ({ rule: 'anew', kind: 'docs', path, line: 1, text, advice: '' })

it('an exception covers its text in the files of its path, whatever the case', () => {
  const exceptions = parseExceptions('# Right ones\nanew\tdocs/*.md\tanew\ta name\n')
  const hits = [hit('docs/a.md', 'Anew'), hit('docs/a/b.md', 'anew'), hit('docs/a.md', 'other')]
  expect(applyExceptions(hits, exceptions)).toEqual({ remaining: hits.slice(1), unused: [] })
})

it('a star covers every text of the rule', () => {
  const exceptions = parseExceptions('anew\tdocs/**\t*\tquotes')
  expect(applyExceptions([hit('docs/a/b.md', 'x')], exceptions).remaining).toEqual([])
})

it('an exception that covers nothing is named', () => {
  const exceptions = parseExceptions('\npeople\tdocs/a.md\tanew\tanother rule')
  expect(applyExceptions([hit('docs/a.md', 'anew')], exceptions).unused).toMatchObject([{ line: 2 }])
})

it('an exception needs a reason', () => {
  expect(() => parseExceptions('anew\tdocs/a.md\tanew')).toThrow('exceptions.txt:1 needs rule, path, text and reason')
})
