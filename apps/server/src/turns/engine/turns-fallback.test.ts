import type { Entry, NoticeEntry, TextEntry } from '@threadbox/protocol/public'
import type { ModelReply } from '@threadbox/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeTestBench, type TestBench } from './turns.test-utils.ts'

let bench: TestBench
beforeEach(async () => {
  bench = await makeTestBench()
})
afterEach(() => bench[Symbol.asyncDispose]())

const protocols = ['anthropic', 'openai', 'google'] as const
type Protocol = (typeof protocols)[number]

/** Connects one model of each provider, in this order; each is taken over by those after it. */
async function connectAll(order: readonly Protocol[] = protocols) {
  const ids: string[] = []
  for (const provider of order.toReversed()) {
    const { id } = await bench.connect({ provider, name: provider, fallbackIds: [...ids] })
    ids.unshift(id)
  }
  await bench.dependencies.models.update(ids[0] ?? '', { isDefault: true })
  return ids
}

/** What each provider answers, whatever the order of requests. */
function script(replies: Partial<Record<Protocol, ModelReply>>): void {
  bench.model.when((request) => (request.tools.length > 0 ? replies[request.protocol as Protocol] : undefined))
}

const asked = () => bench.model.requests.map(({ protocol }) => protocol)
const fallbacks = (entries: Entry[]) =>
  entries.filter((entry): entry is NoticeEntry => entry.kind === 'notice' && entry.code === 'model-fallback')
const texts = (entries: Entry[]) =>
  entries.filter((entry): entry is TextEntry => entry.kind === 'text').map((entry) => entry.text)

