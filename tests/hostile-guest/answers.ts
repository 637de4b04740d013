import type { Step } from './script.ts'

/** HTTP as bytes, because a hostile guest respects no grammar. */
export const say = (
  content: string | Uint8Array,
  how: { times?: number | 'endless'; everyMs?: number } = {},
): Step => ({
  do: 'send',
  bytes: Buffer.from(content).toString('base64'),
  ...how,
})
export const close: Step = { do: 'close' }

/** The head of a response whose body ends with the connection. */
export function head(type: string, { status = '200 OK', more = '' } = {}): Step {
  return say(`HTTP/1.1 ${status}\r\ncontent-type: ${type}\r\nconnection: close\r\n${more}\r\n`)
}

/** A whole response. */
export function whole(content: string | Uint8Array, { type = 'application/json', status = '200 OK' } = {}): Step[] {
  return [head(type, { status }), say(content), close]
}

export const jsonBody = (value: unknown) => whole(JSON.stringify(value))

/** The response to a unary call of Connect. */
export const message = (content: Uint8Array) => whole(content, { type: 'application/proto' })

export const streamHead = head('application/connect+proto')

/** One message of a stream of Connect. */
export function envelope(content: Uint8Array, { flags = 0, length = content.length } = {}): Buffer {
  const prefix = Buffer.alloc(5)
  prefix.writeUInt8(flags, 0)
  prefix.writeUInt32BE(length, 1)
  return Buffer.concat([prefix, content])
}

/** A stream of Connect that ends as it should after these messages. */
export function stream(...messages: readonly Uint8Array[]): Step[] {
  const end = envelope(Buffer.from('{}'), { flags: 2 })
  return [streamHead, say(Buffer.concat([...messages.map((one) => envelope(one)), end])), close]
}

/** An error of Connect. */
export function refusal(code: string, text: string): Step[] {
  return whole(JSON.stringify({ code, message: text }), { status: '500 Internal Server Error' })
}

/** Begins a message of a stream that is as long as it says, and goes on to the end of it. */
export function longMessage(bytes: number): Step[] {
  const piece = Buffer.alloc(65_536, 'x')
  return [streamHead, say(envelope(Buffer.alloc(0), { length: bytes })), say(piece, { times: bytes / piece.length })]
}
