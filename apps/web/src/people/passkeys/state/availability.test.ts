import { expect, it } from 'vitest'
import { availabilityOf } from './availability.ts'

const usable = { hostname: 'app.example.org', isSecureContext: true, hasApi: true }

it.each([
  [usable, 'available'],
  [{ ...usable, hostname: 'localhost' }, 'available'],
  [{ ...usable, isSecureContext: false, hasApi: false }, 'insecure'],
  [{ ...usable, hostname: '127.0.0.1' }, 'address'],
  [{ ...usable, hostname: '[::1]' }, 'address'],
  [{ ...usable, hostname: '192.168.1.5', isSecureContext: false, hasApi: false }, 'address'],
  [{ ...usable, hasApi: false }, 'browser'],
])('C12: of passkeys at %j it says %s', (page, availability) => {
  expect(availabilityOf(page)).toBe(availability)
})
