import { isErrorOf } from '@threadbox/errors'
import { checkProperty, cutAnywhere, cuts } from '@threadbox/testkit/properties'
import { array, nat, oneof, property, tuple, uint8Array } from 'fast-check'
import { expect, test } from 'vitest'
import { commandFailed } from './disk-store.errors.ts'
import { makeSendStreamReader, type SendStreamLimits } from './send-stream.ts'

const unlimited: SendStreamLimits = { commands: 1e6, names: 1e6, nameBytes: 1e6 }
const header = Buffer.from('btrfs-stream\0\u0001\0\0\0', 'latin1')

const name = uint8Array({ minLength: 1, maxLength: 40 })
/** Commands as the kernel writes them, most of them with a name. */
const commands = array(tuple(nat({ max: 23 }), array(tuple(nat({ max: 18 }), name), { maxLength: 3 })), {
  maxLength: 12,
})

test('a stream in any pieces gives the same names, or the same error', () =>
  checkProperty(
    'send-stream-in-pieces',
    property(commands, cuts(1000), nat({ max: 5 }), (given, places, missing) => {
      const stream = streamOf([...given, [21, []]])
      const bytes = stream.subarray(0, stream.length - missing)
      expect(readIn(cutAnywhere(bytes, places))).toEqual(readIn([bytes]))
    }),
  ))

test('any bytes are a list of names or an error with a code', () =>
  checkProperty(
    'send-stream-any-bytes',
    property(
      oneof(
        uint8Array({ maxLength: 200 }),
        uint8Array({ maxLength: 200 }).map((rest) => Buffer.concat([header, rest])),
      ),
      (bytes) => {
        readIn([Buffer.from(bytes)])
      },
    ),
  ))

test('what a stream can make the host hold is limited', () =>
  checkProperty(
    'send-stream-limits',
    property(commands, nat({ max: 6 }), nat({ max: 60 }), (given, names, nameBytes) => {
      const reader = makeSendStreamReader({ commands: 10, names, nameBytes })
      const known = given.filter(([command]) => command >= 1 && command <= 20)
      const stream = streamOf([...known, [21, []]])
      if (!reader.push(stream)) return
      const found = reader.end()
      expect(found.size).toBeLessThanOrEqual(names)
      expect([...found.keys()].join('').length).toBeLessThanOrEqual(nameBytes)
    }),
  ))

function readIn(pieces: readonly Buffer[]) {
  try {
    const reader = makeSendStreamReader(unlimited)
    for (const piece of pieces) reader.push(piece)
    return [...reader.end()]
  } catch (error) {
    if (!isErrorOf(commandFailed, error)) throw error
    return error.message
  }
}

function streamOf(
  given: readonly (readonly [command: number, attributes: readonly (readonly [number, Uint8Array])[]])[],
) {
  const parts = given.map(([command, attributes]) => {
    const body = Buffer.concat(
      attributes.map(([type, value]) => Buffer.concat([word(type), word(value.length), value])),
    )
    const head = Buffer.alloc(10)
    head.writeUInt32LE(body.length)
    head.writeUInt16LE(command, 4)
    return Buffer.concat([head, body])
  })
  return Buffer.concat([header, ...parts])
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}
