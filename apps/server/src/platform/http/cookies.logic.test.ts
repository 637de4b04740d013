import { expect, test } from 'vitest'
import { cookieValues, withOnlyCookie } from './cookies.logic.ts'

test('O12: a cookie planted beside the app’s cookie hides nothing', () => {
  const header = 't=planted; a=1; t=ours;tt=2'
  expect(cookieValues(header, 't')).toEqual(['planted', 'ours'])
  expect(withOnlyCookie(header, { name: 't', value: 'ours' })).toBe('a=1; tt=2; t=ours')
  expect(cookieValues(undefined, 't')).toEqual([])
})
