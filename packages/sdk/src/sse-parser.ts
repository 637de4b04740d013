import { createParser } from 'eventsource-parser'

/** `id`: the last received ID, from this message or an earlier one. */
export type SseMessage = { id: string | null; event: string; data: string }

/**
 * Splits a stream of text into server-sent events. Accepts the text in any pieces and returns the messages that became
 * complete. Comments (keep-alive messages) yield nothing.
 */
export function makeSseParser(): (chunk: string) => SseMessage[] {
  let id: string | null = null
  let messages: SseMessage[] = []
  const parser = createParser({
    onEvent: (message) => {
      id = message.id ?? id
      messages.push({ id, event: message.event ?? 'message', data: message.data })
    },
  })
  return (chunk) => {
    messages = []
    parser.feed(chunk)
    return messages
  }
}
