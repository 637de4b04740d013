/** One message of a request, in the same form for all providers. */
export type RecordedMessage = {
  role: 'user' | 'assistant' | 'tool'
  text: string
  reasoning: { text: string; signature: string | null }[]
  calls: { id: string; name: string; input: unknown }[]
  results: { id: string; text: string; isError: boolean; images: number }[]
  /** Images in the message itself, as media types. */
  images: string[]
}

export type WireProtocol = 'anthropic' | 'openai' | 'google' | 'openai-compatible'

/** A request as received, with a view of it that is the same for all providers. */
export type RecordedRequest = {
  protocol: WireProtocol
  model: string
  system: string
  messages: RecordedMessage[]
  tools: string[]
  headers: Record<string, string>
  path: string
  /** The body as received, byte for byte. */
  bodyText: string
  /** The parsed body, for what the view leaves out. */
  body: Record<string, unknown>
  /** Resolves when the connection has ended: true if the client closed it before the response was complete. */
  closedEarly: Promise<boolean>
}

export type RequestView = Pick<RecordedRequest, 'model' | 'system' | 'messages' | 'tools'>

export function emptyMessage(role: RecordedMessage['role']): RecordedMessage {
  return { role, text: '', reasoning: [], calls: [], results: [], images: [] }
}

/** All text of a request, for assertions about what the model got. */
export function wholeText(request: RequestView): string {
  const parts = request.messages.flatMap((message) => [
    message.text,
    ...message.reasoning.map((reasoning) => reasoning.text),
    ...message.calls.map((call) => JSON.stringify(call.input)),
    ...message.results.map((result) => result.text),
  ])
  return [request.system, ...parts].join('\n')
}

type Json = Record<string, unknown>
export function asRecord(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
}
export function asList(value: unknown): Json[] {
  return Array.isArray(value) ? value.map(asRecord) : []
}
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
