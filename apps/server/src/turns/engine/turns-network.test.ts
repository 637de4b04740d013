import { afterEach, beforeEach, expect, test } from 'vitest'
import { withRefusedNames } from './refused-names.logic.ts'
import { makeTestBench, type TestBench } from './turns.test-utils.ts'

let bench: TestBench
beforeEach(async () => {
  bench = await makeTestBench()
})
afterEach(() => bench[Symbol.asyncDispose]())

test('the model gets one line with what the network policy refused during a call, and none otherwise', async () => {
  await bench.connect()
  const within: number[] = []
  const refused = [['example.org', 'b.example.org'], []]
  bench.dependencies.sandbox.refusedNames = async (threadId, withinMs) => {
    expect(threadId).toBe(bench.threadId)
    within.push(withinMs)
    return refused.shift() ?? []
  }
  const call = (command: string) => ({ calls: [{ name: 'run_command', input: { command } }] })
  bench.model.reply(call('sleep 0.2; echo tried; exit 6'))
  bench.model.reply(call('echo fine'))
  bench.model.reply({ text: 'Done' })
  await bench.say('Fetch it')
  const [first, second] = bench.model.requests.slice(1).map(({ messages }) => messages.at(-1)?.results[0]?.text)
  expect(first).toContain('tried')
  expect(first?.split('\n').at(-1)).toBe('blocked by the network policy: example.org, b.example.org')
  expect(second).not.toContain('blocked')
  expect(within[0]).toBeGreaterThan(200)
})

test('many names are counted', () => {
  const names = Array.from({ length: 12 }, (_, index) => `n${index}.org`)
  expect(withRefusedNames({ text: '', isError: false }, names).text).toMatch(/n9\.org, and 2 more$/)
})
