import type { Display } from '@threadbox/protocol/public'
import type { BlobStore } from '../../platform/blobs/blob-store.ts'
import { resultBlob } from '../../threads/public.ts'
import type { ExecutionDisplay } from './follow-run.ts'

/** Richest first; unlisted types follow, plain text is last. */
const preference = [
  'application/vnd.plotly.v1+json',
  'text/html',
  'image/svg+xml',
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'application/pdf',
  'text/markdown',
  'text/latex',
  'application/json',
]
/** Longest text in the entry itself; longer text is fetched when it is opened. A page always has a URL. */
const maxInlineCharacters = 16 * 1024
const maxItems = 8
/** Jupyter has a handful per result; sorting half a million takes seconds. */
const maxTypes = 100

const binaryTypes = /^(image\/(?!svg)|audio\/|video\/|application\/pdf|application\/octet-stream)/

/** Limits of one cell. A guest obeys the second one; code in the sandbox can replace the guest. */
export const maxDisplays = 1000
const maxDisplayBytes = 64 * 1024 * 1024

/**
 * Limits the results of a cell that already has `stored`. One for which there is no room in bytes is replaced by a line
 * of text; those after the last possible one are only counted.
 */
export function makeDisplayRoom(stored: number) {
  let count = stored
  let bytes = 0
  let omitted = 0
  return {
    /** Returns what to store; undefined if nothing. */
    admit: (display: ExecutionDisplay): ExecutionDisplay | undefined => {
      if (count >= maxDisplays) {
        omitted += 1
        return undefined
      }
      count += 1
      const size = Buffer.byteLength(display.bundleJson)
      const isTooMuch = bytes + size > maxDisplayBytes
      if (isTooMuch)
        return noteInstead(display.index, `a rich result of ${size} bytes was omitted: this cell has too many`)
      bytes += size
      return display
    },
    omitted: () => omitted,
  }
}

/** A line of text in place of a result. */
function noteInstead(index: number, note: string): ExecutionDisplay {
  return { index, bundleJson: JSON.stringify({ data: { 'text/plain': `[${note}]` } }), isResult: false }
}

/** Stores a rich result, except small text, as blobs and returns its description. */
export async function storeDisplay(
  run: ExecutionDisplay,
  context: { call: { id: string; threadId: string }; blobs: BlobStore },
): Promise<Display> {
  const data = dataOf(safeJson(run.bundleJson))
  const types = Object.keys(data)
    .slice(0, maxTypes)
    .filter((type) => /^[a-z]+\/[a-z0-9.+-]{1,100}$/i.test(type))
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, maxItems)
  const items: Display['items'] = []
  for (const [position, mediaType] of types.entries()) {
    const content = contentOf(mediaType, data[mediaType])
    if (content === undefined) continue
    const bytes = Buffer.from(content)
    const isShort = typeof content === 'string' && content.length <= maxInlineCharacters
    const text = isShort ? { text: content } : {}
    // A page inside of the app's own page would be subject to the app's policy, which blocks foreign scripts.
    if (isShort && mediaType !== 'text/html') {
      items.push({ mediaType, ...text, sizeBytes: bytes.length })
      continue
    }
    const { key, url } = resultBlob(context.call, `display-${run.index}-${position}`)
    await context.blobs.put(key, bytes)
    items.push({ mediaType, ...text, url, sizeBytes: bytes.length })
  }
  return { id: `${context.call.id}-${run.index}`, items }
}

/** Values of a Jupyter result are text, text in lines, base64 for binary types, or JSON. A schema would copy all of them. */
function dataOf(bundle: unknown): Record<string, unknown> {
  const data = isObject(bundle) ? bundle.data : undefined
  return isObject(data) ? data : {}
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function rank(mediaType: string): number {
  if (mediaType === 'text/plain') return preference.length + 1
  const index = preference.indexOf(mediaType)
  return index < 0 ? preference.length : index
}

function contentOf(mediaType: string, value: unknown): string | Uint8Array | undefined {
  const text = isLines(value) ? value.join('') : value
  if (typeof text !== 'string') return text === undefined || text === null ? undefined : jsonOf(text)
  return binaryTypes.test(mediaType) ? Buffer.from(text, 'base64') : text
}

function isLines(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((line) => typeof line === 'string')
}

/** Undefined for a value that is nested too deeply to be written. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

function safeJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
