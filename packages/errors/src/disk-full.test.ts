import { expect, test } from 'vitest'
import { withKnownCause } from './disk-full.ts'
import { defineError } from './threadbox-error.ts'

const own = defineError({ code: 'test.own', kind: 'conflict', message: () => 'Own.', remedy: () => 'None.' })
const full = (code: string) => Object.assign(new Error('no space left'), { code })

test.each(['ENOSPC', 'EDQUOT', 'SQLITE_FULL'])(
  'G7: an unforeseen error whose cause is %s says that the disk is full',
  (code) => {
    const deep = new Error('outer', { cause: new Error('inner', { cause: full(code) }) })
    for (const error of [full(code), deep]) {
      expect(withKnownCause(error)).toMatchObject({ code: 'machine.disk-full', kind: 'out-of-space', cause: error })
    }
  },
)

test('threadbox errors and errors with another cause are not changed', () => {
  const known = own({}, { cause: full('ENOSPC') })
  const other = new TypeError('broken')
  expect(withKnownCause(known)).toBe(known)
  expect(withKnownCause(other)).toBe(other)
  expect(withKnownCause('text')).toBe('text')
})
