import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Entry, NoticeEntry, TextEntry, ToolCallEntry } from '@threadbox/protocol/public'
import { wholeText } from '@threadbox/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeTestBench, type TestBench } from './turns.test-utils.ts'

let bench: TestBench
beforeEach(async () => {
  bench = await makeTestBench()
})
afterEach(() => bench[Symbol.asyncDispose]())

const call = (command: string, id?: string) => ({ name: 'run_command', input: { command }, ...(id ? { id } : {}) })
const toolCalls = (entries: Entry[]) => entries.filter((entry): entry is ToolCallEntry => entry.kind === 'tool-call')
const texts = (entries: Entry[]) => entries.filter((entry): entry is TextEntry => entry.kind === 'text')
const notices = (entries: Entry[]) =>
  entries.filter((entry): entry is NoticeEntry => entry.kind === 'notice').map((entry) => entry.code)

describe('a turn without a model', () => {
  it('O1: runs a command that the user typed and keeps its output', async () => {
    const turnId = await bench.say('/run printf "hello\\n"; exit 3')
    const [command] = toolCalls(await bench.entries())
    expect(command).toMatchObject({
      tool: 'run_command',
      status: 'failed',
      result: { kind: 'command', exitCode: 3 },
      output: { tail: 'hello\n', tailOffset: 0, sizeBytes: 6 },
      error: null,
      stepId: null,
    })
    expect(await bench.turn(turnId)).toMatchObject({ mode: 'direct', status: 'finished', usage: null })
    expect(await bench.title()).toBe('printf "hello\\n"; exit 3')
  })

  it('O3: a message that needs no tool starts no sandbox; the response says how to connect a model', async () => {
    bench.sandbox.fails = new Error('nobody may ask for the sandbox')
    await bench.say('What is the weather?')
    await bench.say('/help')
    expect(notices(await bench.entries())).toEqual(['connect-model', 'help'])
  })

  it('offers the message again once a model is connected, and the model responds on request', async () => {
    const turnId = await bench.say('What is 2 + 2?')
    await bench.connect()
    await bench.turns.offerModel('test-model')
    expect(notices(await bench.entries())).toEqual(['connect-model', 'model-available'])
    bench.model.reply({ text: 'Four.' })
    await bench.turns.retry(bench.threadId, { mode: 'retry' })
    await bench.turns.settled(bench.threadId)
    const entries = await bench.entries()
    expect(notices(entries)).toEqual([])
    expect(texts(entries).map((entry) => entry.text)).toEqual(['Four.'])
    expect(await bench.turn(turnId)).toMatchObject({ mode: 'agent', status: 'finished' })
  })
})

