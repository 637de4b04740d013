import { expect, it } from 'vitest'
import { reachOf, tunnelCommand } from './address.ts'

it.each([
  ['https://box.example.org/', 'encrypted'],
  ['http://app.abc123.localhost:7717/', 'local'],
  ['http://127.0.0.1:7717/', 'local'],
  ['http://[::1]:7717/', 'local'],
  ['http://192.168.1.5:7717/', 'open'],
  ['http://127.0.0.1.example.org/', 'open'],
  ['http://notlocalhost/', 'open'],
])('rates %s as %s', (address, reach) => {
  expect(reachOf(new URL(address))).toBe(reach)
})

it('forwards the same port, so that the same address works on the other device', () => {
  expect(tunnelCommand(new URL('http://app.abc123.localhost:7717/settings'))).toBe(
    'ssh -L 7717:127.0.0.1:7717 user@server',
  )
  expect(tunnelCommand(new URL('http://192.168.1.5/'))).toBe('ssh -L 80:127.0.0.1:80 user@192.168.1.5')
})
