/**
 * The texts, one character per byte, that show a value wherever it is: as it is, as interpreters hold texts with
 * two-byte characters, in hex, URL and JSON form, and in base64 at each of its alignments, in both alphabets.
 */
export function formsOf(value: string): string[] {
  const bytes = Buffer.from(value)
  const texts = [
    value,
    Buffer.from(value, 'utf16le').toString('latin1'),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    encodeURIComponent(value),
    JSON.stringify(value).slice(1, -1),
  ]
  for (const skipped of [0, 1, 2]) {
    const text = Buffer.concat([Buffer.alloc(skipped), bytes]).toString('base64')
    // Without the characters that depend on what is around the value.
    const core = text.slice(Math.ceil((skipped * 8) / 6), Math.floor(((skipped + bytes.length) * 8) / 6))
    texts.push(core, core.replaceAll('+', '-').replaceAll('/', '_'))
  }
  return [...new Set(texts)]
}
