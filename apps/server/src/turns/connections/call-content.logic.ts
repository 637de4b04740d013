import type { CallToolResult } from '@modelcontextprotocol/client'
import { formatBytes } from '../../platform/texts/excerpt.logic.ts'
import { imageTypeOf } from '../../platform/texts/media-type.logic.ts'

/** A server's result in the forms that the app and models can show. `notes` say what is omitted. */
export type CallContent = {
  text: string
  images: { bytes: Uint8Array; mediaType: string }[]
  notes: string[]
  isError: boolean
}

/** Every provider with vision accepts images of 4 MiB; base64 makes them larger. */
const maxImageBytes = 4 * 1024 * 1024
const maxImages = 4
const maxBlocks = 1000

type Block = CallToolResult['content'][number]

/** Reads a result. Detects images by their first bytes and ignores the media type that the server declares. */
export function callContentOf(result: CallToolResult, redact: (text: string) => string): CallContent {
  const content: CallContent = { text: '', images: [], notes: [], isError: result.isError === true }
  const texts: string[] = []
  for (const block of result.content.slice(0, maxBlocks)) {
    const text = read(block, content)
    if (text !== undefined) texts.push(text)
  }
  const left = result.content.length - maxBlocks
  if (left > 0) content.notes.push(`${left} more parts of the result are omitted.`)
  if (texts.length === 0 && result.structuredContent !== undefined) {
    texts.push(JSON.stringify(result.structuredContent, null, 1))
  }
  return { ...content, text: redact(texts.join('\n\n')), notes: content.notes.map(redact) }
}

function read(block: Block, content: CallContent): string | undefined {
  switch (block.type) {
    case 'text':
      return block.text
    case 'image':
      return addImage(block.data, content)
    case 'audio':
      content.notes.push(`Audio (${formatBytes(sizeOf(block.data))}) is omitted: audio is not supported.`)
      return undefined
    case 'resource_link':
      return `[${block.title ?? block.name}: ${block.uri}]`
    case 'resource': {
      const { resource } = block
      if ('text' in resource && typeof resource.text === 'string') return `[${resource.uri}]\n${resource.text}`
      const data = 'blob' in resource && typeof resource.blob === 'string' ? resource.blob : ''
      if (resource.mimeType?.startsWith('image/') === true) return addImage(data, content)
      content.notes.push(`The file ${resource.uri.slice(0, 200)} (${formatBytes(sizeOf(data))}) is omitted.`)
      return undefined
    }
    default:
      content.notes.push('A part of an unknown type is omitted.')
      return undefined
  }
}

function addImage(data: string, content: CallContent): undefined {
  const size = formatBytes(sizeOf(data))
  if (content.images.length >= maxImages) {
    content.notes.push(`Another image (${size}) is omitted: at most ${maxImages} are shown.`)
    return
  }
  if (sizeOf(data) > maxImageBytes) {
    content.notes.push(`An image (${size}) is omitted: it is larger than ${formatBytes(maxImageBytes)}.`)
    return
  }
  const bytes = Buffer.from(data, 'base64')
  const mediaType = imageTypeOf(bytes)
  if (mediaType === undefined) {
    content.notes.push(`An image (${size}) is omitted: it is not a PNG, JPEG, GIF or WebP.`)
    return
  }
  content.images.push({ bytes, mediaType })
}

function sizeOf(base64: string): number {
  return Math.floor((base64.length * 3) / 4)
}
