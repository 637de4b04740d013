import type { Entry, NoticeEntry, TextEntry, ToolCallEntry, UserMessageEntry } from '@threadbox/protocol/public'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeTestBench, type TestBench } from './turns.test-utils.ts'

let bench: TestBench
beforeEach(async () => {
  bench = await makeTestBench()
})
afterEach(() => bench[Symbol.asyncDispose]())

const call = (command: string) => ({ name: 'run_command', input: { command } })
const toolCalls = (entries: Entry[]) => entries.filter((entry): entry is ToolCallEntry => entry.kind === 'tool-call')
const texts = (entries: Entry[]) => entries.filter((entry): entry is TextEntry => entry.kind === 'text')
const users = (entries: Entry[]) => entries.filter((entry): entry is UserMessageEntry => entry.kind === 'user-message')
const codes = (entries: Entry[]) =>
  entries.filter((entry): entry is NoticeEntry => entry.kind === 'notice').map((entry) => entry.code)
const running = (status: string) => () =>
  bench.entries().then((entries) => toolCalls(entries).filter((entry) => entry.status === status).length)

/** A response that sends its first piece and then waits. */
function heldAnswer(first: string) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const text = (async function* () {
    yield first
    await promise
  })()
  return { text, release: resolve }
}

describe('Stop', () => {
  it('ends the model call within a second, closes its connection and keeps the received text', async () => {
    await bench.connect()
    const held = heldAnswer('The first words')
    bench.model.reply({ text: held.text })
    const { turnId } = await bench.send('Tell me a story')
    await expect.poll(async () => texts(await bench.entries())[0]?.text).toBe('The first words')
    const stoppedAt = Date.now()
    await bench.turns.stop(bench.threadId)
    expect(Date.now() - stoppedAt).toBeLessThan(1000)
    expect(await bench.model.requests[0]?.closedEarly).toBe(true)
    held.release()
    expect(await bench.turn(turnId)).toMatchObject({ status: 'stopped', failure: null })
    expect(texts(await bench.entries())[0]).toMatchObject({ status: 'partial', text: 'The first words' })
    expect(codes(await bench.entries())).toEqual(['turn-stopped'])
  })

  it('ends the command with its children within a second; calls that had not started are not started', async () => {
    await bench.connect()
    bench.model.reply({ calls: [call('trap "" TERM; (trap "" TERM; sleep 60) & echo up; wait')] })
    const { turnId } = await bench.send('Run it')
    await expect.poll(async () => toolCalls(await bench.entries())[0]?.output.tail).toBe('up\n')
    const stoppedAt = Date.now()
    await bench.turns.stop(bench.threadId)
    expect(Date.now() - stoppedAt).toBeLessThan(1000)
    const [command] = toolCalls(await bench.entries())
    expect(command).toMatchObject({ status: 'stopped', error: { code: 'call.stopped' }, output: { tail: 'up\n' } })
    expect(await bench.turn(turnId)).toMatchObject({ status: 'stopped' })
  })

  it.each(['anthropic', 'openai', 'google', 'openai-compatible'] as const)(
    'leaves a conversation that %s accepts: every call has its result',
    async (provider) => {
      await bench.connect({ provider })
      bench.model.reply({ text: 'Two.', calls: [call('echo done'), call('echo up; sleep 60')] }, { text: 'Fine.' })
      await bench.send('Run both')
      await expect.poll(running('succeeded')).toBe(1)
      await expect.poll(async () => toolCalls(await bench.entries())[1]?.output.sizeBytes).toBeDefined()
      await bench.turns.stop(bench.threadId)
      await bench.say('Go on')
      const messages = bench.model.requests[1]?.messages ?? []
      const calledIds = messages.flatMap((message) => message.calls.map((one) => one.id))
      const answered = messages.flatMap((message) => message.results.map((result) => result.id))
      expect(calledIds).toHaveLength(2)
      expect(answered).toEqual(calledIds)
      expect(messages.at(-1)?.text).toContain('stopped you')
    },
  )

  it('without a running turn, or a second time, does nothing', async () => {
    await bench.turns.stop(bench.threadId)
    await bench.connect()
    const held = heldAnswer('A')
    bench.model.reply({ text: held.text })
    await bench.send('x')
    await Promise.all([bench.turns.stop(bench.threadId), bench.turns.stop(bench.threadId)])
    held.release()
    expect(codes(await bench.entries())).toEqual(['turn-stopped'])
  })
})

