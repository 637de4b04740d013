import { checkProperty, foreignText } from '@threadbox/testkit/properties'
import { nat, property } from 'fast-check'
import { expect, test } from 'vitest'
import { formatIpv4, formatIpv4Range, parseIpv4, parseIpv4Range } from './ipv4.ts'

test('addresses and ranges are read as they are written, and nothing else is one', () =>
  checkProperty(
    'ipv4-text',
    property(nat({ max: 0xff_ff_ff_ff }), nat({ max: 32 }), foreignText(20), (value, prefixLength, text) => {
      expect(parseIpv4(formatIpv4(value))).toBe(value)
      const base = prefixLength === 0 ? 0 : value - (value % 2 ** (32 - prefixLength))
      expect(parseIpv4Range(formatIpv4Range({ base, prefixLength }))).toEqual({ base, prefixLength })
      const read = parseIpv4(text)
      if (read !== undefined) expect(formatIpv4(read)).toBe(text)
      const range = parseIpv4Range(text)
      if (range !== undefined) expect(parseIpv4Range(formatIpv4Range(range))).toEqual(range)
    }),
  ))
