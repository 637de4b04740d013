import { expect, it } from 'vitest'
import { safeReturnPath } from './return-path.ts'

it('returns to the page in the app that you came from', () => {
  expect(safeReturnPath('/threads/t1?entry=e2#x')).toBe('/threads/t1?entry=e2#x')
})

it.each([
  undefined,
  '',
  'https://example.org/',
  '//example.org',
  '/\\example.org',
  '/a\\b',
  '/a\nb',
  'threads/t1',
  '/login',
  '/login?return=/login',
  '/setup?token=x',
])('sends %j to the start page', (wanted) => {
  expect(safeReturnPath(wanted)).toBe('/')
})
