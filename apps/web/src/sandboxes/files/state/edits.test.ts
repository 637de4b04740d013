import { expect, test } from 'vitest'
import { keepEdit, keptEdit, withLineEndsOf } from './edits.ts'
import { kindOf, languageOf, textOf } from './kinds.logic.ts'

test('a text keeps the line endings of its file', () => {
  expect(withLineEndsOf('a\nb\nc', 'a\r\nb\r\n')).toBe('a\r\nb\r\nc')
  expect(withLineEndsOf('a\nb', 'a\r\nb\n')).toBe('a\nb')
  expect(withLineEndsOf('a\nb', '')).toBe('a\nb')
})

test('an unsaved text is restored for its file in its thread, and only there', () => {
  keepEdit('t', '/a', { text: 'x', original: '', version: '1' })
  expect(keptEdit('t', '/a')?.text).toBe('x')
  expect(keptEdit('u', '/a')).toBeNull()
  keepEdit('t', '/a', null)
  expect(keptEdit('t', '/a')).toBeNull()
})

test('text is UTF-8 without zeros; a cut last character is no error in the first part of a file', () => {
  const bytes = new TextEncoder().encode('ä🙂')
  expect(textOf(bytes, true)).toBe('ä🙂')
  expect(textOf(bytes.subarray(0, 4), true)).toBeNull()
  expect(textOf(bytes.subarray(0, 4), false)).toBe('ä')
  expect(textOf(new Uint8Array([65, 0, 66]), true)).toBeNull()
})

test('kinds and languages follow the extension, in any case', () => {
  expect(['A.CSV', 'x.ipynb', 'Makefile', 'a.tar.gz', '.env'].map(kindOf)).toEqual([
    ...['csv', 'notebook', 'text', 'archive', 'text'],
  ])
  expect(['a.py', 'Dockerfile', 'a.unknown'].map(languageOf)).toEqual(['python', 'dockerfile', ''])
})
