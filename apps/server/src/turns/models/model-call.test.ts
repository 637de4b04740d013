import { type ModelServer, type RecordedRequest, startModelServer } from '@threadbox/testkit'
import { tool } from 'ai'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { languageModelOf, type Provider } from './language-model.ts'
import { callModel, type ModelPart } from './model-call.ts'
import { modelFailureOf } from './model-failure.logic.ts'

const nowMs = 1_800_000_000_000
const tools = { run_command: tool({ description: 'Runs', inputSchema: z.object({ command: z.string() }) }) }
let server: ModelServer
beforeEach(async () => {
  server = await startModelServer()
})
afterEach(() => server.close())

const protocols: Exclude<Provider, 'ollama'>[] = ['anthropic', 'openai', 'google', 'openai-compatible']

function ask(provider: Exclude<Provider, 'ollama'>, signal = new AbortController().signal) {
  const parts: ModelPart[] = []
  const model = languageModelOf({ provider, model: 'test-model', baseUrl: server.baseUrls[provider], apiKey: 'k-1' })
  const answer = callModel(
    {
      model,
      system: 'You are a test.',
      messages: [{ role: 'user', content: 'Hello' }],
      tools,
      maxOutputTokens: 500,
      signal,
    },
    async (part) => void parts.push(part),
  )
  const textOf = () => parts.map((part) => (part.kind === 'block-delta' ? part.text : '')).join('')
  return { answer, parts, textOf }
}

async function failureOf(provider: Exclude<Provider, 'ollama'>) {
  const { answer, textOf } = ask(provider)
  const error = await answer.then(
    () => expect.unreachable('the call should fail'),
    (reason: unknown) => reason,
  )
  return { failure: modelFailureOf(error, { nowMs, provider }), text: textOf() }
}

describe.each(protocols)('a call to a model over the wire of %s', (provider) => {
  it('maps a wrong key, a rate limit with its time, overload, a server error, a full context and a lost connection', async () => {
    server.reply({ failure: 'wrong-key' }, { failure: 'rate-limited', retryAfterSeconds: 17 })
    server.reply({ failure: 'overloaded' }, { failure: 'internal' }, { failure: 'context-full' })
    server.reply({ failure: 'unknown-model' }, { failure: 'cut' })
    expect((await failureOf(provider)).failure).toMatchObject({ code: 'wrong-key' })
    expect((await failureOf(provider)).failure).toMatchObject({ code: 'rate-limited', retryAt: nowMs + 17_000 })
    expect((await failureOf(provider)).failure).toMatchObject({ code: 'overloaded' })
    expect((await failureOf(provider)).failure).toMatchObject({ code: 'overloaded' })
    expect((await failureOf(provider)).failure).toMatchObject({ code: 'context-full' })
    const unknown = (await failureOf(provider)).failure
    expect(unknown).toMatchObject({ code: 'internal' })
    expect(unknown.message).toContain('doesn’t have this model')
    expect((await failureOf(provider)).failure).toMatchObject({ code: 'network' })
    expect(server.requests).toHaveLength(7)
  })

  it('keeps the received text when the connection is cut, and reports the cut', async () => {
    server.reply({ text: ['One ', 'two ', 'three'], cutAfterPieces: 2 })
    expect(await failureOf(provider)).toMatchObject({ failure: { code: 'network' }, text: 'One two ' })
  })

  it('keeps the received text when the provider sends an error in the middle of a response', async () => {
    server.reply({ text: ['One ', 'two ', 'three'], errorAfterPieces: 1 })
    expect(await failureOf(provider)).toMatchObject({ failure: { code: 'overloaded' }, text: 'One ' })
  })

  it('reports that the model refused', async () => {
    server.reply({ text: 'I cannot', finish: 'refusal' })
    expect((await ask(provider).answer).finishReason).toBe('content-filter')
  })

  it('returns text, parallel calls, usage and the message to send back', async () => {
    server.reply({
      text: ['Let me ', 'look.'],
      calls: [
        { name: 'run_command', input: { command: 'ls' }, id: 'c1' },
        { name: 'run_command', input: { command: 'id' }, id: 'c2' },
      ],
      usage: { inputTokens: 120, outputTokens: 30, cachedInputTokens: 0 },
    })
    const call = ask(provider)
    const answer = await call.answer
    expect(call.textOf()).toBe('Let me look.')
    expect(answer).toMatchObject({ finishReason: 'tool-calls', usage: { inputTokens: 120, outputTokens: 30 } })
    expect(answer.calls.map((called) => [called.tool, called.input, called.problem])).toEqual([
      ['run_command', { command: 'ls' }, null],
      ['run_command', { command: 'id' }, null],
    ])
    expect(answer.messages).toHaveLength(1)
    const request = server.requests[0] as RecordedRequest
    expect(request).toMatchObject({ model: 'test-model', system: 'You are a test.', tools: ['run_command'] })
    expect(request.messages[0]).toMatchObject({ role: 'user', text: 'Hello' })
  })

  it('returns a call with an invalid input as a problem instead of failing', async () => {
    server.reply({ calls: [{ name: 'run_command', input: { comand: 'ls' } }] }, { calls: [{ name: 'fly', input: {} }] })
    const wrongInput = await ask(provider).answer
    expect(wrongInput.calls[0]?.problem).toContain('command')
    const unknownTool = await ask(provider).answer
    expect(unknownTool.calls[0]?.problem).toContain('fly')
  })

  it('closes the connection to the provider when it is stopped', async () => {
    const held = Promise.withResolvers<void>()
    server.reply({
      text: (async function* () {
        yield 'First'
        await held.promise
      })(),
    })
    const controller = new AbortController()
    const call = ask(provider, controller.signal)
    const request = await server.received(1)
    controller.abort(new Error('stopped by the test'))
    await expect(call.answer).rejects.toThrow('stopped by the test')
    expect(await request.closedEarly).toBe(true)
    held.resolve()
  })
})

it('sends signed reasoning back to Anthropic unchanged', async () => {
  server.reply({ reasoning: { text: 'Hm.', signature: 'sig-1' }, text: 'Yes.' }, { text: 'Done' })
  const model = languageModelOf({
    provider: 'anthropic',
    model: 'm',
    baseUrl: server.baseUrls.anthropic,
    apiKey: 'k',
  })
  const base = { model, system: 's', tools, maxOutputTokens: 100, signal: new AbortController().signal }
  const first = await callModel({ ...base, messages: [{ role: 'user', content: 'a' }] }, async () => undefined)
  const stored = JSON.parse(JSON.stringify(first.messages)) as typeof first.messages
  await callModel(
    { ...base, messages: [{ role: 'user', content: 'a' }, ...stored, { role: 'user', content: 'b' }] },
    async () => undefined,
  )
  expect(server.requests[1]?.messages[1]).toMatchObject({
    role: 'assistant',
    text: 'Yes.',
    reasoning: [{ text: 'Hm.', signature: 'sig-1' }],
  })
})
