import { createParser } from 'eventsource-parser'

/** `id`: the last one that came, with this message or with one before it. */
export type SseMessage = { id: string | null; event: string; data: string }

/**
 * Splits a stream of text into server-sent events. Feed it what arrives, in any pieces; it returns the messages that
 * became complete. Comments (keep-alives) yield nothing.
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
