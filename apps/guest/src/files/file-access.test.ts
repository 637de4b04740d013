import { expect, test } from 'vitest'
import { signFile } from './file-access.ts'

test('a file’s signature is the one that E2B’s clients make', () => {
  const signature = signFile({
    path: 'hello.txt',
    operation: 'read',
    userName: 'user',
    accessToken: '0tQG31xiMp0IOQfaz9dcwi72L1CPo8e0',
    expiration: null,
  })
  expect(signature).toBe('v1_gUtH/s9YCJWgCizjfUxuWfhFE4QSydOWEIIvfLwDr6E')
})
