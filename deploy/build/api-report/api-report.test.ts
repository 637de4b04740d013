import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { apiReportText } from './api-report.ts'
import { differencesOf } from './differences.ts'
import { linesOf } from './protocol-schemas.ts'
import { shapeOf, withoutWords } from './shapes.ts'

describe('the API report', () => {
  it('changes when a field is added, becomes optional or accepts less', () => {
    const base = z.object({ name: z.string().max(80) })
    const others = [
      base.extend({ age: z.number() }),
      base.partial(),
      z.object({ name: z.string().max(40) }),
      z.object({ name: z.enum(['a', 'b']) }),
      z.strictObject({ name: z.string().max(80) }),
    ]
    for (const other of others) expect(differencesOf(shapeOf(base), shapeOf(other))).not.toEqual([])
  })

  it('does not change with descriptions or the order of fields', () => {
    const before = z.object({ a: z.string(), b: z.number().describe('old words') })
    const after = z.object({ b: z.number().describe('new words'), a: z.string() })
    expect(differencesOf(shapeOf(before), shapeOf(after))).toEqual([])
  })

  it('keeps a property that is named like a text for people', () => {
    expect(withoutWords({ properties: { description: { type: 'string', description: 'words' } } })).toEqual({
      properties: { description: { type: 'string' } },
    })
  })

  it('names the path of each change with the values before and after', () => {
    const before = { routes: { '/a': { get: 1 }, '/b': {} } }
    const after = { routes: { '/a': { get: 2 }, '/c': {} } }
    expect(differencesOf(before, after)).toEqual([
      '- routes › /a › get: 1',
      '+ routes › /a › get: 2',
      '- routes › /b: {}',
      '+ routes › /c: {}',
    ])
  })

  it('names what was added to a list, and a list whose order changed', () => {
    expect(differencesOf({ lines: ['a', 'b'] }, { lines: ['a', 'c', 'b'] })).toEqual(['+ lines: "c"'])
    expect(differencesOf({ lines: ['a', 'b', 'b'] }, { lines: ['a', 'b'] })).toEqual(['- lines: "b"'])
    expect(differencesOf({ lines: ['a', 'b'] }, { lines: ['b', 'a'] })).toEqual(['~ lines: another order'])
  })

  it('reads declarations without comments, and keeps addresses in them', () => {
    expect(linesOf('/** doc */\ntype A = {\n  // why\n  url: "http://x/y";\n}\n')).toEqual([
      'type A = {',
      'url: "http://x/y";',
      '}',
    ])
  })

  it('is written with one line per route, schema or table', () => {
    const report = { errorCodes: { 'a.b': 'invalid' }, routes: { paths: { '/a': { get: {} } } } }
    expect(apiReportText(report)).toBe(
      '{\n"errorCodes": {\n"a.b": "invalid"\n},\n"routes": {\n"paths": {\n"/a": {"get":{}}\n}\n}\n}\n',
    )
    expect(JSON.parse(apiReportText(report))).toEqual(report)
  })
})
