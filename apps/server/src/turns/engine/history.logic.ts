import type { Attachment } from '@threadbox/protocol/public'
import type { ModelMessage } from 'ai'
import { excerptOfText, formatBytes } from '../../platform/texts/excerpt.logic.ts'
import type { CallRecord, CompactionRecord, StepRecord, TurnRecord } from '../record/turn-record.ts'
import { screenshotNote } from './screenshot.logic.ts'

/** A part of the history that is kept or summarized as a whole: a message of the user, or a step with its results. */
export type HistoryItem = { turnOrdinal: number; stepIndex: number; messages: ModelMessage[]; tokens: number }

export type HistoryOptions = {
  provider: string
  supportsImages: boolean
  /** Images by blob key, in base64. An image that is missing here is named instead of sent. */
  images: ReadonlyMap<string, string>
}

type AssistantContent = Exclude<Extract<ModelMessage, { role: 'assistant' }>['content'], string>
type ToolContent = Extract<ModelMessage, { role: 'tool' }>['content']
type UserContent = Exclude<Extract<ModelMessage, { role: 'user' }>['content'], string>

/** Characters per token: low for English and code, so that the estimate is more likely too high than too low. */
const charactersPerToken = 3.5
/** Tokens of an image of ordinary size, within a factor of 2 of what providers charge. */
const tokensPerImage = 1500

/** The messages of a thread's turns for one provider, oldest first. Valid whatever happened in the turns. */
export function historyOf(turns: readonly TurnRecord[], options: HistoryOptions): HistoryItem[] {
  return turns.flatMap((turn, position) => itemsOfTurn(turn, { ...options, before: turns[position - 1] }))
}

/** The items after a compaction's boundary. */
export function itemsAfter(items: readonly HistoryItem[], compaction: CompactionRecord | undefined): HistoryItem[] {
  if (compaction === undefined) return [...items]
  const { turnOrdinal, stepIndex } = compaction
  return items.filter(
    (item) => item.turnOrdinal > turnOrdinal || (item.turnOrdinal === turnOrdinal && item.stepIndex > stepIndex),
  )
}

/** Blob keys of the newest images in the turns, up to `limit`. */
export function imageKeysIn(turns: readonly TurnRecord[], limit: number): string[] {
  const keys = turns.flatMap((turn) => [
    ...turn.attachments.filter(isImage).map(attachmentImageKey),
    ...turn.steps.flatMap((step) => step.calls.flatMap((call) => imagesOf(call).map(({ key }) => key))),
  ])
  return [...new Set(keys)].slice(-limit)
}

export function attachmentImageKey(attachment: Attachment): string {
  return `attachment:${attachment.id}`
}

/** Media types and sizes that every provider with vision accepts. */
export function isImage(attachment: Attachment): boolean {
  return /^image\/(png|jpeg|gif|webp)$/.test(attachment.mediaType) && attachment.sizeBytes <= 5 * 1024 * 1024
}

export function estimateTokens(value: unknown): number {
  let images = 0
  const text = JSON.stringify(value, (key, inner: unknown) => {
    if (key === 'data' && typeof inner === 'string' && inner.length > 1000) {
      images += 1
      return ''
    }
    return inner
  })
  return Math.ceil(text.length / charactersPerToken) + images * tokensPerImage
}

function itemsOfTurn(turn: TurnRecord, options: HistoryOptions & { before: TurnRecord | undefined }): HistoryItem[] {
  const answeredSteps = turn.steps.filter((step) => step.status !== 'discarded' && step.status !== 'asking')
  const item = (stepIndex: number, messages: ModelMessage[]): HistoryItem[] =>
    messages.length === 0 ? [] : [{ turnOrdinal: turn.ordinal, stepIndex, messages, tokens: estimateTokens(messages) }]
  if (turn.mode === 'direct') return item(-1, directMessages(turn))
  const items = item(-1, [userMessage(turn, options)])
  for (const [position, step] of answeredSteps.entries()) {
    const isLast = position === answeredSteps.length - 1
    const isContinued = step.status === 'partial' && (!isLast || turn.status === 'running')
    items.push(...item(step.index, [...stepMessages(step, options), ...(isContinued ? [continueMessage] : [])]))
  }
  return items
}

