import { makeLogger } from '@threadbox/telemetry'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { GitTarget } from './git-target.logic.ts'
import { type GitUses, makeGitUses } from './git-uses.ts'
import type { UsableCredential } from './usable-credentials.ts'

let now: number
let noted: string[]
/** While set, the audit log cannot be written. */
let fails: Error | undefined
let uses: GitUses
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  now = 1_000_000
  noted = []
  fails = undefined
  uses = makeGitUses({
    store: { update: async (id) => void noted.push(`${id} used`) },
    audit: {
      record: async ({ action, details }) => {
        if (fails !== undefined) throw fails
        const { thread, repository, count } = details ?? {}
        noted.push(`${action} ${repository ?? count} in ${thread}`)
      },
    },
    now: () => now,
    logger: makeLogger({ process: 'test', level: 'silent' }),
  })
})
afterEach(async () => {
  await uses[Symbol.asyncDispose]()
  vi.useRealTimers()
})

const use = (service: GitTarget['service'], more: Partial<GitTarget> & { threadId?: string } = {}) => {
  const { threadId = 't', ...target } = more
  return uses.record({
    credential: { id: 'c', userId: 'u' } as UsableCredential,
    target: { site: 'git.test', path: 'team/app', repository: 'team/app', service, isAdvertisement: false, ...target },
    threadId,
  })
}
const rows = () => noted.filter((line) => line !== 'c used')
/** Records uses of made-up repository names. */
const flood = async (count: number, threadId = 't') => {
  for (let one = 0; one < count; one++)
    await use(one % 2 ? 'receive-pack' : 'upload-pack', { repository: `x/${one}`, threadId })
}

test('made-up repository names cannot flood the log: sixty rows a minute, then one row with the number of the others', async () => {
  await flood(100)
  expect(rows()).toHaveLength(60)
  // Another thread has its own limit.
  await use('receive-pack', { threadId: 'other' })
  expect(rows().at(-1)).toBe('git-credential-pushed team/app in other')
  await vi.advanceTimersByTimeAsync(60_000)
  expect(rows().slice(61)).toEqual(['git-credential-uses-left-out 40 in t'])
  await use('receive-pack')
  expect(rows().at(-1)).toBe('git-credential-pushed team/app in t')
})

test('pending counts are recorded when the server ends, and again later when recording failed', async () => {
  await flood(70)
  fails = new Error('no disk')
  await vi.advanceTimersByTimeAsync(60_000)
  fails = undefined
  await vi.advanceTimersByTimeAsync(60_000)
  expect(rows().slice(60)).toEqual(['git-credential-uses-left-out 10 in t'])
  now += 60_000
  await flood(65)
  await uses[Symbol.asyncDispose]()
  expect(rows().at(-1)).toBe('git-credential-uses-left-out 5 in t')
})

test('each push is recorded, each read repository once a minute, and the first request of a push never', async () => {
  await use('upload-pack', { isAdvertisement: true })
  await use('upload-pack')
  await use('upload-pack', { repository: 'team/other' })
  await use('receive-pack', { isAdvertisement: true })
  await use('receive-pack')
  now += 1_000
  await use('receive-pack')
  now += 60_000
  await use('upload-pack')
  expect(rows()).toEqual([
    'git-credential-read team/app in t',
    'git-credential-read team/other in t',
    'git-credential-pushed team/app in t',
    'git-credential-pushed team/app in t',
    'git-credential-read team/app in t',
  ])
  expect(noted.filter((line) => line === 'c used')).toHaveLength(5)
})
