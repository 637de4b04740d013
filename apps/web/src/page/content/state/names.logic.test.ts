import { expect, test } from 'vitest'
import { cleanPath, crumbsOf, freeName, joinPath, parentOf, problemOfName, shownName } from './names.logic.ts'

test('a name cannot break a line, hide a character or reverse the text around it', () => {
  expect(shownName('a\nb\tc')).toBe('a␊b␉c')
  expect(shownName('x\u007f\u0085')).toBe('x␡‹U+0085›')
  expect(shownName('gpj\u202eexe.txt')).toBe('gpj‹U+202E›exe.txt')
  expect(shownName('a\u2028b')).toBe('a‹U+2028›b')
  expect(shownName('عربي 🙂 ok')).toBe('عربي 🙂 ok')
})

test('an invalid new name is rejected with its problem', () => {
  expect(['', '  ', 'a/b', '.', '..', 'ä'.repeat(128), 'notes.md', '🙂\n'].map(problemOfName)).toEqual([
    'empty',
    'empty',
    'slash',
    'reserved',
    'reserved',
    'long',
    null,
    null,
  ])
})

test('paths are cleaned, joined and split', () => {
  expect(cleanPath('/home/user/../user//x/.')).toBe('/home/user/x')
  expect(cleanPath('/../..')).toBe('/')
  expect(cleanPath('relative')).toBeNull()
  expect(joinPath('/', 'a')).toBe('/a')
  expect(parentOf('/a')).toBe('/')
  expect(crumbsOf('/home/user/a/b').map(({ path }) => path)).toEqual(['/home/user', '/home/user/a', '/home/user/a/b'])
  expect(crumbsOf('/srv').map(({ path }) => path)).toEqual(['/', '/srv'])
  expect(crumbsOf('/home/username').map(({ path }) => path)).toEqual(['/', '/home', '/home/username'])
})

test('a taken name gets the first free number before its extension', () => {
  expect(freeName('a.csv', new Set(['a.csv', 'a (2).csv']))).toBe('a (3).csv')
  expect(freeName('.env', new Set(['.env']))).toBe('.env (2)')
})
