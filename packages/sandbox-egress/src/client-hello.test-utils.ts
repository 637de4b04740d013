import { Duplex } from 'node:stream'
import { connect } from 'node:tls'

/** The ClientHello that Node sends for a server name, in one record. */
export async function clientHelloFor(servername: string | undefined): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Buffer>()
  const wire = new Duplex({
    read: () => undefined,
    write: (bytes: Buffer, _encoding, done) => {
      resolve(bytes)
      done()
    },
  })
  const socket = connect({ socket: wire, ...(servername === undefined ? {} : { servername }) })
  socket.on('error', () => undefined)
  return await promise.finally(() => socket.destroy())
}

/** The same handshake message in records of at most this many bytes. */
export function inRecords(hello: Buffer, size: number): Buffer {
  const message = hello.subarray(5)
  const records: Buffer[] = []
  for (let at = 0; at < message.length; at += size) {
    const part = message.subarray(at, at + size)
    records.push(Buffer.from([22, 3, 1, part.length >> 8, part.length & 0xff]), part)
  }
  return Buffer.concat(records)
}

/** The same with one more extension of this many bytes: padding (RFC 7685). */
export function padded(hello: Buffer, size: number): Buffer {
  const extension = Buffer.concat([Buffer.from([0, 21, size >> 8, size & 0xff]), Buffer.alloc(size)])
  const longer = Buffer.concat([hello, extension])
  const extensionsAt = extensionsOf(hello)
  longer.writeUInt16BE(longer.length - extensionsAt - 2, extensionsAt)
  longer.writeUIntBE(longer.length - 9, 6, 3)
  longer.writeUInt16BE(longer.length - 5, 3)
  return longer
}

/** Where the length of the extensions is. */
function extensionsOf(hello: Buffer): number {
  let at = 5 + 4 + 2 + 32
  at += 1 + (hello[at] ?? 0)
  at += 2 + hello.readUInt16BE(at)
  return at + 1 + (hello[at] ?? 0)
}