describe('when a model can’t respond', () => {
  it.each(protocols)(
    '%s: the next one responds, the conversation says why, and nothing is shown twice',
    async (first) => {
      const others = protocols.filter((protocol) => protocol !== first)
      await connectAll([first, ...others])
      const [second = 'openai'] = others
      const causes = [
        [{ failure: 'rate-limited', retryAfterSeconds: 30 }, 'rate-limited'],
        [{ failure: 'overloaded' }, 'overloaded'],
      ] as const
      for (const [reply, cause] of causes) {
        const before = bench.model.requests.length
        script({ [first]: reply, [second]: { text: 'Here.' } })
        const turn = await bench.turn(await bench.say('Hello'))
        expect(turn).toMatchObject({ status: 'finished', modelName: second, failure: null })
        expect(asked().slice(before)).toEqual([first, second])
        const entries = (await bench.entries()).filter((entry) => entry.turnId === turn.id)
        expect(texts(entries)).toEqual(['Here.'])
        expect(fallbacks(entries)).toMatchObject([{ params: { from: first, to: second, cause } }])
      }
    },
  )

  it('a lost connection before the first word counts too; after it, the part is kept and no other model is asked', async () => {
    await connectAll()
    script({ anthropic: { failure: 'cut' }, openai: { text: 'Here.' } })
    expect(await bench.turn(await bench.say('Hello'))).toMatchObject({ status: 'finished', modelName: 'openai' })
    script({ anthropic: { text: ['One ', 'two'], cutAfterPieces: 1 }, openai: { text: 'Never.' } })
    const turn = await bench.turn(await bench.say('Count'))
    expect(turn).toMatchObject({ status: 'failed', modelName: 'anthropic', failure: { code: 'network' } })
    expect(texts(await bench.entries())).not.toContain('Never.')
  })

  it('two of three that can’t respond lead to the third, which stays for the turn; the next turn begins with the first', async () => {
    await connectAll()
    bench.model.when((request) => {
      if (request.tools.length === 0) return undefined
      if (request.protocol !== 'google') return { failure: 'overloaded' }
      const isDone = request.messages.some(({ results }) => results.length > 0)
      return isDone ? { text: 'Done.' } : { calls: [{ name: 'run_command', input: { command: 'echo once >> ran' } }] }
    })
    expect(await bench.turn(await bench.say('Work'))).toMatchObject({ status: 'finished', modelName: 'google' })
    expect(asked()).toEqual(['anthropic', 'openai', 'google', 'google'])
    script({ anthropic: { text: 'Back.' } })
    await bench.say('And now?')
    expect(asked().at(-1)).toBe('anthropic')
    const calls = (await bench.entries()).filter((entry) => entry.kind === 'tool-call')
    expect(calls).toHaveLength(1)
  })

  it.each([
    ['a refusal', { text: 'No', finish: 'refusal' }, 'refused'],
    ['a wrong key', { failure: 'wrong-key' }, 'wrong-key'],
    ['an unknown model', { failure: 'unknown-model' }, 'internal'],
    ['a limit that ends soon', { failure: 'rate-limited', retryAfterSeconds: 5 }, 'rate-limited'],
    ['a response that is too long', { text: 'So much', finish: 'length' }, 'limit-tokens'],
    ['a full window', { failure: 'context-full' }, 'context-full'],
  ] as const)('%s asks no other model', async (_, reply, code) => {
    await connectAll()
    script({ anthropic: reply, openai: { text: 'Never.' } })
    const turn = await bench.turn(await bench.say('Hello'))
    expect(turn).toMatchObject({ status: 'failed', failure: { code } })
    expect(new Set(asked())).toEqual(new Set(['anthropic']))
    expect(fallbacks(await bench.entries())).toEqual([])
  })

  it('says what is wrong with the last one when none can', async () => {
    await connectAll()
    script({
      anthropic: { failure: 'overloaded' },
      openai: { failure: 'overloaded' },
      google: { failure: 'rate-limited', retryAfterSeconds: 60 },
    })
    expect(await bench.turn(await bench.say('Hello'))).toMatchObject({
      status: 'failed',
      modelName: 'google',
      failure: { code: 'rate-limited' },
    })
    expect(asked()).toEqual(['anthropic', 'openai', 'google'])
  })

  it('after three failures within a minute it is not asked for a while', async () => {
    await connectAll()
    script({ anthropic: { failure: 'overloaded' }, openai: { text: 'Here.' } })
    for (let turn = 0; turn < 4; turn++) await bench.say('Hello')
    expect(asked()).toEqual(['anthropic', 'openai', 'anthropic', 'openai', 'anthropic', 'openai', 'openai'])
    expect(fallbacks(await bench.entries()).map(({ params }) => params.cause)).toEqual([
      'overloaded',
      'overloaded',
      'overloaded',
      'circuit',
    ])
  })

  it('skips models that don’t see the images of the message, or whose window is too small', async () => {
    const seeing = await bench.connect({ provider: 'google', name: 'google' })
    const blind = await bench.connect({ provider: 'openai', name: 'openai', supportsImages: false })
    const small = await bench.connect({ provider: 'openai-compatible', name: 'small', contextTokens: 1024 })
    const fallbackIds = [small.id, blind.id, seeing.id]
    const first = await bench.connect({ provider: 'anthropic', name: 'anthropic', fallbackIds })
    await bench.dependencies.models.update(first.id, { isDefault: true })
    script({ anthropic: { failure: 'overloaded' }, google: { text: 'I see.' }, openai: { text: 'I read.' } })
    expect(await bench.turn(await bench.say('x'.repeat(12_000)))).toMatchObject({ modelName: 'openai' })
    const image = { id: 'a1', name: 'cat.png', mediaType: 'image/png', sizeBytes: 10 }
    bench.attachments.set(image.id, image as never)
    const key = 'with-image'
    const { turnId } = await bench.turns.send(bench.threadId, { text: 'Look', attachmentIds: [image.id], key })
    await bench.turns.settled(bench.threadId)
    expect(await bench.turn(turnId)).toMatchObject({ modelName: 'google' })
  })
})

it('with one provider only, no other one gets the conversation', async () => {
  await bench[Symbol.asyncDispose]()
  bench = await makeTestBench({ staysWithProvider: true })
  await connectAll()
  script({ anthropic: { failure: 'overloaded' }, openai: { text: 'Never.' } })
  expect(await bench.turn(await bench.say('Hello'))).toMatchObject({
    status: 'failed',
    failure: { code: 'overloaded' },
  })
  expect(asked()).toEqual(['anthropic'])
})

it('models that take over are other connected ones, each once; a removed one is skipped', async () => {
  const [first = '', second = '', third = ''] = await connectAll()
  const { models } = bench.dependencies
  for (const fallbackIds of [[first], [second, second], ['m-gone']]) {
    await expect(models.update(first, { fallbackIds })).rejects.toMatchObject({ code: 'model.fallback-invalid' })
  }
  await models.disconnect(second)
  script({ anthropic: { failure: 'overloaded' }, google: { text: 'Here.' } })
  expect(await bench.turn(await bench.say('Hello'))).toMatchObject({ status: 'finished', modelId: third })
})
