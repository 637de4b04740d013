import { checkProperty, foreignText } from '@threadbox/testkit/properties'
import { array, constantFrom, oneof, property, record } from 'fast-check'
import { expect, test } from 'vitest'
import { unreadPartsSchema } from './unread.ts'

const what = oneof(
  foreignText(),
  constantFrom(
    '__proto__',
    'constructor',
    'ports and connections',
    '999999999 more variables of a',
    'open files of b (process 7)',
  ),
)

test('any parts in the words of an older guest are read, and reading the result changes nothing', () =>
  checkProperty(
    'unread-parts',
    property(array(record({ what, reason: foreignText() }), { maxLength: 5 }), (worded) => {
      const found = unreadPartsSchema.parse(worded)
      expect(found.length).toBeGreaterThanOrEqual(worded.length)
      expect(unreadPartsSchema.parse(found)).toEqual(found)
    }),
  ))
