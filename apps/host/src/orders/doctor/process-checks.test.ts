import { expect, test } from 'vitest'
import { findRights, processChecks } from './process-checks.ts'

const fine = `Uid:\t601\t601\t601\t601
Groups:\t
CapInh:\t0000000000000000
CapPrm:\t0000000000000000
CapEff:\t0000000000000000
CapAmb:\t0000000000000000
NoNewPrivs:\t1
`

test('a process without any right has none', () => {
  expect(findRights({ status: fine, userId: 601 })).toEqual([])
})

test('each right of a process is named', () => {
  const rights = (status: string, userId = 601) => findRights({ status, userId })
  expect(rights(fine, 602)).toEqual(['user 601\t601\t601\t601'])
  expect(rights(fine.replace('601\n', '0\n'))).toEqual(['user 601\t601\t601\t0'])
  expect(rights(fine.replace('Groups:\t', 'Groups:\t0 4'))).toEqual(['groups 0 4'])
  expect(rights(fine.replace('CapEff:\t0', 'CapEff:\t1'))).toEqual(['CapEff 1000000000000000'])
  expect(rights(fine.replace('NoNewPrivs:\t1', 'NoNewPrivs:\t0'))).toEqual(['NoNewPrivs 0'])
})

test('nothing is assumed of a process whose status can’t be read', () => {
  expect(findRights({ status: '', userId: 601 }).length).toBeGreaterThan(0)
})

test('a process that isn’t running is a finding, and so is one that has more rights than it should', async () => {
  const gateway = { name: 'gateway' as const, userId: 64_533, respond: async () => undefined }
  const run = (pid: number | undefined) => processChecks([{ ...gateway, pid: () => pid }])[0]?.run()
  expect(await run(undefined)).toMatchObject({ state: 'failed', code: 'process-missing', values: { name: 'gateway' } })
  expect(await run(process.pid)).toMatchObject({ state: 'failed', code: 'process-privileged' })
})
