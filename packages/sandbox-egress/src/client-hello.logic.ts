/** What the beginning of a connection is, as far as it has arrived. `name`: undefined if the client names no server. */
export type ClientHello = 'incomplete' | 'not-tls' | 'invalid' | { name: string | undefined }

const handshakeRecord = 22
const clientHelloMessage = 1
const serverNameExtension = 0
const hostNameType = 0

/**
 * Reads the server name of a ClientHello (RFC 8446, RFC 6066), in one record or in several. Stricter than servers have
 * to be: what two readers could understand differently is invalid. Of an encrypted ClientHello it reads the outer one.
 */
export function readClientHello(bytes: Buffer): ClientHello {
  if (bytes.length === 0) return 'incomplete'
  if (bytes[0] !== handshakeRecord) return 'not-tls'
  const message = messageIn(bytes)
  return typeof message === 'string' ? message : serverNameOf(message)
}

/** The whole first handshake message, from the records that it is in. */
function messageIn(bytes: Buffer): Buffer | 'incomplete' | 'invalid' {
  const fragments: Buffer[] = []
  let at = 0
  let wanted = Number.POSITIVE_INFINITY
  let found = 0
  while (found < wanted) {
    if (at >= bytes.length) return 'incomplete'
    if (bytes[at] !== handshakeRecord) return 'invalid'
    // The version of a record is 3.x in every version of TLS.
    if (at + 1 < bytes.length && bytes[at + 1] !== 3) return 'invalid'
    if (at + 5 > bytes.length) return 'incomplete'
    const length = bytes.readUInt16BE(at + 3)
    if (length === 0 || length > 16_384) return 'invalid'
    const fragment = bytes.subarray(at + 5, at + 5 + length)
    fragments.push(fragment)
    found += fragment.length
    at += 5 + length
    if (wanted === Number.POSITIVE_INFINITY && found >= 4) {
      const head = Buffer.concat(fragments)
      if (head[0] !== clientHelloMessage) return 'invalid'
      wanted = 4 + head.readUIntBE(1, 3)
    }
    if (fragment.length < length && found < wanted) return 'incomplete'
  }
  // Nothing follows a ClientHello in its record.
  if (found > wanted || at > bytes.length) return 'invalid'
  return Buffer.concat(fragments).subarray(4)
}

function serverNameOf(message: Buffer): ClientHello {
  const reader = makeReader(message)
  reader.skip(2 + 32)
  reader.block(1)
  reader.block(2)
  reader.block(1)
  if (reader.isBroken()) return 'invalid'
  if (reader.isAtEnd()) return { name: undefined }
  const extensions = makeReader(reader.block(2))
  if (reader.isBroken() || !reader.isAtEnd()) return 'invalid'
  let name: string | undefined
  const seen = new Set<number>()
  while (!extensions.isAtEnd()) {
    const type = extensions.number(2)
    const data = extensions.block(2)
    if (extensions.isBroken() || seen.has(type)) return 'invalid'
    seen.add(type)
    if (type !== serverNameExtension) continue
    name = nameIn(data)
    if (name === undefined) return 'invalid'
  }
  return { name }
}

/** The only entry of a list of server names, which is a host name. */
function nameIn(data: Buffer): string | undefined {
  const list = makeReader(data)
  const entries = makeReader(list.block(2))
  const type = entries.number(1)
  const name = entries.block(2)
  const isWhole = !list.isBroken() && list.isAtEnd() && !entries.isBroken() && entries.isAtEnd()
  return isWhole && type === hostNameType && name.length > 0 ? name.toString('latin1') : undefined
}

/** Reads numbers and blocks with their length before them. What is missing breaks it, and everything after is empty. */
function makeReader(bytes: Buffer) {
  let at = 0
  let isBroken = false
  const take = (length: number): Buffer => {
    if (isBroken || at + length > bytes.length) {
      isBroken = true
      return Buffer.alloc(length)
    }
    at += length
    return bytes.subarray(at - length, at)
  }
  const number = (size: number) => take(size).readUIntBE(0, size)
  return {
    skip: (length: number) => void take(length),
    number,
    block: (sizeLength: number) => {
      const length = number(sizeLength)
      return isBroken ? Buffer.alloc(0) : take(length)
    },
    isBroken: () => isBroken,
    isAtEnd: () => isBroken || at === bytes.length,
  }
}
