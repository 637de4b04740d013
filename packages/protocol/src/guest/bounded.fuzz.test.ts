import { checkProperty } from '@threadbox/testkit/properties'
import { anything, array, integer, json, oneof, property, record, string } from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { listOf, parseGuestJson } from './bounded.ts'

test('any text is JSON within the limits, or an error that says why', () =>
  checkProperty(
    'guest-json',
    property(oneof(json({ maxDepth: 40 }), string()), (text) => {
      try {
        expect(parseGuestJson(text)).toEqual(JSON.parse(text))
      } catch (error) {
        expect(error instanceof SyntaxError || error instanceof RangeError).toBe(true)
      }
    }),
  ))

test('a list takes exactly what an array takes', () =>
  checkProperty(
    'guest-lists',
    property(array(oneof(record({ pid: integer() }), anything())), (values) => {
      const entry = z.object({ pid: z.number().int() })
      const found = listOf(entry).safeParse(values)
      const expected = z.array(entry).safeParse(values)
      expect({ ok: found.success, data: found.data }).toEqual({ ok: expected.success, data: expected.data })
    }),
  ))
