import type { SandboxLimits } from '@threadbox/domain'
import { egressPolicySchema, type HostSandbox } from '@threadbox/protocol/host'
import type { Kysely, Selectable } from 'kysely'
import type { SandboxesTable, StateTables } from './state.tables.ts'

export type StoredSandbox = {
  sandboxId: string
  placeId: string
  hostname: string | null
  imageId: string
  limits: SandboxLimits
  egress: HostSandbox['egress']
  address: string
  createdAt: number
  manifestKey: string | null
  isDeleting: boolean
  /** Its disk is kept outside. */
  isArchived: boolean
}

export type SandboxesStore = {
  find(sandboxId: string): Promise<StoredSandbox | undefined>
  list(): Promise<StoredSandbox[]>
  /**
   * Records a new sandbox; a spare whose allocation it adopts is removed. `fork`: it is being made from another one.
   */
  insert(sandbox: StoredSandbox, fork?: { sourceDriverBootId: string | null }): Promise<void>
  change(sandboxId: string, changes: { limits: SandboxLimits; egress: HostSandbox['egress'] }): Promise<void>
  /** Stores the hostname of the first boot. */
  setHostname(sandboxId: string, hostname: string): Promise<void>
  /** Gives it another address; the earlier one becomes free. */
  setAddress(sandboxId: string, address: string): Promise<void>
  setManifestKey(sandboxId: string, manifestKey: string): Promise<void>
  markDeleting(sandboxId: string): Promise<void>
  setArchived(sandboxId: string, isArchived: boolean): Promise<void>
  /** Removes the sandbox and its boots. */
  remove(sandboxId: string): Promise<void>
}

export function makeSandboxesStore(database: Kysely<StateTables>): SandboxesStore {
  const update = (sandboxId: string, values: Partial<SandboxesTable>) =>
    database.updateTable('sandboxes').set(values).where('sandboxId', '=', sandboxId).execute()
  return {
    find: async (sandboxId) => {
      const row = await database
        .selectFrom('sandboxes')
        .selectAll()
        .where('sandboxId', '=', sandboxId)
        .executeTakeFirst()
      return row === undefined ? undefined : fromRow(row)
    },
    list: async () => (await database.selectFrom('sandboxes').selectAll().orderBy('createdAt').execute()).map(fromRow),
    insert: async (sandbox, fork) => {
      await database.transaction().execute(async (transaction) => {
        await transaction.deleteFrom('spares').where('placeId', '=', sandbox.placeId).execute()
        await transaction.insertInto('sandboxes').values(toRow(sandbox)).execute()
        if (fork === undefined) return
        const { sandboxId } = sandbox
        await transaction
          .insertInto('forks')
          .values({ sandboxId, ...fork })
          .execute()
      })
    },
    change: async (sandboxId, { limits, egress }) => {
      await update(sandboxId, { ...limits, egress: JSON.stringify(egress) })
    },
    setHostname: async (sandboxId, hostname) => {
      await update(sandboxId, { hostname })
    },
    setAddress: async (sandboxId, address) => {
      await update(sandboxId, { address })
    },
    setManifestKey: async (sandboxId, manifestKey) => {
      await update(sandboxId, { manifestKey })
    },
    markDeleting: async (sandboxId) => {
      await update(sandboxId, { isDeleting: 1 })
    },
    setArchived: async (sandboxId, isArchived) => {
      await update(sandboxId, { isArchived: isArchived ? 1 : 0 })
    },
    remove: async (sandboxId) => {
      await database.deleteFrom('sandboxes').where('sandboxId', '=', sandboxId).execute()
    },
  }
}

function fromRow(row: Selectable<SandboxesTable>): StoredSandbox {
  const { memoryBytes, cpus, processes, diskBytes, ...rest } = row
  return {
    ...rest,
    limits: { memoryBytes, cpus, processes, diskBytes },
    egress: egressPolicySchema.parse(JSON.parse(row.egress)),
    isDeleting: row.isDeleting === 1,
    isArchived: row.isArchived === 1,
  }
}

function toRow(sandbox: StoredSandbox): SandboxesTable {
  const { limits, egress, isDeleting, isArchived, ...rest } = sandbox
  const flags = { isDeleting: isDeleting ? 1 : 0, isArchived: isArchived ? 1 : 0 } as const
  return { ...rest, ...limits, egress: JSON.stringify(egress), ...flags }
}
