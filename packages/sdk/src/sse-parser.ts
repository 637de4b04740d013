export type SseMessage = { id: string | null; event: string; data: string }

/**
 * Splits a stream of text into server-sent events. Feed it what arrives, in any pieces; it returns the messages that
 * became complete. Comments (keep-alives) yield nothing.
 */
export function makeSseParser(): (chunk: string) => SseMessage[] {
  let rest = ''
  let id: string | null = null
  let event = 'message'
  let data: string[] = []
  const takeLine = (line: string): SseMessage | undefined => {
    if (line === '') {
      const message = data.length === 0 ? undefined : { id, event, data: data.join('\n') }
      event = 'message'
      data = []
      return message
    }
    const colon = line.indexOf(':')
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'data') data.push(value)
    else if (field === 'id') id = value
    else if (field === 'event') event = value
    return undefined
  }
  return (chunk) => {
    const messages: SseMessage[] = []
    rest += chunk
    // A lone CR at the end may be the first half of CRLF: it waits for the next piece.
    const end = rest.endsWith('\r') ? rest.length - 1 : rest.length
    const lines = rest.slice(0, end).split(/\r\n|\n|\r/)
    rest = (lines.pop() ?? '') + rest.slice(end)
    for (const line of lines) {
      const message = takeLine(line)
      if (message !== undefined) messages.push(message)
    }
    return messages
  }
}
