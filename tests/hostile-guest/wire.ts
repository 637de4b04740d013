/** Fields of protobuf messages, also with values that a generated encoder refuses. */

export const message = (...fields: readonly Uint8Array[]): Buffer => Buffer.concat(fields)

/** A number of any size, in two’s complement of 64 bits if it is negative. */
export function number(field: number, value: number | bigint): Buffer {
  return Buffer.concat([varint(BigInt(field) << 3n), varint(BigInt.asUintN(64, BigInt(value)))])
}

/** A text, bytes, or a message. */
export function bytes(field: number, content: string | Uint8Array): Buffer {
  const body = Buffer.from(content)
  return Buffer.concat([varint((BigInt(field) << 3n) | 2n), varint(BigInt(body.length)), body])
}

export function double(field: number, value: number): Buffer {
  const body = Buffer.alloc(8)
  body.writeDoubleLE(value)
  return Buffer.concat([varint((BigInt(field) << 3n) | 1n), body])
}

/** `sint32`, as exit codes are. */
export const signed = (field: number, value: number) =>
  number(field, BigInt.asUintN(32, BigInt((value << 1) ^ (value >> 31))))

function varint(value: bigint): Buffer {
  const parts: number[] = []
  let left = value
  do {
    const more = left > 0x7fn
    parts.push(Number(left & 0x7fn) | (more ? 0x80 : 0))
    left >>= 7n
  } while (left > 0n)
  return Buffer.from(parts)
}

/** The same field many times, each with its own content. */
export const repeated = (count: number, one: (index: number) => Uint8Array): Buffer =>
  Buffer.concat(Array.from({ length: count }, (_, index) => one(index)))