const continueMessage: ModelMessage = {
  role: 'user',
  content: [
    {
      type: 'text',
      text: '[Your response was cut off here. Continue exactly where it stopped and do not repeat any of it.]',
    },
  ],
}

function userMessage(turn: TurnRecord, options: HistoryOptions & { before: TurnRecord | undefined }): ModelMessage {
  const notes = [
    options.before?.status === 'stopped' ? 'The user stopped you before you finished.' : null,
    turn.note,
    attachmentsNote(turn.attachments),
    ...turn.attachments.map((attachment) => screenshotNote(attachment)),
    unseenNote(turn.attachments, options),
  ].filter((note) => note !== null)
  const text = [...notes.map((note) => `[${note}]`), turn.userText].filter((part) => part !== '').join('\n\n')
  const images = options.supportsImages
    ? turn.attachments.filter(isImage).flatMap((attachment) => {
        const data = options.images.get(attachmentImageKey(attachment))
        return data === undefined ? [] : [filePart(data, attachment.mediaType)]
      })
    : []
  return { role: 'user', content: [...images, { type: 'text', text: text === '' ? '(no text)' : text }] }
}

function attachmentsNote(attachments: readonly Attachment[]): string | null {
  if (attachments.length === 0) return null
  const list = attachments.map(({ path, mediaType, sizeBytes }) => `${path} (${mediaType}, ${formatBytes(sizeBytes)})`)
  return `Files attached by the user: ${list.join('; ')}`
}

/** Names images that the model doesn't get, so that it doesn't claim to have seen them. */
function unseenNote(attachments: readonly Attachment[], options: HistoryOptions): string | null {
  const imageAttachments = attachments.filter(({ mediaType }) => mediaType.startsWith('image/'))
  const unseen = options.supportsImages
    ? imageAttachments.filter((attachment) => !options.images.has(attachmentImageKey(attachment)))
    : imageAttachments
  if (unseen.length === 0) return null
  const paths = unseen.map(({ path }) => path).join('; ')
  return options.supportsImages
    ? `These images are not included here. Use view_image if you need them: ${paths}`
    : `You cannot see images with the current model. Not shown: ${paths}. Tell the user if the request depends on them.`
}

/** What the user did without the model, for the model's information. A turn that ran nothing is only its message. */
function directMessages(turn: TurnRecord): ModelMessage[] {
  const calls = turn.steps.flatMap((step) => step.calls)
  if (calls.length === 0) {
    return /^\s*\/(help|pause|status)\b/.test(turn.userText) ? [] : [userTextMessage(turn.userText)]
  }
  const outputs = calls.map((call) => `[The user ran this directly: ${turn.userText}]\n${outputText(call)}`)
  return [userTextMessage(outputs.join('\n\n'))]
}

function userTextMessage(text: string): ModelMessage {
  return { role: 'user', content: [{ type: 'text', text: text === '' ? '(no text)' : text }] }
}

function outputText(call: CallRecord): string {
  return call.output?.text ?? 'No result yet.'
}

/** A note for the model beside the conversation. */
export function noteMessage(text: string): ModelMessage {
  return { role: 'user', content: [{ type: 'text', text }] }
}

/** A step as the provider requires it: the assistant's message, then a result for every call in it. */
function stepMessages(step: StepRecord, options: HistoryOptions): ModelMessage[] {
  const assistant = step.messages.flatMap((message) => (message.role === 'assistant' ? [message] : []))
  const content = assistant.flatMap(
    (message): AssistantContent =>
      typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content,
  )
  const isSameProvider = step.provider === options.provider
  const parts = content.flatMap((part) => replayed(part, { step, isSameProvider }))
  const calls = step.calls.filter((call) =>
    parts.some((part) => part.type === 'tool-call' && part.toolCallId === call.id),
  )
  const hasSomethingToSay = parts.some((part) => part.type !== 'reasoning')
  if (!hasSomethingToSay) return []
  const note = step.note === null ? [] : [noteMessage(step.note)]
  if (calls.length === 0) return [...note, { role: 'assistant', content: parts }]
  const images = inMessageImages(calls, options)
  return [
    ...note,
    { role: 'assistant', content: parts },
    { role: 'tool', content: calls.map((call) => resultPart(call, options)) },
    ...images,
  ]
}

