import type { Kysely } from 'kysely'

/** One copy of a sandbox’s files in the archive store. A sandbox can have several, of which one counts at most. */
export type ArchiveRow = {
  id: string
  sandbox_id: string
  /**
   * `storing`: incomplete. `leaving`: complete and compared; the host may still have the disk. `stored`: the only copy.
   * `returned`: the disk is back on the host; kept for a while, for backups from before. `discarded`: to be deleted.
   */
  phase: 'storing' | 'leaving' | 'stored' | 'returned' | 'discarded'
  /** The address of the store. */
  place: string
  /** Content of the disk, as the host names it. */
  generation: string
  used_bytes: number
  image_id: string
  limits_json: string
  /** Its objects, in order; empty while it is incomplete. */
  parts_json: string
  stored_bytes: number
  /** When the phase began. */
  since: number
  /** 1: another installation, of which this one is a copy, stored the objects. This one never deletes them. */
  is_shared: number
}

/** What encrypts archived files; sealed with the key of the installation. */
export type ArchiveKeyRow = { name: string; recipient: string; sealed_identity: string }

export type ArchiveTables = { archives: ArchiveRow; archive_keys: ArchiveKeyRow }

export async function createArchiveTables(database: Kysely<never>): Promise<void> {
  await database.schema
    .createTable('archives')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('sandbox_id', 'text', (column) => column.notNull())
    .addColumn('phase', 'text', (column) => column.notNull())
    .addColumn('place', 'text', (column) => column.notNull())
    .addColumn('generation', 'text', (column) => column.notNull())
    .addColumn('used_bytes', 'bigint', (column) => column.notNull())
    .addColumn('image_id', 'text', (column) => column.notNull())
    .addColumn('limits_json', 'text', (column) => column.notNull())
    .addColumn('parts_json', 'text', (column) => column.notNull())
    .addColumn('stored_bytes', 'bigint', (column) => column.notNull())
    .addColumn('since', 'bigint', (column) => column.notNull())
    .addColumn('is_shared', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await database.schema.createIndex('archives_by_sandbox').on('archives').column('sandbox_id').execute()
  await database.schema
    .createTable('archive_keys')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('recipient', 'text', (column) => column.notNull())
    .addColumn('sealed_identity', 'text', (column) => column.notNull())
    .execute()
}
