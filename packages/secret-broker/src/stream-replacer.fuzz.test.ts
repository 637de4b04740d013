import { checkProperty, cutAnywhere } from '@threadbox/testkit/properties'
import { array, boolean, constantFrom, nat, oneof, property, string, tuple, uint8Array } from 'fast-check'
import { expect, test } from 'vitest'
import { echoReplacements, formsOf } from './secret-forms.logic.ts'
import { prepareReplacements, type Replacement, StreamReplacer } from './stream-replacer.logic.ts'

/** Texts of two letters overlap and begin each other in every way. */
const overlapping = string({ unit: constantFrom('a', 'b'), minLength: 1, maxLength: 6 })
const replacements = array(tuple(overlapping, constantFrom('', '-', '<value>')), { minLength: 1, maxLength: 4 }).map(
  (pairs) => [...new Map(pairs)].map(([find, put]) => ({ find: Buffer.from(find), put: Buffer.from(put) })),
)
const stream = string({ unit: constantFrom('a', 'b', 'b', 'c'), maxLength: 60 }).map((text) => Buffer.from(text))

function replaceAll(parts: readonly Buffer[], list: readonly Replacement[]): string {
  const replacer = new StreamReplacer(prepareReplacements(list))
  return Buffer.concat([...parts.flatMap((part) => replacer.push(part)), ...replacer.end()]).toString('latin1')
}

/** What it has to be, the slow way: at each place the longest match. */
function expected(bytes: Buffer, list: readonly Replacement[]): string {
  let result = ''
  for (let at = 0; at < bytes.length; ) {
    const fits = list.filter(({ find }) => bytes.subarray(at).indexOf(find) === 0)
    const longest = fits.toSorted((a, b) => b.find.length - a.find.length)[0]
    result += longest === undefined ? String.fromCharCode(bytes[at] ?? 0) : longest.put.toString()
    at += longest?.find.length ?? 1
  }
  return result
}

test('a stream in any pieces has the same result: the first match, and there the longest', () =>
  checkProperty(
    'replaced-streams',
    property(stream, replacements, array(nat({ max: 20 })), (bytes, list, sizes) => {
      expect(replaceAll(cutAnywhere(bytes, sizes), list)).toBe(expected(bytes, list))
    }),
    { runs: 1000 },
  ))

test('only bytes that could begin a match are held back', () =>
  checkProperty(
    'replaced-streams-held',
    property(stream, replacements, (bytes, list) => {
      const replacer = new StreamReplacer(prepareReplacements(list))
      const out = Buffer.concat(replacer.push(bytes))
      const whole = replaceAll([bytes], list)
      const canBegin = [...bytes.keys()].some((at) =>
        list.some(({ find }) => find.length > bytes.length - at && find.indexOf(bytes.subarray(at)) === 0),
      )
      if (canBegin) return
      expect(replacer.isHolding).toBe(false)
      expect(out.toString()).toBe(whole)
    }),
  ))

const value = 'ghp_Zq3+/x9Lr2Vt 8Kw"7'
const placeholder = 'ghp_tbx-placeholder-01'
const around = uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes))

test('no form of a value passes, cut at every place, with bytes released at every place', () =>
  checkProperty(
    'echoed-values',
    property(around, around, constantFrom(...formsOf(value)), boolean(), (before, after, form, keepsLength) => {
      const bytes = Buffer.concat([before, Buffer.from(form, 'latin1'), after])
      const prepared = echoReplacements([{ placeholder, value }], { keepsLength })
      for (let cut = 0; cut <= bytes.length; cut++) {
        const replacer = new StreamReplacer(prepared)
        const out: Buffer[] = []
        for (const part of [bytes.subarray(0, cut), bytes.subarray(cut)]) {
          out.push(...replacer.push(part))
          const released = replacer.release()
          if (released !== undefined) {
            expect(released.length).toBeLessThanOrEqual(4)
            out.push(released)
          }
        }
        const result = Buffer.concat([...out, ...replacer.end()])
        expect(result.includes(form, 0, 'latin1')).toBe(false)
        if (keepsLength) expect(result).toHaveLength(bytes.length)
      }
    }),
    { runs: 60 },
  ))

test('a value in any text has no trace in the base64 of it', () =>
  checkProperty(
    'echoed-values-in-base64',
    property(
      around,
      around,
      oneof(constantFrom(value), string({ minLength: 12, maxLength: 40 })),
      (before, after, any) => {
        const text = Buffer.concat([before, Buffer.from(any), after]).toString('base64')
        const replacer = new StreamReplacer(echoReplacements([{ placeholder, value: any }], { keepsLength: true }))
        const result = Buffer.concat([...replacer.push(Buffer.from(text)), ...replacer.end()]).toString()
        expect(replacer.matches).toBeGreaterThan(0)
        expect(Buffer.from(result, 'base64').includes(Buffer.from(any).subarray(1, -1))).toBe(false)
      },
    ),
  ))
