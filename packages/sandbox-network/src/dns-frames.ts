/** DNS over TCP: each message is preceded by its length in two bytes (RFC 1035 §4.2.2). */
export function toFrame(message: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(message.length)
  return Buffer.concat([length, message])
}

/** Accepts chunks as they arrive and returns complete messages. Buffers at most one message: 64 KiB. */
export function makeFrameReader(): (chunk: Buffer) => Buffer[] {
  let pending = Buffer.alloc(0)
  return (chunk) => {
    pending = Buffer.concat([pending, chunk])
    const messages: Buffer[] = []
    while (pending.length >= 2 && pending.length >= 2 + pending.readUInt16BE(0)) {
      const end = 2 + pending.readUInt16BE(0)
      messages.push(pending.subarray(2, end))
      pending = pending.subarray(end)
    }
    return messages
  }
}
