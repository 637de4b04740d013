import { finishOf, piecesOf, type ScriptedAnswer, type ScriptedFailure } from './model-reply.ts'
import { asList, asRecord, asText, emptyMessage, type RecordedMessage, type RequestView } from './recorded-request.ts'
import type { Frames, Wire } from './wire.ts'

/** Google’s generateContent. Its calls have names but need no IDs: results are matched by name and order. */
export const googleWire: Wire = {
  view: (body, path) => viewOf(body, path),
  frames: (answer) => framesOf(answer),
  errorInStream: () =>
    frame({ error: { code: 503, message: 'The model is overloaded. Please try again later.', status: 'UNAVAILABLE' } }),
  error: (failure) => errorOf(failure),
}

function viewOf(body: Record<string, unknown>, path: string): RequestView {
  return {
    model: /models\/([^:/]+):/.exec(path)?.[1] ?? '',
    system: asList(asRecord(body.systemInstruction).parts)
      .map((part) => asText(part.text))
      .join('\n'),
    messages: asList(body.contents).map(messageOf),
    tools: asList(body.tools)
      .flatMap((tool) => asList(tool.functionDeclarations))
      .map((tool) => asText(tool.name)),
  }
}

function messageOf(raw: Record<string, unknown>): RecordedMessage {
  const message = emptyMessage(raw.role === 'model' ? 'assistant' : 'user')
  for (const part of asList(raw.parts)) {
    const call = asRecord(part.functionCall)
    const response = asRecord(part.functionResponse)
    if (part.thought === true) {
      message.reasoning.push({ text: asText(part.text), signature: asText(part.thoughtSignature) || null })
    } else message.text += asText(part.text)
    if (part.inlineData !== undefined) message.images.push(asText(asRecord(part.inlineData).mimeType))
    if (part.functionCall !== undefined) {
      message.calls.push({ id: asText(call.id), name: asText(call.name), input: call.args })
    }
    if (part.functionResponse !== undefined) message.results.push(resultOf(response))
  }
  return message.results.length > 0 ? { ...message, role: 'tool' } : message
}

function resultOf(response: Record<string, unknown>): RecordedMessage['results'][number] {
  const content = asRecord(response.response).content
  const images = asList(response.parts).filter((part) => part.inlineData !== undefined).length
  return {
    id: asText(response.id) || asText(response.name),
    text: typeof content === 'string' ? content : JSON.stringify(response.response),
    isError: false,
    images,
  }
}

function frame(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`
}

async function* framesOf(answer: ScriptedAnswer): Frames {
  const parts = (content: unknown[], finishReason?: string) =>
    frame({ candidates: [{ content: { role: 'model', parts: content }, index: 0, finishReason }] })
  if (answer.reasoning !== undefined) {
    yield parts([{ text: answer.reasoning.text, thought: true, thoughtSignature: answer.reasoning.signature }])
  }
  for await (const piece of piecesOf(answer.text)) yield { piece: parts([{ text: piece }]) }
  for (const call of answer.calls ?? []) {
    yield parts([
      { functionCall: { ...(call.id === undefined ? {} : { id: call.id }), name: call.name, args: call.input } },
    ])
  }
  const reasons = { stop: 'STOP', calls: 'STOP', length: 'MAX_TOKENS', refusal: 'SAFETY' } as const
  const input = answer.usage?.inputTokens ?? 10
  const output = answer.usage?.outputTokens ?? 5
  yield frame({
    candidates: [{ content: { role: 'model', parts: [] }, index: 0, finishReason: reasons[finishOf(answer)] }],
    usageMetadata: {
      promptTokenCount: input,
      candidatesTokenCount: output,
      totalTokenCount: input + output,
      cachedContentTokenCount: answer.usage?.cachedInputTokens ?? 0,
    },
  })
}

function errorOf(failure: ScriptedFailure) {
  const table = {
    'wrong-key': [400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.'],
    'rate-limited': [429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota.'],
    overloaded: [503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'],
    internal: [500, 'INTERNAL', 'An internal error has occurred.'],
    'context-full': [
      400,
      'INVALID_ARGUMENT',
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    ],
    'unknown-model': [404, 'NOT_FOUND', 'models/nothing is not found for API version v1beta.'],
    cut: [500, 'INTERNAL', ''],
  } as const
  const [code, status, message] = table[failure.failure]
  return { status: code, body: { error: { code, message, status } } }
}
