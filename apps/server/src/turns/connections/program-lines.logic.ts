/** Splits a byte stream into lines and limits how much of an unfinished line is held. */
export type LineReader = {
  /** Returns complete lines without line ends. `isTooLong`: a line exceeds the limit; push nothing more. */
  push(bytes: Uint8Array): { lines: string[]; isTooLong: boolean }
}

export function makeLineReader(maxLineBytes: number): LineReader {
  let held: Uint8Array[] = []
  let heldBytes = 0
  const take = (last: Uint8Array) => {
    const line = Buffer.concat([...held, last]).toString('utf8')
    held = []
    heldBytes = 0
    return line.endsWith('\r') ? line.slice(0, -1) : line
  }
  return {
    push: (bytes) => {
      const lines: string[] = []
      let from = 0
      for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, from)) {
        if (heldBytes + end - from > maxLineBytes) return { lines, isTooLong: true }
        lines.push(take(bytes.subarray(from, end)))
        from = end + 1
      }
      const rest = bytes.subarray(from)
      if (heldBytes + rest.byteLength > maxLineBytes) return { lines, isTooLong: true }
      if (rest.byteLength > 0) held.push(rest)
      heldBytes += rest.byteLength
      return { lines, isTooLong: false }
    },
  }
}
