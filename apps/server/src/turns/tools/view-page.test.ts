import { expect, it } from 'vitest'
import { makeMemoryRecorder } from './memory-recorder.ts'
import { loopbackAddress } from './view-page.tool.ts'

it.each([
  ['localhost:8000', 'http://localhost:8000/'],
  ['http://localhost:8000/a?b=1#c', 'http://localhost:8000/a?b=1#c'],
  ['https://app.localhost:8443/', 'https://app.localhost:8443/'],
  ['http://127.0.0.1:3000', 'http://127.0.0.1:3000/'],
  ['http://2130706433:3000/', 'http://127.0.0.1:3000/'],
  ['http://[::1]:3000/', 'http://[::1]:3000/'],
  ['http://0.0.0.0:3000/', 'http://localhost:3000/'],
])('%s is a page of the sandbox', (given, address) => {
  expect(loopbackAddress(given)).toBe(address)
})

it.each([
  'https://example.com/',
  'http://localhost.example.com/',
  'http://localhost@example.com/',
  'http://user:word@localhost/',
  'http://10.0.0.1/',
  'http://169.254.169.254/latest/meta-data',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'data:text/html,hello',
  'chrome://version',
  'http://',
  '',
])('"%s" is not a page of the sandbox', (given) => {
  expect(loopbackAddress(given)).toBeUndefined()
})

it('output beyond the limit is discarded and takes no more memory than the limit', async () => {
  const recorder = makeMemoryRecorder(10)
  await recorder.write(Buffer.from('12345'))
  expect(recorder.text()).toBe('12345')
  await recorder.write(Buffer.from('678901'))
  expect(recorder.text()).toBe('')
  expect(recorder.tail().sizeBytes).toBe(11)
})
