import { checkProperty, foreignText } from '@threadbox/testkit/properties'
import { array, constantFrom, oneof, property } from 'fast-check'
import { expect, test } from 'vitest'
import { parseNetworkName } from './network-name.ts'
import { allowsName } from './network-policy.ts'

const pieces = [
  '*.',
  '*',
  '.',
  '..',
  'a',
  'example',
  'org',
  '0x7f',
  '127',
  '::',
  '[',
  'ü',
  '１',
  '-',
  '_',
  '@',
  '/',
  ' ',
]
const names = oneof(
  foreignText(300),
  array(constantFrom(...pieces), { maxLength: 12 }).map((texts) => texts.join('')),
)

test('a name is stored in one form that is not an address, or refused', () =>
  checkProperty(
    'network-names',
    property(names, (text) => {
      const parsed = parseNetworkName(text)
      if ('problem' in parsed) return
      const { name } = parsed
      expect(parseNetworkName(name)).toEqual({ name })
      expect(name).toMatch(/^(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)+$/)
      expect(name).not.toMatch(/\.(\d+|0x[0-9a-f]*)$/)
      expect(allowsName({ kind: 'allowlist', names: [name] }, name.replace('*', 'x'))).toBe(true)
    }),
    { runs: 500 },
  ))
