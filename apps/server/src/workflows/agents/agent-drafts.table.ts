import type { Kysely } from 'kysely'

/** An agent file that was imported and waits for a review. Its skills are blobs, its disk is an environment. */
export type AgentDraftRow = {
  /** The ID of the agent that it becomes. */
  id: string
  owner_id: string
  workspace_id: string | null
  /** The ID of the workspace or user that it belongs to. */
  home: string
  /** `gone`: accepted or declined; what it keeps is being deleted. */
  state: 'waiting' | 'gone'
  /** The header of the file. */
  file_json: string
  /** Its skills without their contents, as JSON. */
  skills_json: string
  /** Of the whole file. */
  sha256: string
  size_bytes: number
  /** Its disk, without services and saved variables: those are added when a person accepts them. */
  environment_id: string | null
  imported_at: number
}

export type AgentDraftTables = { agent_drafts: AgentDraftRow }

export async function addAgentDrafts({ schema }: Kysely<never>): Promise<void> {
  await schema
    .createTable('agent_drafts')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('owner_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('workspace_id', 'text', (column) => column.references('workspaces.id').onDelete('cascade'))
    .addColumn('home', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('file_json', 'text', (column) => column.notNull())
    .addColumn('skills_json', 'text', (column) => column.notNull())
    .addColumn('sha256', 'text', (column) => column.notNull())
    .addColumn('size_bytes', 'bigint', (column) => column.notNull())
    .addColumn('environment_id', 'text')
    .addColumn('imported_at', 'bigint', (column) => column.notNull())
    .execute()
  await schema.createIndex('agent_drafts_home_idx').on('agent_drafts').column('home').execute()
  await schema.alterTable('agents').addColumn('file_sha256', 'text').execute()
  await schema.alterTable('agents').addColumn('accepted_by', 'text').execute()
  await schema.alterTable('agents').addColumn('accepted_at', 'bigint').execute()
}
