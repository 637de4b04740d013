import type { Entry, NoticeEntry, ToolCallEntry } from '@threadbox/protocol/public'
import { applyThreadEvent, threadStateOf } from '@threadbox/protocol/public'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sandboxNotReady } from '../../sandboxes/state/sandboxes.errors.ts'
import { outputKey } from '../../threads/attachments/stored-output.ts'
import { beginTurn } from './begin-turn.ts'
import { makeTestBench, type TestBench } from './turns.test-utils.ts'

let bench: TestBench
beforeEach(async () => {
  bench = await makeTestBench()
})
afterEach(() => bench[Symbol.asyncDispose]())

const toolCalls = (entries: Entry[]) => entries.filter((entry): entry is ToolCallEntry => entry.kind === 'tool-call')
const codes = (entries: Entry[]) =>
  entries.filter((entry): entry is NoticeEntry => entry.kind === 'notice').map((entry) => entry.code)
const onlyCall = async () => toolCalls(await bench.entries())[0]
const outputOf = async (callId: string) => {
  const blob = await bench.dependencies.blobs.get(outputKey({ threadId: bench.threadId, id: callId }))
  return blob === undefined ? '' : await new Response(blob.stream).text()
}

/** Waits for a file in the sandbox, so that a test decides when a command continues. */
const gate = (name: string) => `while [ ! -e ${name} ]; do sleep 0.02; done`
const open = (name: string) =>
  bench.sandbox.awake(bench.threadId, { reason: 'turn' }).then((sandbox) => sandbox.upload(name, new Uint8Array([1])))

describe('a connection to the sandbox that breaks', () => {
  it('is opened again, and every byte of the output arrives once', async () => {
    const { turnId } = await bench.send(
      `/run for i in 1 2 3; do seq $((i * 1000)) $((i * 1000 + 999)); ${gate('go')}; done`,
    )
    await expect.poll(async () => bench.sandbox.acknowledged.size).toBe(1)
    bench.sandbox.cutConnections()
    await open('/home/user/go')
    await bench.turns.settled(bench.threadId)
    const command = await onlyCall()
    const lines = (await outputOf(command?.id ?? '')).trimEnd().split('\n')
    expect(lines).toEqual(Array.from({ length: 3000 }, (_, index) => String(1000 + index)))
    expect(command).toMatchObject({ status: 'succeeded', output: { sizeBytes: 15_000 } })
    expect(await bench.turn(turnId)).toMatchObject({ status: 'finished' })
    expect(bench.sandbox.starts).toHaveLength(1)
  })

  it('says that it is unknown how far a command got when its boot is gone, and never repeats it', async () => {
    await bench.connect()
    bench.model.reply(
      { calls: [{ name: 'run_command', input: { command: `echo started; ${gate('never')}` } }] },
      { text: 'I will look.' },
    )
    await bench.send('Do it')
    await expect.poll(async () => (await onlyCall())?.status).toBe('running')
    await expect.poll(async () => outputOf((await onlyCall())?.id ?? '')).toBe('started\n')
    bench.sandbox.crash()
    await bench.turns.settled(bench.threadId)
    expect(await onlyCall()).toMatchObject({
      status: 'interrupted',
      error: { code: 'call.interrupted' },
      output: { tail: 'started\n' },
    })
    expect(codes(await bench.entries())).toEqual(['call-interrupted'])
    const result = bench.model.requests[1]?.messages[2]?.results[0]
    expect(result?.text).toContain('started')
    expect(result?.text).toContain('it’s unknown how far it got')
    expect(bench.sandbox.starts).toHaveLength(1)
  })
})

