import type { BootEndCause } from '@threadbox/protocol/host'
import { withoutDiskWait } from '@threadbox/sqlite'
import type { Kysely, Selectable } from 'kysely'
import type { BootsTable, StateTables } from './state.tables.ts'

export type StoredBoot = Selectable<BootsTable>
type NewBoot = Omit<StoredBoot, `end${string}`>
export type BootEnd = { at: number; cause: BootEndCause; detail: string }

export type BootsStore = {
  find(bootId: string): Promise<StoredBoot | undefined>
  /** The boot of a sandbox that has not ended, if one exists. */
  current(sandboxId: string): Promise<StoredBoot | undefined>
  listCurrent(): Promise<StoredBoot[]>
  /** The last boot of a sandbox that ended. */
  lastEnded(sandboxId: string): Promise<StoredBoot | undefined>
  /** Durable, except for one that is starting: after a power cut it was never reported, and nothing of it runs. */
  insert(boot: NewBoot): Promise<void>
  markReady(bootId: string): Promise<void>
  /** Records an end, once; false if it was already recorded or the boot is unknown. Its token is no longer valid. */
  markEnded(bootId: string, end: BootEnd): Promise<boolean>
  /**
   * Records that what runs under this driver name has ended, if the boot consists of it; false if the boot has already
   * ended, is saved in its image, or now runs under another name.
   */
  markRunningEnded(boot: { bootId: string; driverBootId: string }, end: BootEnd): Promise<boolean>
  /** Removes the record of a boot that was never reported. */
  remove(bootId: string): Promise<void>
}

/** Ended boots kept per sandbox: enough to refuse an order that a delayed caller sent twice. */
const keptBoots = 20

export function makeBootsStore(database: Kysely<StateTables>): BootsStore {
  const boots = () => database.selectFrom('boots').selectAll()
  return {
    find: (bootId) => boots().where('bootId', '=', bootId).executeTakeFirst(),
    current: (sandboxId) => boots().where('sandboxId', '=', sandboxId).where('state', '<>', 'ended').executeTakeFirst(),
    listCurrent: () => boots().where('state', '<>', 'ended').execute(),
    lastEnded: (sandboxId) =>
      boots()
        .where('sandboxId', '=', sandboxId)
        .where('state', '=', 'ended')
        .orderBy('startedAt', 'desc')
        .executeTakeFirst(),
    insert: (boot) =>
      boot.state === 'starting'
        ? withoutDiskWait(database, (connection) => insertBoot(connection, boot))
        : insertBoot(database, boot),
    markReady: async (bootId) => {
      await database.updateTable('boots').set({ state: 'ready' }).where('bootId', '=', bootId).execute()
    },
    markEnded: (bootId, end) => markEnded(database, { bootId, end, states: alive }),
    markRunningEnded: ({ bootId, driverBootId }, end) =>
      markEnded(database, { bootId, driverBootId, end, states: ['starting', 'ready'] }),
    remove: async (bootId) => {
      await database.deleteFrom('boots').where('bootId', '=', bootId).execute()
    },
  }
}

async function insertBoot(database: Kysely<StateTables>, boot: NewBoot): Promise<void> {
  const none = { endedAt: null, endCause: null, endDetail: null }
  await database
    .insertInto('boots')
    .values({ ...boot, ...none })
    .execute()
}

const alive: BootsTable['state'][] = ['starting', 'ready', 'paused', 'waking', 'demoting']

async function markEnded(
  database: Kysely<StateTables>,
  options: { bootId: string; driverBootId?: string; end: BootEnd; states: BootsTable['state'][] },
): Promise<boolean> {
  const { bootId, driverBootId, end } = options
  return await database.transaction().execute(async (transaction) => {
    let update = transaction
      .updateTable('boots')
      .set({ state: 'ended', accessToken: '', endedAt: end.at, endCause: end.cause, endDetail: end.detail })
      .where('bootId', '=', bootId)
      .where('state', 'in', options.states)
    if (driverBootId !== undefined) update = update.where('driverBootId', '=', driverBootId)
    const ended = await update.returning('sandboxId').executeTakeFirst()
    if (ended !== undefined) await removeOldest(transaction, ended.sandboxId)
    return ended !== undefined
  })
}

async function removeOldest(database: Kysely<StateTables>, sandboxId: string): Promise<void> {
  const kept = database
    .selectFrom('boots')
    .select('bootId')
    .where('sandboxId', '=', sandboxId)
    .orderBy('startedAt', 'desc')
    .limit(keptBoots)
  await database
    .deleteFrom('boots')
    .where('sandboxId', '=', sandboxId)
    .where('state', '=', 'ended')
    .where('bootId', 'not in', kept)
    .execute()
}
