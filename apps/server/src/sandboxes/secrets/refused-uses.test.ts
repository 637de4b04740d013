import { makeLogger } from '@threadbox/telemetry'
import { expect, test } from 'vitest'
import type { AuditRecord } from '../../people/public.ts'
import { makeRefusedUses } from './refused-uses.ts'

const hourMs = 60 * 60 * 1000
const use = { sandboxId: 'box', secretId: 's1', host: 'api.example.org', reason: 'secret.not-usable-here' }

function prepare(record: (row: AuditRecord) => Promise<void>) {
  const clock = { now: 0 }
  const refused = makeRefusedUses({
    audit: { record },
    threadOf: async (sandboxId) => (sandboxId === 'box' ? { id: 'thread', user_id: 'ada' } : undefined),
    now: () => clock.now,
    logger: makeLogger({ process: 'test', level: 'silent' }),
  })
  return { refused, clock }
}

test('a flood of refused uses is one row an hour for each secret and reason, which says how many there were', async () => {
  const rows: AuditRecord[] = []
  const { refused, clock } = prepare(async (row) => void rows.push(row))
  for (let count = 0; count < 1000; count += 1) await refused(use)
  await refused({ ...use, reason: 'secret.wrong-host' })
  await refused({ ...use, secretId: null })
  expect(rows).toHaveLength(3)
  expect(rows[0]).toEqual({
    userId: 'ada',
    action: 'secret-use-refused',
    subject: 's1',
    details: { threadId: 'thread', host: 'api.example.org', reason: 'secret.not-usable-here', earlier: 0 },
  })
  clock.now = hourMs
  await refused(use)
  expect(rows.at(-1)?.details).toMatchObject({ earlier: 999 })
})

test('a host that doesn’t respond refuses nothing, and a row that can’t be written ends nothing', async () => {
  const rows: AuditRecord[] = []
  await prepare(async (row) => void rows.push(row)).refused({ ...use, reason: 'secret.host-unreachable' })
  expect(rows).toEqual([])
  await prepare(() => Promise.reject(new Error('disk full'))).refused(use)
})
