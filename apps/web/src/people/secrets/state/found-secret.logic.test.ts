import { expect, test } from 'vitest'
import { foundSecretOf, withVariable } from './found-secret.logic.ts'

test('a key of a known form begins with its usual name and host, any other with neither', () => {
  expect(foundSecretOf({ rule: 'github-token', text: 'x' })).toEqual({
    name: 'GITHUB_TOKEN',
    hosts: ['api.github.com'],
    placeholderPrefix: 'ghp_',
    value: 'x',
  })
  expect(foundSecretOf({ rule: 'json-web-token', text: 'x' })).toMatchObject({ name: '', hosts: [] })
})

test('the message names the variable wherever it had the value', () => {
  const secret = { value: 'a$&b', name: 'TOKEN' }
  expect(withVariable('Use a$&b, then a$&b.', secret)).toBe('Use $TOKEN, then $TOKEN.')
})
