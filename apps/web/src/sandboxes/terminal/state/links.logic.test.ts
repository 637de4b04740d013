import { expect, test } from 'vitest'
import { linkTarget } from './links.logic.ts'

test('O4: an address of the sandbox itself leads to its preview', () => {
  const service = (port: number, path: string) => ({ kind: 'service', port, path })
  expect(linkTarget('http://localhost:8501/')).toEqual(service(8501, '/'))
  expect(linkTarget('http://127.0.0.1:5173/a?b=1#c')).toEqual(service(5173, '/a?b=1#c'))
  expect(linkTarget('http://0.0.0.0:8000')).toEqual(service(8000, '/'))
  expect(linkTarget('https://[::1]/x')).toEqual(service(443, '/x'))
  expect(linkTarget('http://[::]:3000/')).toEqual(service(3000, '/'))
})

test('other web addresses are opened directly, and addresses that are not web pages are not opened', () => {
  expect(linkTarget('https://example.com/a')).toEqual({ kind: 'web', url: 'https://example.com/a' })
  expect(linkTarget('http://localhost.example.com:1/')).toMatchObject({ kind: 'web' })
  for (const address of ['javascript:alert(1)', 'file:///etc/passwd', 'ssh://host', 'nonsense']) {
    expect(linkTarget(address)).toBeNull()
  }
})
