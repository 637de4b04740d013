import { expect, test } from 'vitest'
import { findPossibleSecrets } from './secret-patterns.ts'

const token = `ghp_${'a1B2'.repeat(9)}`

test('a key in a message is found once, with its rule, and words about keys are not', () => {
  expect(findPossibleSecrets(`Use ${token} for it. Again: ${token}`)).toEqual([{ rule: 'github-token', text: token }])
  expect(findPossibleSecrets('GITHUB_TOKEN=ghp_… goes into the header Authorization: Bearer $GITHUB_TOKEN')).toEqual([])
  expect(findPossibleSecrets('')).toEqual([])
})

test('of a password in a URL, only the password is the secret', () => {
  expect(findPossibleSecrets('postgres://me:hunter22@db.example.org/x')).toEqual([
    { rule: 'password-in-url', text: 'hunter22' },
  ])
})

test('a message with very many of them is searched to its end, and ten are named', () => {
  const many = Array.from({ length: 2000 }, (_, index) => `ghp_${String(index).padStart(36, 'x')}`).join('\n')
  expect(findPossibleSecrets(many)).toHaveLength(10)
})
