import type { Kysely } from 'kysely'

export type SkillRow = {
  id: string
  /** The user who added the skill. */
  owner_id: string
  /** Null: the owner's own skill, for all of their threads. */
  workspace_id: string | null
  /** The workspace or user that the skill belongs to; names are unique within it. */
  home: string
  name: string
  description: string
  license: string | null
  compatibility: string | null
  /** The digest of its package, which is a blob. */
  digest: string
  file_count: number
  size_bytes: number
  created_at: number
  updated_at: number
}

export type SkillTables = { skills: SkillRow }

export async function createSkillTables(database: Kysely<never>): Promise<void> {
  const tables = database as unknown as Kysely<SkillTables>
  await tables.schema
    .createTable('skills')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('owner_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('workspace_id', 'text', (column) => column.references('workspaces.id').onDelete('cascade'))
    .addColumn('home', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('description', 'text', (column) => column.notNull())
    .addColumn('license', 'text')
    .addColumn('compatibility', 'text')
    .addColumn('digest', 'text', (column) => column.notNull())
    .addColumn('file_count', 'integer', (column) => column.notNull())
    .addColumn('size_bytes', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .execute()
  await tables.schema.createIndex('skills_home_idx').unique().on('skills').columns(['home', 'name']).execute()
  await tables.schema.createIndex('skills_workspace_idx').on('skills').column('workspace_id').execute()
}