describe('a command in a sandbox that is believed to be ready', () => {
  const recorded = async () => {
    await bench.say('/run true')
    const ids = { entryId: bench.dependencies.system.newId('entry'), turnId: bench.dependencies.system.newId('turn') }
    const message = {
      threadId: bench.threadId,
      ...ids,
      text: '/run echo x >> effects',
      attachments: [],
      note: null,
      noteCodes: [],
      isUnattended: false,
      authorId: null,
      firstModelId: null,
    }
    await beginTurn(bench.dependencies, { message, startsAtOnce: true })
    return async () => toolCalls(await bench.entries()).find((call) => call.turnId === ids.turnId)
  }

  it('is recorded as running, with its boot, together with its message', async () => {
    const call = await recorded()
    expect(await call()).toMatchObject({ status: 'running', startedAt: expect.any(Number) })
    expect(await bench.dependencies.store.call(bench.threadId, (await call())?.id ?? '')).toMatchObject({
      status: 'running',
      bootId: 'b-1',
    })
  })

  it('that was recorded before a crash and never started runs once, in the same boot', async () => {
    const call = await recorded()
    await bench.restart()
    await bench.turns.settled(bench.threadId)
    expect(await call()).toMatchObject({ status: 'succeeded' })
    expect(bench.sandbox.starts).toHaveLength(2)
  })

  it('that was recorded before a crash does not run in another boot, and is marked', async () => {
    const call = await recorded()
    bench.sandbox.crash()
    await bench.restart()
    await bench.turns.settled(bench.threadId)
    expect(await call()).toMatchObject({ status: 'interrupted', error: { code: 'call.interrupted' } })
    expect(bench.sandbox.starts).toHaveLength(1)
  })

  it('runs once in the next boot when its own boot ended unnoticed', async () => {
    await bench.say('/run true')
    bench.sandbox.crashUnheard()
    await bench.say('/run echo found')
    const call = toolCalls(await bench.entries())[1]
    expect(call).toMatchObject({ status: 'succeeded', output: { tail: 'found\n' } })
    expect(await bench.dependencies.store.call(bench.threadId, call?.id ?? '')).toMatchObject({ bootId: 'b-2' })
    expect(codes(await bench.entries())).toEqual([])
    expect(bench.sandbox.starts).toHaveLength(2)
  })

  it('fails with the reason when no other boot is available', async () => {
    await bench.say('/run true')
    bench.sandbox.crashUnheard()
    bench.sandbox.fails = sandboxNotReady({ state: 'error' })
    const turnId = await bench.say('/run true')
    expect(toolCalls(await bench.entries())[1]).toMatchObject({
      status: 'failed',
      error: { code: 'sandbox.not-ready' },
    })
    expect(await bench.turn(turnId)).toMatchObject({ status: 'failed', failure: { code: 'sandbox' } })
  })
})

describe('a command whose sandbox sleeps', () => {
  it('has it begin to wake before the message is recorded, and not again while it is believed to be ready', async () => {
    const recordedBefore: Promise<Entry[]>[] = []
    bench.sandbox.wakeAhead = () => void recordedBefore.push(bench.entries())
    await bench.say('/run true')
    await bench.say('/run true')
    expect(await Promise.all(recordedBefore)).toEqual([[]])
  })
})

describe('a command that has gone silent', () => {
  it('shows its previous output to readers who open the conversation while it runs', async () => {
    await bench.send(`/run echo ready on port 8000; ${gate('go')}`)
    await expect.poll(async () => (await onlyCall())?.output.tail, { timeout: 5000 }).toBe('ready on port 8000\n')
    expect((await onlyCall())?.status).toBe('running')
    await open('/home/user/go')
    await bench.turns.settled(bench.threadId)
    expect(await onlyCall()).toMatchObject({ status: 'succeeded', output: { tail: 'ready on port 8000\n' } })
  })
})

describe('a command that prints for a while', () => {
  it('is complete for a reader that follows it, although its record is rewritten in between', async () => {
    const page = await bench.dependencies.log.page(bench.threadId, { before: null, limit: 10 })
    const stop = new AbortController()
    let state = threadStateOf(page)
    const sizes: number[] = []
    const following = (async () => {
      for await (const event of bench.dependencies.log.read(bench.threadId, { afterSeq: 0, signal: stop.signal })) {
        state = applyThreadEvent(state, event)
        const output = toolCalls([...state.entries])[0]?.output
        if (output === undefined) continue
        expect(output.tailOffset + Buffer.byteLength(output.tail)).toBe(output.sizeBytes)
        if (output.tailOffset === 0) expect(output.tail.startsWith('1\n') || output.tail === '').toBe(true)
        sizes.push(output.sizeBytes)
      }
    })()
    await bench.say('/run for i in $(seq 1 60); do echo $i; sleep 0.05; done')
    await expect.poll(() => toolCalls([...state.entries])[0]?.status).toBe('succeeded')
    stop.abort()
    await following
    expect(toolCalls([...state.entries])[0]?.output).toMatchObject({ tailOffset: 0, sizeBytes: 171 })
    expect(new Set(sizes).size).toBeGreaterThan(10)
  })
})

