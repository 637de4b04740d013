import { expect, test } from 'vitest'
import { makeScrollback } from './scrollback.ts'

const small = { segmentBytes: 100, maxSegments: 3 }

test('printed output can be read byte for byte, from every offset that is kept', () => {
  const scrollback = makeScrollback(small)
  const printed = Buffer.from(Array.from({ length: 250 }, (_, index) => index))
  scrollback.append(printed.subarray(0, 7))
  scrollback.append(printed.subarray(7))
  for (const offset of [0, 1, 99, 100, 101, 249]) {
    const parts: Buffer[] = []
    for (let at = offset; at < scrollback.size; ) {
      const part = scrollback.read(at, 64)
      parts.push(part)
      at += part.length
    }
    expect(Buffer.concat(parts)).toEqual(printed.subarray(offset))
  }
  expect(scrollback.read(250, 10)).toHaveLength(0)
  expect(scrollback.begin()).toEqual({ offset: 0, modes: Buffer.alloc(0) })
})

test('the oldest output is dropped first, the kept part is bounded, and a new reader begins at a whole line', () => {
  const scrollback = makeScrollback(small)
  const lines = Array.from({ length: 200 }, (_, index) => `line ${index}\n`).join('')
  for (const character of lines) scrollback.append(Buffer.from(character))
  expect(scrollback.size).toBe(lines.length)
  expect(scrollback.size - scrollback.dropped).toBeLessThanOrEqual(300)
  const { offset } = scrollback.begin()
  expect(lines.slice(offset - 1, offset + 5)).toMatch(/^\nline /)
  expect(scrollback.read(offset, 5).toString()).toBe('line ')
})

test('G8: a program on the full screen is restored if the sequence that opened it was dropped, also cut in two', () => {
  const scrollback = makeScrollback(small)
  const modes = () => scrollback.begin().modes.toString()
  scrollback.append(Buffer.from(`${'.'.repeat(97)}\x1b[?1049h\x1b[?1;1006h\x1b[?25l\x1b=`))
  scrollback.append(Buffer.from('x'.repeat(400)))
  expect(modes()).toBe('\x1b[?1049h\x1b[?1h\x1b[?1006h\x1b[?25l\x1b=')
  scrollback.append(Buffer.from(`\x1b[?1049l\x1b[?25h\x1b[?1;1006l${'y'.repeat(400)}`))
  expect(modes()).toBe('\x1b=')
  scrollback.append(Buffer.from(`\x1bc${'z'.repeat(400)}`))
  expect(modes()).toBe('')
})
