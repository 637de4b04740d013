import { statusSchema } from '@threadbox/protocol/public'
import { expect, test } from 'vitest'
import { makeStatus } from './status.ts'

type Options = Parameters<typeof makeStatus>[0]

function statusOf(host: Partial<Options['host']>) {
  const users = { ownerExists: async () => true } as Options['users']
  const settings = { values: async () => ({ adminsMayRead: 'never' }) } as unknown as Options['settings']
  return makeStatus({ version: '0', host: host as Options['host'], users, hasModel: async () => true, settings })
}

test('the checks of the host arrive with their codes and values', async () => {
  const found = {
    id: 'kernel',
    title: 'Linux kernel',
    detail: 'Linux 6.12',
    code: 'kernel-fine',
    values: { release: '6.12' },
  }
  const ofEarlierVersion = { id: 'pool', title: 'disk pool', detail: 'full', cure: 'Delete threads.' }
  const status = statusOf({
    info: () => Promise.reject(new Error('not running')),
    doctor: async () => ({
      checks: [
        { ...found, state: 'ok', cure: '' },
        { ...ofEarlierVersion, state: 'failed' },
      ],
    }),
  })
  const { checks } = statusSchema.parse(await status.now({ withChecks: true }))
  expect(checks).toEqual([
    expect.objectContaining({ id: 'host-reachable', status: 'failed', code: 'host-reachable-missing', values: {} }),
    { ...found, status: 'ok', cure: null },
    { ...ofEarlierVersion, status: 'failed' },
  ])
})
