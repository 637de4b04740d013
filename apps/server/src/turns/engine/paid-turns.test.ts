import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { scriptSmallModel, windowTokens } from './small-window.test-utils.ts'
import { makeTestBench, type TestBench, testUserId } from './turns.test-utils.ts'
import { makeTurns } from './turns.usecases.ts'

const prices = { inputUsdPerMillion: 2, outputUsdPerMillion: 10 }

let bench: TestBench
beforeEach(async () => {
  bench = await makeTestBench()
})
afterEach(() => bench[Symbol.asyncDispose]())

const micro = ({ inputTokens, outputTokens }: { inputTokens: number; outputTokens: number }) =>
  inputTokens * prices.inputUsdPerMillion + outputTokens * prices.outputUsdPerMillion

const untilTexts = (count: number) =>
  expect.poll(async () => (await bench.entries()).filter(({ kind }) => kind === 'text')).toHaveLength(count)

/** A response that stays open after its first words. */
function heldResponse() {
  const end = Promise.withResolvers<void>()
  async function* text() {
    yield 'First words of a long response. '
    await end.promise
    yield 'The rest.'
  }
  return { text: text(), release: end.resolve }
}

describe('what a turn costs', () => {
  it('is what the provider counted, with the title, to the millionth of a dollar', async () => {
    await bench.connect(prices)
    const steps = [
      { inputTokens: 1000, outputTokens: 101 },
      { inputTokens: 2003, outputTokens: 55 },
    ]
    bench.model.reply(
      { calls: [{ name: 'run_command', input: { command: 'true' } }], usage: steps[0] ?? {} },
      { text: 'Done.', usage: steps[1] ?? {} },
    )
    bench.model.when((request) =>
      request.tools.length === 0 ? { text: 'A title', usage: { inputTokens: 77, outputTokens: 3 } } : undefined,
    )
    const turnId = await bench.say('Work')
    await expect.poll(async () => (await bench.ledger()).settled).toHaveLength(3)
    const { settled, reserved } = await bench.ledger()
    expect(reserved).toEqual([])
    expect(settled.map(({ kind, cost_micro_usd }) => [kind, cost_micro_usd]).toSorted()).toEqual([
      ['step', 2000 + 1010],
      ['step', 4006 + 550],
      ['title', 154 + 30],
    ])
    const first = settled[0]
    expect(first).toMatchObject({ user_id: testUserId, thread_id: bench.threadId, turn_id: turnId, is_estimated: 0 })
    expect(settled.every((row) => row.price_version === first?.price_version)).toBe(true)
    expect((await bench.turn(turnId)).usage?.costUsd).toBe(steps.map(micro).reduce((a, b) => a + b) / 1_000_000)
  })

  it('includes summaries of a long conversation', async () => {
    scriptSmallModel(bench)
    await bench.connect({ provider: 'openai-compatible', contextTokens: windowTokens, ...prices })
    bench.model.when((request) =>
      request.tools.length > 0 ? { text: `Answer. ${'words '.repeat(900)}`, usage: { inputTokens: 100 } } : undefined,
    )
    for (let turn = 0; turn < 6; turn++) await bench.say(`Question ${turn}`)
    const { settled, reserved } = await bench.ledger()
    expect(reserved).toEqual([])
    const summaries = settled.filter(({ kind }) => kind === 'compaction')
    expect(summaries.length).toBeGreaterThan(0)
    expect(summaries.every((row) => row.output_tokens === 50 && row.is_estimated === 0)).toBe(true)
  })

  it('is only tokens for a model without a price', async () => {
    await bench.connect({ provider: 'openai-compatible' })
    bench.model.reply({ text: 'Hello.', usage: { inputTokens: 500, outputTokens: 5 } })
    await bench.say('Hi')
    const { settled } = await bench.ledger()
    expect(settled.find(({ kind }) => kind === 'step')).toMatchObject({
      input_tokens: 500,
      cost_micro_usd: null,
      price_version: null,
    })
  })

  it('is nothing when the provider rejects the request', async () => {
    await bench.connect(prices)
    for (const failure of ['rate-limited', 'overloaded', 'wrong-key', 'internal', 'context-full'] as const) {
      bench.model.reply({ failure })
      await bench.say('Hi')
    }
    expect(await bench.ledger()).toEqual({ settled: [], reserved: [] })
  })

  it('is that of the reservation when the response is lost on the way, and the row says so', async () => {
    await bench.connect({ ...prices, contextTokens: 40_000 })
    bench.model.reply({ text: ['One ', 'two'], cutAfterPieces: 1 })
    await bench.say('Hi')
    const { settled, reserved } = await bench.ledger()
    expect(reserved).toEqual([])
    expect(settled).toMatchObject([{ kind: 'step', is_estimated: 1, output_tokens: 10_000 }])
    const row = settled[0]
    expect(row?.cost_micro_usd).toBe((row?.input_tokens ?? 0) * 2 + 10_000 * 10)
  })

  it('is what arrived when the person stops the response, or the server is stopped', async () => {
    await bench.connect(prices)
    const stopped = heldResponse()
    bench.model.reply({ text: stopped.text })
    await bench.send('Hi')
    await untilTexts(1)
    await bench.turns.stop(bench.threadId)
    await bench.turns.settled(bench.threadId)
    stopped.release()
    const held = heldResponse()
    bench.model.reply({ text: held.text }, { text: 'Again.', usage: { inputTokens: 9, outputTokens: 2 } })
    await bench.send('And now?')
    await untilTexts(2)
    await bench.restart()
    await bench.turns.settled(bench.threadId)
    held.release()
    const { settled, reserved } = await bench.ledger()
    expect(reserved).toEqual([])
    const steps = settled.filter(({ kind }) => kind === 'step')
    expect(steps.map(({ is_estimated, output_tokens }) => [is_estimated, output_tokens]).toSorted()).toEqual([
      [0, 2],
      [1, 11],
      [1, 11],
    ])
  })

  it('is that of the reservation after a kill of the server, until the count arrives after all', async () => {
    await bench.connect({ ...prices, contextTokens: 40_000 })
    const held = heldResponse()
    bench.model.reply({ text: held.text, usage: { inputTokens: 40, outputTokens: 12 } }, { text: 'Again.' })
    await bench.send('Hi')
    await untilTexts(1)
    expect((await bench.ledger()).reserved).toHaveLength(1)
    const { id } = (await bench.ledger()).reserved[0] ?? { id: '' }
    // A second engine on the record is what a new server after a kill is; the first one has no chance to record anything.
    const next = makeTurns(bench.dependencies)
    await next.recover()
    await next.settled(bench.threadId)
    const lost = async () => (await bench.ledger()).settled.find((row) => row.id === id)
    expect(await lost()).toMatchObject({ is_estimated: 1, output_tokens: 10_000 })
    expect((await bench.ledger()).reserved.filter(({ kind }) => kind === 'step')).toEqual([])
    held.release()
    await expect.poll(lost).toMatchObject({ is_estimated: 0, input_tokens: 40, output_tokens: 12 })
    await next.close()
  })
})
