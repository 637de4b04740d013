import type { Kysely } from 'kysely'
import type { ThreadSetupTables } from '../../threads/public.ts'

export type AgentRow = {
  id: string
  /** The user who created it. */
  owner_id: string
  /** Null: a personal agent of its owner. */
  workspace_id: string | null
  /** The ID of the workspace or user that it belongs to. A name is unique within it. */
  home: string
  name: string
  /** The normalized name for comparisons. */
  name_key: string
  description: string
  current_version: number
  /** The highest version ever used: no number is used twice. */
  last_version: number
  created_at: number
  updated_at: number
} & ImportedColumns

/** Of an agent that was imported from a file; otherwise all are null. */
export type ImportedColumns = { file_sha256: string | null; accepted_by: string | null; accepted_at: number | null }

/** Immutable. */
export type AgentVersionRow = {
  agent_id: string
  version: number
  created_at: number
  instructions: string
  model_id: string | null
  /** IDs as a JSON list; null: all that a thread in its scope has. */
  skill_ids_json: string | null
  connection_ids_json: string | null
  /** Null: written by hand; its threads start with an empty sandbox. */
  environment_id: string | null
}

export type AgentTables = { agents: AgentRow; agent_versions: AgentVersionRow }

export async function createAgentTables(database: Kysely<never>): Promise<void> {
  const tables = database as unknown as Kysely<AgentTables & ThreadSetupTables>
  await tables.schema
    .createTable('agents')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('owner_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('workspace_id', 'text', (column) => column.references('workspaces.id').onDelete('cascade'))
    .addColumn('home', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('name_key', 'text', (column) => column.notNull())
    .addColumn('description', 'text', (column) => column.notNull())
    .addColumn('current_version', 'integer', (column) => column.notNull())
    .addColumn('last_version', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .execute()
  await tables.schema.createIndex('agents_home_idx').unique().on('agents').columns(['home', 'name_key']).execute()
  await tables.schema.createIndex('agents_workspace_idx').on('agents').column('workspace_id').execute()
  await tables.schema
    .createTable('agent_versions')
    .addColumn('agent_id', 'text', (column) => column.notNull().references('agents.id').onDelete('cascade'))
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('instructions', 'text', (column) => column.notNull())
    .addColumn('model_id', 'text')
    .addColumn('skill_ids_json', 'text')
    .addColumn('connection_ids_json', 'text')
    .addColumn('environment_id', 'text')
    .addPrimaryKeyConstraint('agent_versions_pk', ['agent_id', 'version'])
    .execute()
  await tables.schema
    .createTable('thread_setups')
    .addColumn('thread_id', 'text', (column) => column.primaryKey().references('threads.id').onDelete('cascade'))
    .addColumn('instructions', 'text', (column) => column.notNull())
    .addColumn('skill_ids_json', 'text')
    .addColumn('connection_ids_json', 'text')
    .execute()
  // The agent that a thread was started from, as JSON. Short, because every list of threads reads it.
  await tables.schema.alterTable('threads').addColumn('started_from_json', 'text').execute()
}