describe('the queue', () => {
  it('delivers waiting messages in order, each directly before its response', async () => {
    await bench.connect()
    const held = heldAnswer('First answer')
    bench.model.reply({ text: held.text }, { text: 'Second answer' }, { text: 'Third answer' })
    await bench.send('one')
    await bench.model.received(1)
    await bench.send('two')
    await bench.send('three')
    expect(users(await bench.entries()).map((entry) => entry.status)).toEqual(['delivered', 'queued', 'queued'])
    held.release()
    await bench.model.received(3)
    await expect.poll(async () => texts(await bench.entries()).length).toBe(3)
    const shown = (await bench.entries()).flatMap((entry) => ('text' in entry ? [entry.text] : []))
    expect(shown).toEqual(['one', 'First answer', 'two', 'Second answer', 'three', 'Third answer'])
  })

  it('can be edited, reordered and shortened while it waits; Stop holds it until it is resumed', async () => {
    await bench.connect()
    const held = heldAnswer('Working')
    bench.model.reply({ text: held.text })
    await bench.send('one')
    await bench.model.received(1)
    const two = await bench.send('two')
    const three = await bench.send('three')
    const four = await bench.send('four')
    await bench.turns.editQueued(bench.threadId, two.entryId, 'two, better')
    await bench.turns.removeQueued(bench.threadId, three.entryId)
    await bench.turns.reorderQueue(bench.threadId, [four.entryId, two.entryId])
    await expect(bench.turns.reorderQueue(bench.threadId, [four.entryId])).rejects.toMatchObject({
      code: 'queue.changed',
    })
    await expect(bench.turns.editQueued(bench.threadId, three.entryId, 'x')).rejects.toMatchObject({
      code: 'message.not-found',
    })
    await bench.turns.stop(bench.threadId)
    held.release()
    await expect
      .poll(async () => users(await bench.entries()).map((entry) => [entry.text, entry.status]))
      .toEqual([
        ['one', 'delivered'],
        ['four', 'held'],
        ['two, better', 'held'],
      ])
    bench.model.reply({ text: 'A4' }, { text: 'A2' })
    await bench.turns.resumeQueue(bench.threadId)
    await bench.model.received(3)
    await bench.turns.settled(bench.threadId)
    expect(bench.model.requests.slice(1).map((request) => request.messages.at(-1)?.text)).toEqual(
      expect.arrayContaining([expect.stringContaining('two, better')]),
    )
    await expect(bench.turns.editQueued(bench.threadId, two.entryId, 'late')).rejects.toMatchObject({
      code: 'message.not-queued',
    })
  })
})

describe('an earlier message', () => {
  it('is sent again with another text; later messages are removed, and the model is notified that effects stay', async () => {
    await bench.connect()
    bench.model.reply({ calls: [call('echo made > made.txt')] }, { text: 'Made it.' }, { text: 'Second.' })
    await bench.say('Make a file')
    await bench.say('And another')
    const [first] = users(await bench.entries())
    bench.model.reply({ text: 'Made a folder.' })
    await bench.turns.editAndResend(bench.threadId, { entryId: first?.id ?? '', text: 'Make a folder' })
    await bench.turns.settled(bench.threadId)
    const entries = await bench.entries()
    expect(entries.map((entry) => ('text' in entry ? entry.text : entry.kind))).toEqual([
      'Make a folder',
      'Made a folder.',
    ])
    const request = bench.model.requests.at(-1)
    expect(request?.messages).toHaveLength(1)
    expect(request?.messages[0]?.text).toContain('effects on the sandbox')
  })

  it('cannot be changed while a turn runs, or when it does not exist', async () => {
    await bench.connect()
    const held = heldAnswer('…')
    bench.model.reply({ text: held.text })
    const { entryId } = await bench.send('one')
    await bench.model.received(1)
    await expect(bench.turns.editAndResend(bench.threadId, { entryId, text: 'x' })).rejects.toMatchObject({
      code: 'turn.running',
    })
    await expect(bench.turns.retry(bench.threadId, { mode: 'retry' })).rejects.toMatchObject({ code: 'turn.running' })
    await expect(bench.turns.editAndResend(bench.threadId, { entryId: 'e-none', text: 'x' })).rejects.toMatchObject({
      code: 'message.not-found',
    })
    await bench.turns.stop(bench.threadId)
    held.release()
  })

  it('a command is repeated as the user; other calls are rejected', async () => {
    await bench.connect()
    bench.model.reply(
      { calls: [call('echo again >> log.txt; wc -l < log.txt'), { name: 'list_files', input: {} }] },
      { text: 'Done.' },
    )
    await bench.say('Log it')
    const [command, listing] = toolCalls(await bench.entries())
    const { turnId } = await bench.turns.runAgain(bench.threadId, command?.id ?? '')
    await bench.turns.settled(bench.threadId)
    expect(
      toolCalls(await bench.entries())
        .at(-1)
        ?.output.tail.trim(),
    ).toBe('2')
    expect(await bench.turn(turnId)).toMatchObject({ mode: 'direct', status: 'finished' })
    await expect(bench.turns.runAgain(bench.threadId, listing?.id ?? '')).rejects.toMatchObject({
      code: 'call.not-repeatable',
    })
    await expect(bench.turns.runAgain(bench.threadId, 'c-none')).rejects.toMatchObject({ code: 'call.not-found' })
  })
})
