/** How much of a terminal's output is kept, and in pieces of which size: the oldest piece is dropped first. */
const segmentBytes = 64 * 1024
const maxSegments = 16
/** How far the first whole line is searched for; output without a line break for this long has no lines. */
const lineSearchBytes = 4096
/** Longer than any sequence that sets a mode. */
const carryCharacters = 64

/** Where a new reader begins: at a whole line, if one exists. */
export type ScrollbackBegin = { offset: number; modes: Buffer }

/** The end of a terminal's output, bounded. Offsets count everything that it has printed. */
export type Scrollback = {
  append(data: Uint8Array): void
  /** Offset of the first byte that is kept. */
  readonly dropped: number
  /** Offset after the last byte. */
  readonly size: number
  /** At most `limit` bytes from an offset that is kept; less where a piece ends. */
  read(offset: number, limit: number): Buffer
  begin(): ScrollbackBegin
}

type Segment = { data: Buffer; used: number }

export function makeScrollback(
  limits: { segmentBytes: number; maxSegments: number } = { segmentBytes, maxSegments },
): Scrollback {
  let segments: Segment[] = []
  let dropped = 0
  let size = 0
  const modes = makeModes()
  const currentSegment = (): Segment => {
    const last = segments.at(-1)
    if (last !== undefined && last.used < limits.segmentBytes) return last
    const next = { data: Buffer.alloc(limits.segmentBytes), used: 0 }
    segments.push(next)
    if (segments.length > limits.maxSegments) {
      const [oldest] = segments
      if (oldest !== undefined) modes.saw(oldest.data)
      segments = segments.slice(1)
      dropped += limits.segmentBytes
    }
    return next
  }
  return {
    append: (data) => {
      for (let rest = Buffer.from(data.buffer, data.byteOffset, data.byteLength); rest.length > 0; ) {
        const segment = currentSegment()
        const taken = rest.copy(segment.data, segment.used)
        segment.used += taken
        size += taken
        rest = rest.subarray(taken)
      }
    },
    get dropped() {
      return dropped
    },
    get size() {
      return size
    },
    read: (offset, limit) => {
      const segment = segments[Math.floor((offset - dropped) / limits.segmentBytes)]
      const from = (offset - dropped) % limits.segmentBytes
      return Buffer.from(segment?.data.subarray(from, Math.min(from + limit, segment.used)) ?? [])
    },
    begin: () => {
      if (dropped === 0) return { offset: 0, modes: Buffer.alloc(0) }
      const line = segments[0]?.data.subarray(0, lineSearchBytes).indexOf(0x0a) ?? -1
      return { offset: dropped + line + 1, modes: modes.bytes() }
    },
  }
}

/** Modes that a terminal cannot restore if the beginning of its output is missing: screen, keys, mouse, paste. */
const keptModes = new Set(['1', '7', '25', '47', '1000', '1002', '1003', '1004', '1006', '1047', '1049', '2004'])
const onAtFirst = new Set(['7', '25'])
// biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with one
const sequences = /\x1b(?:\[\?([\d;]{1,40})([hl])|([=>c]))/g

/** Tracks the modes that a program sets in the dropped part. */
function makeModes() {
  const set = new Map<string, string>()
  let carry = ''
  const take = (match: RegExpMatchArray) => {
    const [, numbers = '', switched, single] = match
    if (single === 'c') set.clear()
    else if (single !== undefined) set.set('keypad', `\x1b${single}`)
    for (const number of numbers.split(';')) {
      if (keptModes.has(number)) set.set(number, `\x1b[?${number}${switched}`)
    }
  }
  return {
    saw: (data: Buffer) => {
      const text = carry + data.toString('latin1')
      for (const match of text.matchAll(sequences)) take(match)
      carry = text.slice(-carryCharacters)
    },
    bytes: () => Buffer.from([...set].flatMap(([name, value]) => (isDefault(name, value) ? [] : [value])).join('')),
  }
}

function isDefault(name: string, value: string): boolean {
  return name !== 'keypad' && value.endsWith('h') === onAtFirst.has(name)
}
