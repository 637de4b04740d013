import { isFull, repeats, seeded } from '@threadbox/testkit/repeats'
import { expect, test } from 'vitest'
import { senders } from '../api-fuzz/api-under-test.ts'
import { keptApiCases } from '../api-fuzz/kept-api-cases.ts'
import { type ApiFuzzResult, fuzzApi } from '../api-fuzz/schemathesis.ts'
import { startWrongApi } from '../api-fuzz/wrong-api.ts'

const examples = repeats({ what: 'random requests to each route, from each kind of sender', byDefault: 4, full: 60 })
const fixedSeed = 1
/** Places that were compared in a run of the default set: 160 for a session. */
const fewestCompared = 140

test.each(keptApiCases())('what once failed: $sender, seed $seed', async (kept) => {
  expectPassed(await fuzzApi(kept))
})

test.each(senders)(
  'any request of %s gets a response that the document has, in 10 s, without a server error',
  async (sender) => {
    const seed = isFull ? Math.floor(seeded(sender).next() * 1_000_000) : fixedSeed
    const found = await fuzzApi({ sender, seed, examples, isWide: isFull })
    expectPassed(found)
    expect(Object.keys(found.statuses).length).toBeGreaterThan(170)
    if (sender === 'signed-out') return
    const different = Object.entries(found.compared).filter(([, [theirs, missing]]) => !sameAnswer(theirs, missing))
    expect(different).toEqual([])
    expect(Object.keys(found.compared).length).toBeGreaterThan(fewestCompared)
  },
)

test('what is wrong in an API is found: an error, a response unlike the document, an id with a response of its own', async () => {
  await using wrong = await startWrongApi()
  const found = await fuzzApi({ sender: 'member', seed: fixedSeed, examples: 20 }, wrong)
  expect(found.isPassed).toBe(false)
  expect(found.failed.sort()).toEqual(['GET /fails', 'GET /threads/{threadId}', 'GET /unlike'])
  expect(found.compared['GET /threads/{threadId} path_parameters.threadId']?.map(([status]) => status)).toEqual([
    403, 404,
  ])
})

function sameAnswer(theirs: unknown[], missing: unknown[]): boolean {
  return JSON.stringify(theirs) === JSON.stringify(missing)
}

function expectPassed({ isPassed, output }: ApiFuzzResult): void {
  expect(isPassed, output).toBe(true)
}
