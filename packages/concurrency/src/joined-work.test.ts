import { expect, test } from 'vitest'
import { makeJoinedWork } from './joined-work.ts'

const abandoned = () => new Error('abandoned')

/** Work that ends when its gate is resolved or when it is abandoned. */
function heldWork() {
  const gate = Promise.withResolvers<string>()
  let begun = 0
  const begin = async (signal: AbortSignal) => {
    begun += 1
    signal.addEventListener('abort', () => gate.reject(signal.reason))
    return await gate.promise
  }
  return { begin, end: gate.resolve, begun: () => begun }
}

test('callers join work that runs and share its result', async () => {
  const joined = makeJoinedWork<string>({ abandoned })
  const work = heldWork()
  const both = Promise.all([joined.join('a', work.begin), joined.join('a', work.begin)])
  expect(await Promise.race([joined.present('a'), Promise.resolve('running')])).toBe('running')
  work.end('done')
  expect(await both).toEqual(['done', 'done'])
  expect(work.begun()).toBe(1)
  expect(joined.present('a')).toBeUndefined()
})

test('a caller that aborts gets its reason immediately, and the work continues for the others', async () => {
  const joined = makeJoinedWork<string>({ abandoned })
  const work = heldWork()
  const leaving = new AbortController()
  const left = joined.join('a', work.begin, leaving.signal)
  const staying = joined.join('a', work.begin)
  leaving.abort(new Error('left'))
  await expect(left).rejects.toThrow('left')
  work.end('done')
  expect(await staying).toBe('done')
})

test('work without callers is abandoned, and a caller that comes then begins new work after it', async () => {
  const joined = makeJoinedWork<string>({ abandoned })
  const first = heldWork()
  const leaving = new AbortController()
  const left = joined.join('a', first.begin, leaving.signal)
  const present = joined.present('a')
  leaving.abort(new Error('left'))
  await expect(left).rejects.toThrow('left')
  const second = heldWork()
  const next = joined.join('a', second.begin)
  await expect(present).rejects.toThrow('abandoned')
  second.end('new')
  expect(await next).toBe('new')
})
