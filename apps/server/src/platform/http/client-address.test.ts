import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { makeClientAddress, networkOf } from './client-address.ts'

type Request = Parameters<ReturnType<typeof makeClientAddress>>[0]
const from = (peer: string, forwarded?: string) =>
  ({
    socket: { remoteAddress: peer },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as Request

describe('the client’s address', () => {
  test.each([
    ['without a proxy', '', '192.0.2.1', undefined, '192.0.2.1'],
    ['written by an untrusted peer', '', '127.0.0.1', '198.51.100.1', '127.0.0.1'],
    ['written by a peer outside of the ranges', '10.0.0.0/8', '192.0.2.1', '198.51.100.1', '192.0.2.1'],
    ['of a trusted proxy', 'loopback', '127.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['of a trusted proxy over IPv6', 'loopback', '::1', '2001:db8::1', '2001:db8::1'],
    ['of a trusted proxy on a dual socket', 'loopback', '::ffff:127.0.0.1', '::ffff:198.51.100.1', '198.51.100.1'],
    [
      'that a client wrote before the proxy’s own',
      'loopback',
      '127.0.0.1',
      '203.0.113.9, 198.51.100.1',
      '198.51.100.1',
    ],
    ['that claims to be a proxy', 'loopback', '127.0.0.1', '127.0.0.1, 198.51.100.1', '198.51.100.1'],
    ['behind two proxies', 'loopback, 10.0.0.0/8', '127.0.0.1', '1.1.1.1, 198.51.100.1, 10.1.1.1', '198.51.100.1'],
    ['with a port', 'loopback', '127.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
    ['in brackets with a port', 'loopback', '127.0.0.1', '[2001:db8::1]:4711', '2001:db8::1'],
    ['that isn’t one', 'loopback', '127.0.0.1', 'unknown', '127.0.0.1'],
    ['after one that isn’t one', 'loopback', '127.0.0.1', 'x, 198.51.100.1', '198.51.100.1'],
    ['before one that isn’t one', 'loopback', '127.0.0.1', '198.51.100.1, 0x7f.1', '127.0.0.1'],
    ['that is empty', 'loopback', '127.0.0.1', '', '127.0.0.1'],
  ])('%s', (_title, trustedProxies, peer, forwarded, expected) => {
    expect(makeClientAddress({ trustedProxies })(from(peer, forwarded))).toBe(expected)
  })

  test('from an untrusted peer is reported, so that a proxy that was not configured is noticed', () => {
    let ignored = 0
    const addressOf = makeClientAddress({ trustedProxies: '', onIgnored: () => (ignored += 1) })
    addressOf(from('127.0.0.1'))
    expect(ignored).toBe(0)
    addressOf(from('127.0.0.1', '198.51.100.1'))
    expect(ignored).toBe(1)
  })

  test('of two headers is the last one’s, over a real socket', async () => {
    const addressOf = makeClientAddress({ trustedProxies: 'loopback' })
    await using server = createServer((request, response) => response.end(addressOf(request))).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 203.0.113.9\r\nX-Forwarded-For: 198.51.100.1\r\n')
    socket.write('Connection: close\r\n\r\n')
    expect(await text(socket)).toContain('\r\n\r\n198.51.100.1')
  })
})

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:db8:1:3::9', '2001:db8:1:3::/64'],
  ['local', 'local'],
])('attempts from %s count for %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})
