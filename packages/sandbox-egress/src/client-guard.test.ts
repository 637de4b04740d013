import { expect, test } from 'vitest'
import { makeClientGuard } from './client-guard.ts'

const handshake = Buffer.from([22])
const notTls = Buffer.from('SSH-2.0-client\r\n')

test('an empty piece decides nothing: what comes after it is checked as if it came first', () => {
  for (const port of [22, 80, 443]) {
    const guard = makeClientGuard({ name: 'a.example.org', port })
    expect(guard.push(Buffer.alloc(0))).toEqual({ forward: [] })
    // Held back until the ClientHello is complete.
    expect(guard.push(handshake)).toEqual({ forward: [] })
    expect(guard.isWaiting()).toBe(true)
  }
})

test('only port 443 requires TLS, and only 80 HTTP', () => {
  const afterEmpty = (port: number) => {
    const guard = makeClientGuard({ name: 'a.example.org', port })
    guard.push(Buffer.alloc(0))
    return guard.push(notTls)
  }
  expect(afterEmpty(22)).toEqual({ forward: [notTls] })
  expect(afterEmpty(443)).toEqual({ refused: 'not-tls' })
  expect(afterEmpty(80)).toEqual({ refused: 'http-invalid' })
})
