import { expect, test } from 'vitest'
import type { GitTarget } from './git-target.models.ts'
import { makeGitUses } from './git-uses.ts'
import type { UsableCredential } from './usable-credentials.ts'

test('pushes are noted, and of what is only read each repository once a minute; what a push begins with is none', async () => {
  let now = 1_000_000
  const noted: string[] = []
  const uses = makeGitUses({
    store: { update: async (id) => void noted.push(`${id} used`) },
    audit: {
      record: async ({ action, details }) => void noted.push(`${action} ${details?.repository} in ${details?.thread}`),
      list: async () => [],
    },
    now: () => now,
  })
  const use = (service: GitTarget['service'], more: Partial<GitTarget> = {}) =>
    uses.record({
      credential: { id: 'c', userId: 'u' } as UsableCredential,
      target: { site: 'git.test', path: 'team/app', repository: 'team/app', service, isAdvertisement: false, ...more },
      threadId: 't',
    })
  await use('upload-pack', { isAdvertisement: true })
  await use('upload-pack')
  await use('upload-pack', { repository: 'team/other' })
  await use('receive-pack', { isAdvertisement: true })
  await use('receive-pack')
  now += 1_000
  await use('receive-pack')
  now += 60_000
  await use('upload-pack')
  expect(noted.filter((line) => line !== 'c used')).toEqual([
    'git-credential-read team/app in t',
    'git-credential-read team/other in t',
    'git-credential-pushed team/app in t',
    'git-credential-pushed team/app in t',
    'git-credential-read team/app in t',
  ])
  expect(noted.filter((line) => line === 'c used')).toHaveLength(5)
})
