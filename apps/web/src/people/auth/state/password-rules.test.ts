import { expect, it } from 'vitest'
import { checkPassword } from './password-rules.ts'

it('measures a password in characters, not in code units', () => {
  expect(checkPassword('🐙'.repeat(11))).toEqual({ characters: 11, problem: 'too-short' })
  expect(checkPassword('🐙'.repeat(12))).toEqual({ characters: 12, problem: null })
})

it('rejects a password that is longer than the server stores', () => {
  expect(checkPassword('a'.repeat(128)).problem).toBeNull()
  expect(checkPassword('a'.repeat(129)).problem).toBe('too-long')
})

it('counts spaces like any other character', () => {
  expect(checkPassword('correct horse').characters).toBe(13)
})
