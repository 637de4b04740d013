import { PassThrough } from 'node:stream'
import { checkProperty } from '@threadbox/testkit/properties'
import { array, asyncProperty, constantFrom, nat, oneof, property, tuple, uint8Array } from 'fast-check'
import { getExtensionData, readTlsClientHello } from 'read-tls-client-hello'
import { expect, test } from 'vitest'
import { readClientHello } from './client-hello.logic.ts'
import { clientHelloFor, inRecords, padded } from './client-hello.test-utils.ts'

const name = 'a.example.org'
const hello = await clientHelloFor(name)
/** The real one with other bytes at some places, which are often those of lengths. */
const changed = array(tuple(oneof(nat({ max: 12 }), nat({ max: hello.length - 1 })), nat({ max: 255 })), {
  maxLength: 4,
}).map((changes) => {
  const bytes = Buffer.from(hello)
  for (const [at, byte] of changes) bytes[at] = byte
  return bytes
})

test('any bytes are a ClientHello, none, or the beginning of one', () =>
  checkProperty(
    'client-hello-bytes',
    property(oneof(changed, uint8Array({ maxLength: 200 }).map(Buffer.from)), (bytes) => {
      const found = readClientHello(bytes)
      if (typeof found === 'string') expect(['incomplete', 'not-tls', 'invalid']).toContain(found)
      else expect(found.name === undefined || found.name.length > 0).toBe(true)
    }),
    { runs: 500 },
  ))

test('a ClientHello in records of any size has its name as soon as it is whole, and not before', () =>
  checkProperty(
    'client-hello-in-records',
    property(nat({ max: 1500 }), nat({ max: 900 }), nat(), (size, padding, cut) => {
      const whole = inRecords(padding === 0 ? hello : padded(hello, padding), size + 1)
      expect(readClientHello(whole)).toEqual({ name })
      expect(readClientHello(whole.subarray(0, cut % whole.length))).toBe('incomplete')
    }),
    { runs: 200 },
  ))

test('another reader of ClientHello finds the same name, if this one accepts it', () =>
  checkProperty(
    'client-hello-other-reader',
    asyncProperty(changed, constantFrom(0, 1), async (bytes, _unused) => {
      const found = readClientHello(bytes)
      if (typeof found === 'string') return
      const stream = new PassThrough()
      stream.write(bytes)
      const other = getExtensionData(await readTlsClientHello(stream), 'server_name')?.serverName
      // The other reader reads 7 bits of each character.
      const ours = found.name === undefined ? undefined : Buffer.from(found.name, 'latin1').toString('ascii')
      expect(other).toBe(ours)
    }),
    { runs: 300 },
  ))
