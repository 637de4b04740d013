import { argumentsOf, finishOf, piecesOf, type ScriptedAnswer, type ScriptedFailure } from './model-reply.ts'
import { asList, asRecord, asText, emptyMessage, type RecordedMessage, type RequestView } from './recorded-request.ts'
import type { Frames, Wire } from './wire.ts'

/** OpenAI’s Chat Completions, which vLLM, LM Studio, Ollama and others support too. */
export const openaiChatWire: Wire = {
  view: (body) => viewOf(body),
  frames: (answer, request) => framesOf(answer, request),
  errorInStream: () =>
    `data: ${JSON.stringify({ error: { message: 'The server had an error', type: 'server_error', code: null } })}\n\n`,
  error: (failure) => errorOf(failure),
}

function viewOf(body: Record<string, unknown>): RequestView {
  const all = asList(body.messages)
  const isSystem = (message: Record<string, unknown>) => message.role === 'system' || message.role === 'developer'
  return {
    model: asText(body.model),
    system: all
      .filter(isSystem)
      .map((message) => textOf(message.content))
      .join('\n'),
    messages: all.filter((message) => !isSystem(message)).map(messageOf),
    tools: asList(body.tools).map((tool) => asText(asRecord(tool.function).name)),
  }
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return asList(content)
    .map((part) => asText(part.text))
    .join('')
}

function messageOf(raw: Record<string, unknown>): RecordedMessage {
  if (raw.role === 'tool') {
    const result = { id: asText(raw.tool_call_id), text: textOf(raw.content), isError: false, images: 0 }
    return { ...emptyMessage('tool'), results: [result] }
  }
  const message = emptyMessage(raw.role === 'assistant' ? 'assistant' : 'user')
  message.text = textOf(raw.content)
  const images = asList(raw.content).filter((part) => part.type === 'image_url')
  message.images = images.map((part) => /^data:([^;]+)/.exec(asText(asRecord(part.image_url).url))?.[1] ?? 'url')
  if (typeof raw.reasoning_content === 'string') {
    message.reasoning.push({ text: raw.reasoning_content, signature: null })
  }
  message.calls = asList(raw.tool_calls).map((call) => {
    const called = asRecord(call.function)
    return { id: asText(call.id), name: asText(called.name), input: JSON.parse(asText(called.arguments)) as unknown }
  })
  return message
}

async function* framesOf(answer: ScriptedAnswer, request: RequestView): Frames {
  const chunk = (choices: unknown[], more: Record<string, unknown> = {}) =>
    `data: ${JSON.stringify({
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: 1_700_000_000,
      model: request.model,
      choices,
      ...more,
    })}\n\n`
  const delta = (content: Record<string, unknown>, finish: string | null = null) =>
    chunk([{ index: 0, delta: content, finish_reason: finish }])
  yield delta({ role: 'assistant', content: '' })
  if (answer.reasoning !== undefined) yield delta({ reasoning_content: answer.reasoning.text })
  for await (const piece of piecesOf(answer.text)) yield { piece: delta({ content: piece }) }
  for (const [index, call] of (answer.calls ?? []).entries()) {
    const id = call.id ?? `call_${index}`
    yield delta({ tool_calls: [{ index, id, type: 'function', function: { name: call.name, arguments: '' } }] })
    yield delta({ tool_calls: [{ index, function: { arguments: argumentsOf(call) } }] })
  }
  const reasons = { stop: 'stop', calls: 'tool_calls', length: 'length', refusal: 'content_filter' } as const
  yield delta({}, reasons[finishOf(answer)])
  const usage = answer.usage ?? {}
  const input = usage.inputTokens ?? 10
  const output = usage.outputTokens ?? 5
  yield chunk([], {
    usage: {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
      prompt_tokens_details: { cached_tokens: usage.cachedInputTokens ?? 0 },
    },
  })
  yield 'data: [DONE]\n\n'
}

function errorOf(failure: ScriptedFailure) {
  const table = {
    'wrong-key': [401, 'invalid_request_error', 'invalid_api_key', 'Incorrect API key provided.'],
    'rate-limited': [429, 'requests', 'rate_limit_exceeded', 'Rate limit reached for requests.'],
    overloaded: [503, 'server_error', null, 'The engine is currently overloaded, please try again later.'],
    internal: [500, 'server_error', null, 'The server had an error while processing your request.'],
    'context-full': [
      400,
      'invalid_request_error',
      'context_length_exceeded',
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
    ],
    'unknown-model': [404, 'invalid_request_error', 'model_not_found', 'The model does not exist.'],
    cut: [500, 'server_error', null, ''],
  } as const
  const [status, type, code, message] = table[failure.failure]
  return { status, body: { error: { message, type, param: null, code } } }
}
