import { checkProperty, cutAnywhere, cuts, foreignJson, foreignText } from '@threadbox/testkit/properties'
import { array, property, tuple, uint8Array } from 'fast-check'
import { expect, test } from 'vitest'
import { decodeMessage, encodeRequest, stripTerminalCodes } from './jupyter-messages.ts'
import { encodeFrames, makeZmtpParser, type ZmtpMessage } from './zmtp.ts'

const greeting = Buffer.alloc(64)
const frame = uint8Array({ maxLength: 600 }).map((bytes) => Buffer.from(bytes))
const message = array(frame, { minLength: 1, maxLength: 4 })

test('messages of a kernel in any pieces are the ones that were sent', () =>
  checkProperty(
    'zmtp-in-pieces',
    property(array(message, { maxLength: 4 }), cuts(4000), (messages, places) => {
      const bytes = Buffer.concat([greeting, ...messages.map(encodeFrames)])
      expect(readIn(cutAnywhere(bytes, places))).toEqual(messages)
    }),
  ))

test('any bytes of a kernel are messages or none', () =>
  checkProperty(
    'zmtp-any-bytes',
    property(uint8Array({ maxLength: 300 }), cuts(), (rest, places) => {
      const bytes = Buffer.concat([greeting, rest])
      expect(readIn(cutAnywhere(bytes, places))).toEqual(readIn([bytes]))
    }),
  ))

test('any frames are a message with an object as its content, or none', () =>
  checkProperty(
    'jupyter-messages',
    property(
      tuple(...(['header', 'parent', 'metadata', 'content'] as const).map(() => foreignJson(['msg_type', 'msg_id']))),
      (parts) => {
        const frames = parts.map((part) => Buffer.from(JSON.stringify(part) ?? ''))
        const found = decodeMessage([Buffer.from('<IDS|MSG>'), Buffer.alloc(0), ...frames])
        if (found === undefined) return
        expect(typeof found.type).toBe('string')
        expect(typeof found.parentId).toBe('string')
        expect(Object.prototype.toString.call(found.content)).toBe('[object Object]')
      },
    ),
    { runs: 500 },
  ))

test('a request is read as it was written', () =>
  checkProperty(
    'jupyter-requests',
    property(foreignText(), foreignText(), (type, code) => {
      const found = decodeMessage(encodeRequest({ id: 'a', type, content: { code }, session: 's' }))
      expect(found).toEqual({ type, parentId: '', content: { code } })
    }),
  ))

test('text without terminal sequences stays as it is', () =>
  checkProperty(
    'terminal-codes',
    property(foreignText(200), (text) => {
      const plain = stripTerminalCodes(text)
      expect(plain.length).toBeLessThanOrEqual(text.length)
      if (!text.includes('\u001b')) expect(plain).toBe(text)
    }),
  ))

function readIn(pieces: readonly Buffer[]): ZmtpMessage[] {
  const found: ZmtpMessage[] = []
  const parse = makeZmtpParser({ onMessage: (frames) => void found.push(frames), onReady: () => undefined })
  for (const piece of pieces) parse(piece)
  return found.map((frames) => frames.map((bytes) => Buffer.from(bytes)))
}
