import { expect, test } from 'vitest'
import { isDirectoryError } from './guest-errors.ts'

const from = (code: string | null, message: string) => isDirectoryError({ header: () => code, message })

test('a guest reports by a code that a path is a directory; for an older guest its text counts', () => {
  expect(from('file.path-is-directory', '/home/user cannot be used.')).toBe(true)
  expect(from('file.path-invalid', '/tmp/a cannot be used: it is a directory.')).toBe(false)
  expect(from(null, '/home/user cannot be used: it is a directory.')).toBe(true)
})

test('a path below a file, and a file where a directory is expected, are not directories', () => {
  for (const problem of [
    'a part of the path is not a directory',
    'it is not a directory',
    'it is not a regular file',
  ]) {
    for (const code of ['file.path-invalid', null]) {
      expect(from(code, `/tmp/directory cannot be used: ${problem}.`), problem).toBe(false)
    }
  }
})