describe('a turn with a model', () => {
  it('shows the response as it arrives, in order, each piece once, and counts its usage', async () => {
    await bench.connect({ inputUsdPerMillion: 2, outputUsdPerMillion: 10 })
    bench.model.reply({ text: ['Hel', 'lo ', 'there'], usage: { inputTokens: 1000, outputTokens: 100 } })
    const turnId = await bench.say('Hi')
    const entries = await bench.entries()
    expect(entries.map((entry) => entry.kind)).toEqual(['user-message', 'text'])
    expect(texts(entries)[0]).toMatchObject({ text: 'Hello there', status: 'done' })
    const turn = await bench.turn(turnId)
    expect(turn).toMatchObject({ status: 'finished', modelName: 'test-model', failure: null })
    expect(turn.usage).toEqual({ inputTokens: 1000, outputTokens: 100, cachedInputTokens: 0, costUsd: 0.003 })
  })

  it('runs parallel calls at the same time and returns each result under its own call', async () => {
    await bench.connect()
    await using folder = await mkdtempDisposable(join(tmpdir(), 'threadbox-calls-'))
    // Each call ends only when it has seen the other.
    const meet = (own: string, other: string) =>
      `touch ${folder.path}/${own}; until [ -e ${folder.path}/${other} ]; do sleep 0.05; done; echo ${own}`
    const [one, two] = [meet('one', 'two'), meet('two', 'one')]
    bench.model.reply({ text: 'Looking.', calls: [call(one, 'a'), call(two, 'b')] }, { text: 'Done.' })
    await bench.say('Do two things')
    const entries = await bench.entries()
    expect(toolCalls(entries).map((entry) => [entry.status, entry.output.tail])).toEqual([
      ['succeeded', 'one\n'],
      ['succeeded', 'two\n'],
    ])
    const request = bench.model.requests[1]
    const requestedCalls = request?.messages[1]?.calls ?? []
    const results = request?.messages[2]?.results ?? []
    expect(requestedCalls.map(({ input }) => input)).toEqual([{ command: one }, { command: two }])
    expect(results.map(({ id }) => id)).toEqual(requestedCalls.map(({ id }) => id))
    expect(results[0]?.text).toContain('one')
    expect(results[1]?.text).toContain('two')
  })

  it('returns a wrong call to the model as an error instead of failing the turn', async () => {
    await bench.connect()
    bench.model.reply(
      {
        calls: [
          { name: 'run_command', input: { cmd: 'ls' } },
          { name: 'fly', input: {} },
        ],
      },
      { text: 'Sorry.' },
    )
    await bench.say('Go')
    const results = bench.model.requests[1]?.messages[2]?.results ?? []
    expect(results).toHaveLength(2)
    expect(results.every((result) => result.isError)).toBe(true)
    expect(toolCalls(await bench.entries()).map((entry) => entry.status)).toEqual(['failed'])
  })

  it('names the thread by the first words immediately and by the model after the first turn', async () => {
    await bench.connect()
    bench.model.reply({ text: 'Yes.' }, { text: 'Again.' })
    await bench.send('Please look at the sales figures of the last quarter and tell me what changed')
    expect(await bench.title()).toBe('Please look at the sales figures of the last quarter and…')
    await bench.turns.settled(bench.threadId)
    await expect.poll(() => bench.title()).toBe('A scripted title')
    await bench.say('And now?')
    expect(bench.model.titleRequests).toHaveLength(1)
  })

  it('C8: the model gets what the user did by hand', async () => {
    await bench.say('/run echo by-hand > notes.txt; cat notes.txt')
    await bench.connect()
    bench.model.reply({ text: 'I see.' })
    await bench.say('What did I write?')
    expect(wholeText(bench.model.requests[0]!)).toContain('by-hand')
  })

  it.each(['anthropic', 'openai', 'google', 'openai-compatible'] as const)(
    'the key of %s is a header of its requests, and is not in what the model, a command or the conversation gets',
    async (provider) => {
      const apiKey = 'sk-known-to-the-server-only-0123456789'
      await bench.connect({ provider, apiKey })
      bench.model.reply({ calls: [call('env; cat /proc/self/environ; cat /proc/self/cmdline')] }, { text: 'Done.' })
      await bench.say('What do you know?')
      const [requestedCalls, answered] = bench.model.requests
      expect(JSON.stringify([requestedCalls?.headers, answered?.headers])).toContain(apiKey)
      const { headers: _, ...shown } = answered ?? {}
      expect(wholeText(answered ?? requestedCalls!)).toContain('PATH=')
      expect(JSON.stringify([requestedCalls?.body, shown, bench.sandbox.starts, await bench.entries()])).not.toContain(
        apiKey,
      )
      expect(await bench.stored()).not.toContain(apiKey)
    },
  )

  it('one key sent twice is one message', async () => {
    await bench.connect()
    bench.model.reply({ text: 'Once.' })
    const request = { text: 'Only once', attachmentIds: [], key: 'the-same-key' }
    const [first, second] = await Promise.all([
      bench.turns.send(bench.threadId, request),
      bench.turns.send(bench.threadId, request),
    ])
    await bench.turns.settled(bench.threadId)
    expect(second).toEqual(first)
    expect((await bench.entries()).filter((entry) => entry.kind === 'user-message')).toHaveLength(1)
  })

  it('refuses an empty message', async () => {
    await expect(bench.say('  \n ')).rejects.toMatchObject({ code: 'message.empty' })
  })
})

