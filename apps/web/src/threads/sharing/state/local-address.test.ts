import { expect, test } from 'vitest'
import { isLocalAddress } from './local-address.ts'

test.each(['http://localhost:7717/x', 'http://app.box00.localhost/x', 'http://127.0.0.1:7717/', 'http://[::1]/'])(
  '%s leads every computer to itself',
  (url) => expect(isLocalAddress(url)).toBe(true),
)

test.each(['https://box.example.com/x', 'http://192.168.1.5:7717/', 'https://localhost.example.com/'])(
  '%s leads to this installation from elsewhere too',
  (url) => expect(isLocalAddress(url)).toBe(false),
)