describe('a start after a crash', () => {
  /** Closes the engine with the record as it is, and starts another engine on the record. */
  async function crashAndRecover() {
    await bench.restart()
    await bench.turns.settled(bench.threadId)
  }

  it('continues to read a command that was running, from where its output was stored', async () => {
    await bench.send(`/run seq 1 500; ${gate('go')}; seq 501 1000`)
    await expect.poll(async () => (await outputOf((await onlyCall())?.id ?? '')).endsWith('\n500\n')).toBe(true)
    const recovered = crashAndRecover()
    await open('/home/user/go')
    await recovered
    const lines = (await outputOf((await onlyCall())?.id ?? '')).trimEnd().split('\n')
    expect(lines).toEqual(Array.from({ length: 1000 }, (_, index) => String(index + 1)))
    expect(bench.sandbox.starts).toHaveLength(1)
    expect(await onlyCall()).toMatchObject({ status: 'succeeded' })
  })

  it('discards a model step without a running request, says so, and asks the model again', async () => {
    await bench.connect()
    const { store, log } = bench.dependencies
    bench.model.reply({ text: 'Whole.' })
    const turnId = await bench.say('Hello')
    // The state in the middle of the first response: a step that is asking, with text that was shown.
    const shown = (await bench.entries()).find((entry) => entry.kind === 'text') as Entry
    const turn = await store.turn(turnId)
    await store.changeStep(turn?.steps[0]?.id ?? '', { status: 'asking', isFinal: false }, store.writer)
    await store.changeTurn(turnId, { status: 'running' }, store.writer)
    await log.append(bench.threadId, [{ type: 'entry-updated', entry: { ...shown, status: 'streaming' } as Entry }])
    bench.model.reply({ text: 'Asked again.' })
    await crashAndRecover()
    const entries = await bench.entries()
    expect(entries.map((entry) => (entry.kind === 'notice' ? entry.code : 'text' in entry ? entry.text : ''))).toEqual([
      'Hello',
      'step-discarded',
      'Asked again.',
    ])
    expect(bench.model.requests).toHaveLength(2)
    expect(bench.model.requests[1]?.messages).toHaveLength(1)
  })

  it('starts calls that were recorded and not started, and leaves finished ones alone', async () => {
    await bench.connect()
    const { store } = bench.dependencies
    bench.model.reply(
      {
        calls: [
          { name: 'run_command', input: { command: 'echo first >> effects.txt' } },
          { name: 'run_command', input: { command: 'echo second >> effects.txt' } },
        ],
      },
      { text: 'Both done.' },
    )
    const turnId = await bench.say('Do both')
    const turn = await store.turn(turnId)
    const [, second] = turn?.steps[0]?.calls ?? []
    await store.changeCall(second?.id ?? '', { status: 'waiting', output: null, bootId: null }, store.writer)
    await store.changeStep(turn?.steps[1]?.id ?? '', { status: 'discarded' }, store.writer)
    await store.changeTurn(turnId, { status: 'running' }, store.writer)
    bench.model.reply({ text: 'Both done.' })
    await crashAndRecover()
    const command = { text: '/run sort effects.txt | uniq -c | tr -s " "', attachmentIds: [], key: 'count-effects' }
    await bench.turns.send(bench.threadId, command)
    await bench.turns.settled(bench.threadId)
    expect(toolCalls(await bench.entries()).at(-1)?.output.tail).toBe(' 1 first\n 2 second\n')
  })

  it('ends a command that was to be stopped when the server died', async () => {
    await bench.send(`/run echo up; ${gate('never')}`)
    await expect.poll(async () => outputOf((await onlyCall())?.id ?? '')).toBe('up\n')
    const { store } = bench.dependencies
    const turnId = (await store.runningTurn(bench.threadId)) ?? ''
    await store.changeTurn(turnId, { isStopRequested: true }, store.writer)
    await crashAndRecover()
    expect(await onlyCall()).toMatchObject({ status: 'stopped', output: { tail: 'up\n' } })
    expect(await bench.turn(turnId)).toMatchObject({ status: 'stopped' })
  })

  it('delivers messages that waited behind a turn that had ended', async () => {
    const { queue, log, store, system } = bench.dependencies
    const entry = {
      id: system.newId('entry'),
      turnId: system.newId('turn'),
      at: 1,
      kind: 'user-message' as const,
      text: '/run echo late',
      attachments: [],
      status: 'queued' as const,
    }
    await log.append(bench.threadId, [{ type: 'entry-added', entry }])
    await queue.add(
      {
        entryId: entry.id,
        threadId: bench.threadId,
        turnId: entry.turnId,
        position: 1,
        status: 'queued',
        text: entry.text,
        attachments: [],
        isUnattended: false,
        authorId: null,
        createdAt: 1,
      },
      store.writer,
    )
    await crashAndRecover()
    expect(await onlyCall()).toMatchObject({ status: 'succeeded', output: { tail: 'late\n' } })
  })
})