/**
 * Reasoning carries its provider's signature: other providers reject it, and the same one rejects it for a cut-off
 * response.
 */
function replayed(
  part: AssistantContent[number],
  options: { step: StepRecord; isSameProvider: boolean },
): AssistantContent {
  const { step, isSameProvider } = options
  if (part.type === 'text') {
    if (part.text === '') return []
    return isSameProvider ? [part] : [{ type: 'text', text: part.text }]
  }
  if (part.type === 'reasoning') return isSameProvider && step.status === 'finished' ? [part] : []
  if (part.type !== 'tool-call') return []
  if (!step.calls.some((call) => call.id === part.toolCallId)) return []
  const { providerOptions, ...plain } = part
  return [
    {
      ...plain,
      input: isRecord(part.input) ? part.input : {},
      ...(isSameProvider && providerOptions !== undefined ? { providerOptions } : {}),
    },
  ]
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Anthropic and Google accept images inside a result; other providers would get them as base64 text. */
const takesImagesInResults = new Set(['anthropic', 'google'])

function resultPart(call: CallRecord, options: HistoryOptions): ToolContent[number] {
  const base = { type: 'tool-result' as const, toolCallId: call.id, toolName: call.tool }
  const output = call.output
  if (output === null) {
    return { ...base, output: { type: 'error-text', value: 'No result: this call was never completed.' } }
  }
  const parts = imagesOf(call).flatMap(({ key, mediaType }) => {
    const data = options.images.get(key)
    return data === undefined ? [] : [filePart(data, mediaType)]
  })
  if (parts.length > 0 && options.supportsImages && takesImagesInResults.has(options.provider)) {
    return { ...base, output: { type: 'content', value: [{ type: 'text', text: imageText(call, options) }, ...parts] } }
  }
  return { ...base, output: { type: output.isError ? 'error-text' : 'text', value: imageText(call, options) } }
}

function imageText(call: CallRecord, options: HistoryOptions): string {
  const text = call.output?.text ?? ''
  const images = imagesOf(call)
  if (images.length === 0) return text
  if (!options.supportsImages) return `${text}\nYou cannot see images with the current model.`
  return images.every(({ key }) => options.images.has(key))
    ? text
    : `${text}\n(The image is no longer included; view it again if you need it.)`
}

function imagesOf(call: CallRecord): { key: string; mediaType: string }[] {
  const { image, furtherImages = [] } = call.output ?? {}
  return image === undefined ? [] : [image, ...furtherImages]
}

function inMessageImages(calls: readonly CallRecord[], options: HistoryOptions): ModelMessage[] {
  if (!options.supportsImages || takesImagesInResults.has(options.provider)) return []
  const content = calls.flatMap((call): UserContent => {
    const parts = imagesOf(call).flatMap(({ key, mediaType }) => {
      const data = options.images.get(key)
      return data === undefined ? [] : [filePart(data, mediaType)]
    })
    return parts.length === 0 ? [] : [{ type: 'text', text: `[Image from ${call.tool}:]` }, ...parts]
  })
  return content.length === 0 ? [] : [{ role: 'user', content }]
}

function filePart(data: string, mediaType: string) {
  return { type: 'file' as const, mediaType, data: { type: 'data' as const, data } }
}

/** The conversation as plain text for a summary, each part shortened to `maxCharacters`. */
export function transcriptOf(items: readonly HistoryItem[], maxCharacters: number): string {
  const line = (who: string, text: string) => `${who}: ${excerptOfText(text.trim(), maxCharacters).text}`
  return items
    .flatMap((item) => item.messages)
    .flatMap((message) => {
      if (typeof message.content === 'string') return [line(message.role, message.content)]
      return message.content.flatMap((part) => {
        if (part.type === 'text') return [line(message.role, part.text)]
        if (part.type === 'tool-call') return [line(`assistant calls ${part.toolName}`, JSON.stringify(part.input))]
        if (part.type !== 'tool-result') return []
        const { output } = part
        const value = 'value' in output ? output.value : ''
        return [line('result', typeof value === 'string' ? value : JSON.stringify(value, hideData))]
      })
    })
    .join('\n\n')
}

function hideData(key: string, value: unknown): unknown {
  return key === 'data' && typeof value === 'string' ? '(image)' : value
}
