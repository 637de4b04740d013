import { expect, test } from 'vitest'
import {
  cleanPath,
  crumbsOf,
  freeName,
  joinPath,
  parentOf,
  problemOfName,
  shownName,
  shownText,
} from './names.logic.ts'

test('a name cannot break a line, hide a character or reverse the text around it', () => {
  expect(shownName('a\nb\tc')).toBe('a␊b␉c')
  expect(shownName('x\u007f\u0085')).toBe('x␡‹U+0085›')
  expect(shownName('gpj\u202eexe.txt')).toBe('gpj‹U+202E›exe.txt')
  expect(shownName('a\u2028b')).toBe('a‹U+2028›b')
  expect(shownName('عربي 🙂 ok')).toBe('عربي 🙂 ok')
})

test('a text cannot hide or reorder a part of itself', () => {
  expect(shownText('a\r\n\tb\rc\0\u001b[8m')).toBe('a\n\tb␍c␀␛[8m')
  expect(shownText('Ana\u202elyst\u2066\u200b\ufeff')).toBe('Ana‹U+202E›lyst‹U+2066›‹U+200B›‹U+FEFF›')
  // Tags spell ASCII that only a model reads.
  expect(shownText('ok\u{e0041}\u{e007f}')).toBe('ok‹U+E0041›‹U+E007F›')
  expect(shownText('a\u3164b\u2800\u{e0100}😀\ufe0f\ufe01')).toBe('a‹U+3164›b‹U+2800›‹U+E0100›😀\ufe0f‹U+FE01›')
  expect(shownText('a\u200db \u200d👩')).toBe('a‹U+200D›b ‹U+200D›👩')
  expect(shownText('👩\u200d💻 ❤\ufe0f\u200d🔥 عربي\nÄ 日本')).toBe('👩\u200d💻 ❤\ufe0f\u200d🔥 عربي\nÄ 日本')
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
