import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { compactionsOf, haveLongConversation, scriptSmallModel, windowTokens } from './small-window.test-utils.ts'
import { makeTestBench, type TestBench } from './turns.test-utils.ts'

let bench: TestBench
beforeEach(async () => {
  bench = await makeTestBench()
})
afterEach(() => bench[Symbol.asyncDispose]())

const compactions = () => compactionsOf(bench)

describe('a long conversation on a small window', () => {
  it('keeps working over many turns; early decisions and files are in the last request', async () => {
    await haveLongConversation(bench, 60)
  }, 60_000)

  it('one turn of many steps is compacted within itself and keeps the request verbatim', async () => {
    scriptSmallModel(bench)
    await bench.connect({ provider: 'anthropic', contextTokens: windowTokens })
    for (let step = 1; step <= 30; step++) {
      bench.model.reply({ calls: [{ name: 'run_command', input: { command: `seq 1 400 # step ${step}` } }] })
    }
    bench.model.reply({ text: 'All thirty are done.' })
    const turnId = await bench.say('Run thirty steps and count to 400 in each.')
    expect(await bench.turn(turnId)).toMatchObject({ status: 'finished' })
    expect((await compactions()).length).toBeGreaterThan(1)
    const last = bench.model.requests.at(-1)
    expect(last?.messages[0]?.text).toContain('Run thirty steps and count to 400 in each.')
    const calledIds = last?.messages.flatMap((message) => message.calls.map((call) => call.id)) ?? []
    const answered = last?.messages.flatMap((message) => message.results.map((result) => result.id)) ?? []
    expect(answered).toEqual(calledIds)
  }, 60_000)

  it('compacts when the provider reports a full window that the estimate missed', async () => {
    await bench.connect({ provider: 'openai', contextTokens: 100_000 })
    bench.model.reply({ text: 'One.' }, { text: 'Two.' })
    await bench.say('First')
    await bench.say('Second')
    bench.model.reply({ failure: 'context-full' }, { text: 'A summary.' }, { text: 'Three.' })
    const turnId = await bench.say('Third')
    expect(await bench.turn(turnId)).toMatchObject({ status: 'finished', failure: null })
    expect(await compactions()).toHaveLength(1)
  })

  it('fails with a full window when compacting does not help', async () => {
    await bench.connect({ provider: 'openai', contextTokens: 100_000 })
    bench.model.when((request) => (request.tools.length > 0 ? { failure: 'context-full' } : { text: 'Summary' }))
    const turnId = await bench.say('Too much')
    expect(await bench.turn(turnId)).toMatchObject({ status: 'failed', failure: { code: 'context-full' } })
  })
})
