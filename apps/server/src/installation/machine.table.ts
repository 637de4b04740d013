import type { Kysely } from 'kysely'

/** The machine at the beginning of a slot of 5 minutes. Counters grow until the machine or the router starts again. */
export type MachineSampleRow = {
  /** The slot, not the moment of the measurement: two servers write it once. */
  at: number
  memory_total: number
  memory_used: number
  memory_sandboxes: number
  disk_total: number
  disk_used: number
  processors: number
  /** Counters: milliseconds of all processors, and bytes. Null: not measured. */
  busy_ms: number
  received: number | null
  sent: number | null
  awake: number
  waiting: number
}

export type MachineTables = { machine_samples: MachineSampleRow }

export async function createMachineTables(database: Kysely<never>): Promise<void> {
  const whole = ['memory_total', 'memory_used', 'memory_sandboxes', 'disk_total', 'disk_used', 'processors'] as const
  let table = database.schema.createTable('machine_samples').addColumn('at', 'bigint', (column) => column.primaryKey())
  for (const name of [...whole, 'busy_ms', 'awake', 'waiting'] as const) {
    table = table.addColumn(name, 'bigint', (column) => column.notNull())
  }
  for (const name of ['received', 'sent'] as const) table = table.addColumn(name, 'bigint')
  await table.execute()
}
