import { type PreparedReplacements, prepareReplacements, type Replacement } from './stream-replacer.logic.ts'

/** A part of base64 text that is shorter could be in any response. */
const minBase64Length = 6

/**
 * The texts in which a response can repeat a value: as it is, in base64 at each of its three alignments, percent-encoded,
 * and as a JSON string. Latin-1 texts, one character per byte.
 */
export function formsOf(value: string): string[] {
  const bytes = Buffer.from(value)
  const percent = encodeURIComponent(value)
  const json = JSON.stringify(value).slice(1, -1)
  const ascii = json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  const texts = [
    value,
    percent,
    percent.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    percent.replaceAll('%20', '+'),
    percent.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`),
    json,
    json.replaceAll('/', '\\/'),
    ascii,
    ascii.replaceAll('/', '\\/'),
  ].map(latin1Of)
  for (const skipped of [0, 1, 2]) {
    const core = base64Core(bytes, skipped)
    if (core.length >= minBase64Length) texts.push(core, core.replaceAll('+', '-').replaceAll('/', '_'))
  }
  return [...new Set(texts)]
}

/** UTF-8 as one character per byte, as header values have it. */
export function latin1Of(text: string): string {
  return Buffer.from(text).toString('latin1')
}

/** The characters that depend on `bytes` only, when `skipped` bytes of other text precede them. */
function base64Core(bytes: Buffer, skipped: number): string {
  const text = Buffer.concat([Buffer.alloc(skipped), bytes]).toString('base64')
  const from = Math.ceil((skipped * 8) / 6)
  const to = Math.floor(((skipped + bytes.length) * 8) / 6)
  return text.slice(from, to)
}

export type EchoSubject = { placeholder: string; value: string }

/**
 * What replaces the forms of the values. `keepsLength`: the placeholder is cut, or filled with `*`, to the length of what
 * it replaces, so that the announced length of a body stays true.
 */
export function echoReplacements(
  subjects: readonly EchoSubject[],
  { keepsLength }: { keepsLength: boolean },
): PreparedReplacements {
  const found = new Map<string, Replacement>()
  for (const { placeholder, value } of subjects) {
    for (const form of formsOf(value)) {
      const put = keepsLength ? placeholder.slice(0, form.length).padEnd(form.length, '*') : placeholder
      if (form.length > 0 && !found.has(form)) {
        found.set(form, { find: Buffer.from(form, 'latin1'), put: Buffer.from(put, 'latin1') })
      }
    }
  }
  return prepareReplacements([...found.values()])
}
