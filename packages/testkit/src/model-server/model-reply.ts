/** One tool call that the scripted model requests. `input` can be a string to send arguments that are not JSON. */
export type ScriptedCall = { name: string; input: unknown; id?: string }

/** As the product counts: cached tokens are part of `inputTokens`, except in the protocol of Anthropic. */
export type ScriptedUsage = {
  inputTokens?: number
  outputTokens?: number
  cachedInputTokens?: number
  /** Anthropic only. */
  cacheWriteTokens?: number
}

/** The scripted model’s response: reasoning, then text, then calls, each optional. */
export type ScriptedAnswer = {
  reasoning?: { text: string; signature: string }
  /** Sent piece by piece. An async iterable controls when each piece is sent, so a test can hold one back. */
  text?: string | readonly string[] | AsyncIterable<string>
  calls?: readonly ScriptedCall[]
  usage?: ScriptedUsage
  /** `refusal` and `length` end the response as the provider reports it. Default: what fits the response. */
  finish?: 'stop' | 'calls' | 'length' | 'refusal'
  /** Closes the connection after this many pieces of text, without the end of the response. */
  cutAfterPieces?: number
  /** Sends the provider’s error inside the stream after this many pieces. */
  errorAfterPieces?: number
}

export type ScriptedFailure = {
  failure: 'wrong-key' | 'rate-limited' | 'overloaded' | 'internal' | 'context-full' | 'unknown-model' | 'cut'
  retryAfterSeconds?: number
}

export type ModelReply = ScriptedAnswer | ScriptedFailure

export function isFailure(reply: ModelReply): reply is ScriptedFailure {
  return 'failure' in reply
}

export async function* piecesOf(text: ScriptedAnswer['text']): AsyncGenerator<string> {
  if (text === undefined) return
  if (typeof text === 'string') {
    yield text
    return
  }
  yield* text
}

export function finishOf(answer: ScriptedAnswer): NonNullable<ScriptedAnswer['finish']> {
  return answer.finish ?? (answer.calls !== undefined && answer.calls.length > 0 ? 'calls' : 'stop')
}

export function argumentsOf(call: ScriptedCall): string {
  return typeof call.input === 'string' ? call.input : JSON.stringify(call.input)
}
