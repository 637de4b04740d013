import type { Kysely } from 'kysely'
import type { AgentTables } from './agents/agents.table.ts'
import type { EnvironmentTables } from './agents/environments.table.ts'
import type { InstallTables } from './agents/installs.table.ts'
import type { AttachmentTables } from './attachments/attachments.table.ts'
import type { AuditTables } from './audit/audit.table.ts'
import type { ConnectionTables } from './connections/connections.table.ts'
import type { ProgramTables } from './connections/programs.table.ts'
import { type OpenDatabase, tablesOf } from './database/database.ts'
import type { GitCredentialTables } from './git-credentials/git-credentials.table.ts'
import type { LifecycleTables } from './lifecycle/lifecycle.table.ts'
import type { ModelTables } from './models/models.table.ts'
import type { OperationTables } from './operations/operations.table.ts'
import type { PreviewTables } from './previews/previews.table.ts'
import type { RunTables } from './runs/runs.table.ts'
import type { SandboxTables } from './sandboxes/sandboxes.table.ts'
import type { SearchTables } from './search/search.table.ts'
import type { ServiceTables } from './services/services.table.ts'
import type { SettingTables } from './settings/settings.table.ts'
import type { ThreadLinkTables } from './sharing/thread-links.table.ts'
import type { SkillTables } from './skills/skills.table.ts'
import type { SnapshotTables } from './snapshots/snapshots.table.ts'
import type { TerminalTables } from './terminals/terminals.table.ts'
import type { ThreadSetupTables } from './threads/setups/thread-setups.table.ts'
import type { ThreadTables } from './threads/threads.table.ts'
import type { TurnTables } from './turns/turns.table.ts'
import type { UserTables } from './users/users.table.ts'
import type { WorkspaceTables } from './workspaces/workspaces.table.ts'

type Tables = UserTables &
  PreviewTables &
  ThreadTables &
  ThreadSetupTables &
  SearchTables &
  SandboxTables &
  ServiceTables &
  SkillTables &
  AgentTables &
  EnvironmentTables &
  InstallTables &
  RunTables &
  ThreadLinkTables &
  TerminalTables &
  AttachmentTables &
  OperationTables &
  SettingTables &
  SnapshotTables &
  AuditTables &
  ModelTables &
  LifecycleTables &
  WorkspaceTables &
  ConnectionTables &
  ProgramTables &
  GitCredentialTables &
  TurnTables

/** The whole database, for tests that look into what several features have stored. */
export function tablesIn(open: OpenDatabase): Kysely<Tables> {
  return tablesOf<Tables>(open.database)
}
