import { expect, test } from 'vitest'
import { fieldOfCode, privateAddressOf } from './private-address-form.ts'

test.each(['', 'https', '-1', '4.5', '0x1bb', '1e3', '9999999999'])('“%s” is no port', (port) => {
  expect(privateAddressOf({ name: 'a.org', port, range: '10.0.0.1' }).port).toBe(0)
})

test('an entry has what was entered, without spaces around it', () => {
  const form = { name: ' git.corp.example ', port: ' 8443 ', range: ' 10.1.2.0/24 ' }
  expect(privateAddressOf(form)).toEqual({ name: 'git.corp.example', port: 8443, range: '10.1.2.0/24' })
})

test.each([
  ['private-address.name-invalid', 'name'],
  ['private-address.port-invalid', 'port'],
  ['private-address.range-too-wide', 'range'],
  ['auth.confirmation-required', undefined],
  [undefined, undefined],
])('the error %s is shown at the field %s', (code, field) => expect(fieldOfCode(code)).toBe(field))
