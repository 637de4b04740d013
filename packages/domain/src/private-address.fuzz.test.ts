import { checkProperty, foreignText } from '@threadbox/testkit/properties'
import { constantFrom, integer, oneof, property, record } from 'fast-check'
import { expect, test } from 'vitest'
import { isGrantedAddress, parsePrivateAddress } from './private-address.ts'

const names = oneof(
  foreignText(300),
  constantFrom('git.corp.example', 'GIT.corp.example.', '*.corp.example', '10.0.0.1'),
)
const parts = oneof(integer({ min: -1, max: 300 }).map(String), constantFrom('010', '0x7f', '', '1e1'))
const ranges = oneof(
  foreignText(30),
  record({ a: constantFrom('10', '172', '192', '100', '127', '8'), b: parts, c: parts, d: parts, length: parts }).map(
    ({ a, b, c, d, length }) => `${a}.${b}.${c}.${d}/${length}`,
  ),
  record({ b: integer({ min: 0, max: 255 }), length: integer({ min: 8, max: 32 }) }).map(
    ({ b, length }) => `10.${b}.0.0/${length}`,
  ),
)
const entries = record({ name: names, port: oneof(integer(), integer({ min: 0, max: 65_536 })), range: ranges })

test('an entry is stored in one form, in which it is again the same, or refused', () =>
  checkProperty(
    'private-addresses',
    property(entries, (entry) => {
      const parsed = parsePrivateAddress(entry)
      if ('problem' in parsed) return
      expect(parsePrivateAddress(parsed)).toEqual(parsed)
      expect(parsed.name).toMatch(/^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/)
      const [base = '', length] = parsed.range.split('/')
      expect(Number(length)).toBeGreaterThanOrEqual(16)
      expect(isGrantedAddress(base, [parsed.range])).toBe(true)
      expect(base).toMatch(/^(10|172|192|100)\./)
    }),
    { runs: 500 },
  ))