describe('a turn that fails', () => {
  it('keeps the partial response when the connection breaks; Retry discards it, Continue keeps it', async () => {
    await bench.connect()
    bench.model.reply({ text: ['One ', 'two ', 'three'], cutAfterPieces: 2 })
    const turnId = await bench.say('Count')
    expect(texts(await bench.entries())[0]).toMatchObject({ text: 'One two ', status: 'partial' })
    expect(await bench.turn(turnId)).toMatchObject({ status: 'failed', failure: { code: 'network' } })

    bench.model.reply({ text: ['three ', 'four'], cutAfterPieces: 1 })
    await bench.turns.retry(bench.threadId, { mode: 'continue' })
    await bench.turns.settled(bench.threadId)
    expect(texts(await bench.entries()).map((entry) => entry.text)).toEqual(['One two ', 'three '])
    expect(bench.model.requests[1]?.messages.map((message) => message.role)).toEqual(['user', 'assistant', 'user'])
    expect(bench.model.requests[1]?.messages[2]?.text).toContain('cut off')

    bench.model.reply({ text: 'Three four.' })
    await bench.turns.retry(bench.threadId, { mode: 'retry' })
    await bench.turns.settled(bench.threadId)
    expect(texts(await bench.entries()).map((entry) => entry.text)).toEqual(['One two ', 'Three four.'])
    expect(await bench.turn(turnId)).toMatchObject({ status: 'finished', failure: null })
  })

  it('says when a rate limit ends, and holds waiting messages', async () => {
    await bench.connect()
    const held = Promise.withResolvers<{ failure: 'rate-limited'; retryAfterSeconds: number }>()
    bench.model.when((request) => (request.tools.length > 0 ? held.promise : undefined))
    const before = Date.now()
    const { turnId } = await bench.send('Hello')
    await bench.model.received(1)
    await bench.send('And more')
    held.resolve({ failure: 'rate-limited', retryAfterSeconds: 30 })
    await bench.turns.settled(bench.threadId)
    const { failure } = await bench.turn(turnId)
    expect(failure).toMatchObject({ code: 'rate-limited', actions: ['retry', 'switch-model'] })
    expect(failure?.retryAt).toBeGreaterThanOrEqual(before + 30_000)
    await expect
      .poll(async () => (await bench.entries()).filter((entry) => entry.kind === 'user-message'))
      .toMatchObject([{ status: 'delivered' }, { status: 'held' }])
  })

  it('says that the model refused, or that the response was too long', async () => {
    await bench.connect()
    bench.model.reply({ text: 'No', finish: 'refusal' }, { text: 'So much', finish: 'length' })
    expect(await bench.turn(await bench.say('Bad'))).toMatchObject({ failure: { code: 'refused' } })
    expect(await bench.turn(await bench.say('Long'))).toMatchObject({
      failure: { code: 'limit-tokens', actions: ['continue', 'retry'] },
    })
  })

  it('stops at the limit of steps and continues with the full limit when continued', async () => {
    bench.dependencies.settings.maxTurnSteps = 2
    await bench.connect()
    bench.model.reply({ calls: [call('echo 1')] }, { calls: [call('echo 2')] }, { text: 'Finished.' })
    const turnId = await bench.say('Work')
    expect(await bench.turn(turnId)).toMatchObject({ status: 'failed', failure: { code: 'limit-steps' } })
    await bench.turns.retry(bench.threadId, { mode: 'continue' })
    await bench.turns.settled(bench.threadId)
    expect(await bench.turn(turnId)).toMatchObject({ status: 'finished' })
    expect(toolCalls(await bench.entries())).toHaveLength(2)
  })

  it('says why there is no sandbox available, and the model can be asked again', async () => {
    const { defineError } = await import('@threadbox/errors')
    const unavailable = defineError({
      code: 'sandbox.unavailable',
      kind: 'unavailable',
      message: () => 'The host does not answer.',
      remedy: () => 'Try again.',
    })
    bench.sandbox.fails = unavailable({})
    await bench.connect()
    bench.model.reply({ calls: [call('echo 1')] })
    const turnId = await bench.say('Work')
    expect(await bench.turn(turnId)).toMatchObject({
      failure: { code: 'sandbox', message: 'The host does not answer.' },
    })
    bench.sandbox.fails = undefined
    bench.model.reply({ text: 'Without it, then.' })
    await bench.turns.retry(bench.threadId, { mode: 'retry' })
    await bench.turns.settled(bench.threadId)
    expect(bench.model.requests[1]?.messages[2]?.results[0]).toMatchObject({ isError: true })
    expect(await bench.turn(turnId)).toMatchObject({ status: 'finished' })
  })

  it('switches to another model for the retry and says so', async () => {
    await bench.connect()
    const other = await bench.connect({ provider: 'openai' })
    bench.model.reply({ failure: 'overloaded' }, { text: 'Here.' })
    const turnId = await bench.say('Hello')
    await bench.turns.retry(bench.threadId, { mode: 'retry', modelId: other.id })
    await bench.turns.settled(bench.threadId)
    expect(bench.model.requests.map((request) => request.protocol)).toEqual(['anthropic', 'openai'])
    expect(notices(await bench.entries())).toEqual(['model-switched'])
    expect(await bench.turn(turnId)).toMatchObject({ status: 'finished', modelId: other.id })
  })
})
