import type { Display, ToolCallEntry } from '@threadbox/protocol/public'
import type { BlobStore } from '../../platform/blobs/blob-store.ts'
import { outputKey, readStored } from '../../threads/public.ts'

/** Output beyond this is named by its size; who wants all of it downloads it from its card. */
const maxOutputBytes = 256 * 1024
/** A picture larger than this is named instead of included: the file is to be opened by an ordinary program. */
const maxPictureBytes = 16 * 1024 * 1024

/** Where an export takes the bytes from that the conversation only names. */
export type ExportSource = {
  threadId: string
  blobs: BlobStore
  /** The address of a file that the conversation names; without it files are named only. */
  fileAddress?: (file: { attachmentId: string } | { url: string }) => string | undefined
}

/** What a command printed, from its beginning, and how many bytes more there are. */
export async function wholeOutput(
  { blobs, threadId }: ExportSource,
  call: ToolCallEntry,
): Promise<{ text: string; missingBytes: number }> {
  const { sizeBytes, tail, tailOffset } = call.output
  if (tailOffset === 0) return { text: tail, missingBytes: 0 }
  const bytes = await readStored(blobs, {
    key: outputKey({ threadId, id: call.id }),
    offset: 0,
    length: Math.min(sizeBytes, maxOutputBytes),
  })
  return { text: new TextDecoder().decode(bytes), missingBytes: Math.max(0, sizeBytes - bytes.length) }
}

/** The bytes at an address of this thread's results; undefined when they are gone or too many. */
export async function resultBytes(
  { blobs, threadId }: ExportSource,
  item: { url: string; sizeBytes: number },
): Promise<Buffer | undefined> {
  const prefix = `/api/v1/threads/${threadId}/results/`
  if (!item.url.startsWith(prefix) || item.sizeBytes > maxPictureBytes) return undefined
  return await bytesAt(blobs, `results/${threadId}/${item.url.slice(prefix.length)}`)
}

/** The bytes of a blob, if there are not too many. */
export async function bytesAt(blobs: BlobStore, key: string): Promise<Buffer | undefined> {
  const bytes = Buffer.from(await readStored(blobs, { key, offset: 0, length: maxPictureBytes + 1 }))
  return bytes.length === 0 || bytes.length > maxPictureBytes ? undefined : bytes
}

/** Types that every browser shows as a picture. SVG is one: as an image it runs nothing and loads nothing. */
export function isPictureType(mediaType: string): boolean {
  return /^image\/(png|jpeg|gif|webp|avif|bmp|svg\+xml)$/.test(mediaType)
}

/** The text of one form of a rich result, wherever it is. */
export async function displayText(source: ExportSource, item: Display['items'][number]): Promise<string | undefined> {
  if (item.text !== undefined) return item.text
  if (item.url === undefined) return undefined
  const bytes = await resultBytes(source, { url: item.url, sizeBytes: item.sizeBytes })
  return bytes?.toString('utf8')
}

/** A field of a tool's input, which is as the model wrote it. */
export function inputText(call: ToolCallEntry, name: string): string {
  const input = call.input as Record<string, unknown> | null
  const value = typeof input === 'object' ? input?.[name] : undefined
  return typeof value === 'string' ? value : ''
}

/** What a call did, on one line. */
export function callLine(call: ToolCallEntry): string {
  if (call.connection !== undefined) return `${call.connection.name}: ${call.connection.tool}`
  const subject = ['path', 'name', 'pattern', 'url'].map((name) => inputText(call, name)).find((text) => text !== '')
  const { result } = call
  const counts = result?.kind === 'diff' ? ` (+${result.addedLines} −${result.removedLines})` : ''
  return `${call.tool}${subject === undefined ? '' : ` ${subject.replaceAll(/\s+/g, ' ')}`}${counts}`
}

/** How a call ended, when it did not end well. */
export function callProblem(call: ToolCallEntry): string | null {
  if (call.error !== null) return call.error.message
  if (call.status === 'succeeded') return null
  const exitCode = call.result?.kind === 'command' ? call.result.exitCode : null
  return exitCode === null ? call.status : `exit code ${exitCode}`
}

/** What was sent to the server of a connection and what it answered, with a word about what is not here. */
export function answerOf(call: ToolCallEntry): string[] {
  const { result } = call
  if (call.connection === undefined) return []
  const input = JSON.stringify(call.input, null, 2)
  if (result?.kind !== 'connection') return [input]
  const cut = result.url === null ? [] : [`[${result.sizeBytes} bytes in total; the rest isn’t included]`]
  return [input, [result.text, ...result.notes.map((note) => `[${note}]`), ...cut].join('\n')]
}
