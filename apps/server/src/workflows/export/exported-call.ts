import type { Display, ToolCallEntry } from '@threadbox/protocol/public'
import type { BlobStore } from '../../platform/blobs/blob-store.ts'
import { outputKey, readOutput, readStored } from '../../threads/public.ts'

/** Longer output is described by its size; what was kept of it can be downloaded from its card. */
const maxOutputBytes = 256 * 1024
/** A larger image is named instead of included, so that ordinary programs can open the file. */
const maxImageBytes = 16 * 1024 * 1024

/** Where an export reads the bytes that the conversation only references. */
export type ExportSource = {
  threadId: string
  blobs: BlobStore
  /** Returns the address of a file that the conversation references; without it, files are only named. */
  fileAddress?: (file: { attachmentId: string } | { url: string }) => string | undefined
}

/** Returns the beginning of a command’s output, how many bytes are missing, and how many of those weren’t kept. */
export async function wholeOutput(
  { blobs, threadId }: ExportSource,
  call: ToolCallEntry,
): Promise<{ text: string; missingBytes: number; notKeptBytes: number }> {
  const { sizeBytes, tail, tailOffset, kept } = call.output
  if (tailOffset === 0) return { text: tail, missingBytes: 0, notKeptBytes: 0 }
  const bytes = await readOutput(blobs, {
    key: outputKey({ threadId, id: call.id }),
    offset: 0,
    length: Math.min(sizeBytes, maxOutputBytes),
  })
  const notKeptBytes = kept === undefined ? 0 : kept.tailFrom - kept.headBytes
  return { text: new TextDecoder().decode(bytes), missingBytes: Math.max(0, sizeBytes - bytes.length), notKeptBytes }
}

/** Says what is missing; empty if nothing is. */
export function missingNote({ missingBytes, notKeptBytes }: { missingBytes: number; notKeptBytes: number }): string {
  if (missingBytes === 0) return ''
  const notKept = notKeptBytes === 0 ? '' : ` ${notKeptBytes} of them weren’t kept.`
  return `${missingBytes} more bytes of output aren’t included.${notKept}`
}

/** The bytes at an address of this thread’s results; undefined if they no longer exist or are too many. */
export async function resultBytes(
  { blobs, threadId }: ExportSource,
  item: { url: string; sizeBytes: number },
): Promise<Buffer | undefined> {
  const prefix = `/api/v1/threads/${threadId}/results/`
  if (!item.url.startsWith(prefix) || item.sizeBytes > maxImageBytes) return undefined
  return await bytesAt(blobs, `results/${threadId}/${item.url.slice(prefix.length)}`)
}

/** The bytes of a blob; undefined if there are none or too many. */
export async function bytesAt(blobs: BlobStore, key: string): Promise<Buffer | undefined> {
  const bytes = Buffer.from(await readStored(blobs, { key, offset: 0, length: maxImageBytes + 1 }))
  return bytes.length === 0 || bytes.length > maxImageBytes ? undefined : bytes
}

/** Types that every browser shows as an image. SVG is included: as an image it runs nothing and loads nothing. */
export function isImageType(mediaType: string): boolean {
  return /^image\/(png|jpeg|gif|webp|avif|bmp|svg\+xml)$/.test(mediaType)
}

/** The text of one form of a rich result, inline or stored. */
export async function displayText(source: ExportSource, item: Display['items'][number]): Promise<string | undefined> {
  if (item.text !== undefined) return item.text
  if (item.url === undefined) return undefined
  const bytes = await resultBytes(source, { url: item.url, sizeBytes: item.sizeBytes })
  return bytes?.toString('utf8')
}

/** A string field of a tool’s input, which is as the model wrote it. */
export function inputText(call: ToolCallEntry, name: string): string {
  const input = call.input as Record<string, unknown> | null
  const value = typeof input === 'object' ? input?.[name] : undefined
  return typeof value === 'string' ? value : ''
}

/** Describes a call on one line. */
export function callLine(call: ToolCallEntry): string {
  if (call.connection !== undefined) return `${call.connection.name}: ${call.connection.tool}`
  const subject = ['path', 'name', 'pattern', 'url'].map((name) => inputText(call, name)).find((text) => text !== '')
  const { result } = call
  const counts = result?.kind === 'diff' ? ` (+${result.addedLines} −${result.removedLines})` : ''
  return `${call.tool}${subject === undefined ? '' : ` ${subject.replaceAll(/\s+/g, ' ')}`}${counts}`
}

/** How a call failed; null if it succeeded. */
export function callProblem(call: ToolCallEntry): string | null {
  if (call.error !== null) return call.error.message
  if (call.status === 'succeeded') return null
  const exitCode = call.result?.kind === 'command' ? call.result.exitCode : null
  return exitCode === null ? call.status : `exit code ${exitCode}`
}

/** What was sent to an MCP server and the result that it returned, with a note about what is not included. */
export function mcpCallTexts(call: ToolCallEntry): string[] {
  const { result } = call
  if (call.connection === undefined) return []
  const input = JSON.stringify(call.input, null, 2)
  if (result?.kind !== 'connection') return [input]
  const cut = result.url === null ? [] : [`[${result.sizeBytes} bytes in total; the rest isn’t included]`]
  return [input, [result.text, ...result.notes.map((note) => `[${note}]`), ...cut].join('\n')]
}
