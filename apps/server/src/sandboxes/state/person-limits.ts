import type { Logger } from '@threadbox/telemetry'
import type { Kysely } from 'kysely'
import type { MeteredQuota, Quotas, UserHub } from '../../people/public.ts'
import type { ThreadRows } from '../../threads/public.ts'
import type { HostClient } from '../host/host-client.ts'
import { type AwakeLimits, makeAwakeLimits } from './awake-limits.ts'
import { type DiskUse, makeDiskUse } from './disk-use.ts'
import { type InsertSandbox, makeSandboxCount } from './sandbox-count.ts'

export type PersonLimitPorts = {
  rows: Pick<ThreadRows, 'findAny'>
  people: {
    quotas: Pick<Quotas, 'limits'>
    userHub: Pick<UserHub, 'isFollowed'>
    addMeter(meter: MeteredQuota): void
  }
  host: Pick<HostClient, 'machine'>
  now(): number
  logger: Logger
}

/** What people can use of sandboxes: how many are awake, how many there are, and their disk space. */
export function makePersonLimits(
  database: Kysely<unknown>,
  ports: PersonLimitPorts,
): { limits: AwakeLimits; insert: InsertSandbox; diskUse: DiskUse } {
  return {
    limits: makeAwakeLimits(database, ports),
    insert: makeSandboxCount(database, ports),
    diskUse: makeDiskUse(database, ports),
  }
}
