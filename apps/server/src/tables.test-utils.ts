import type { Kysely } from 'kysely'
import type { MachineTables } from './installation/machine.table.ts'
import type { AuditTables } from './people/audit/audit.table.ts'
import type { InviteTables } from './people/invites/invites.table.ts'
import type { LeavingTables } from './people/leaving/leaving.table.ts'
import type { OidcTables } from './people/oidc/oidc.table.ts'
import type { PasskeyTables } from './people/passkeys/passkeys.table.ts'
import type { QuotaTables } from './people/quotas/quotas.table.ts'
import type { SettingTables } from './people/settings/settings.table.ts'
import type { AttemptTables } from './people/users/attempts.table.ts'
import type { UserTables } from './people/users/users.table.ts'
import { type OpenDatabase, tablesOf } from './platform/database/database.ts'
import type { OperationTables } from './platform/operations/operations.table.ts'
import type { GitCredentialTables } from './sandboxes/git-credentials/git-credentials.table.ts'
import type { LifecycleTables } from './sandboxes/lifecycle/lifecycle.table.ts'
import type { PreviewTables } from './sandboxes/previews/previews.table.ts'
import type { PlaceholderTables } from './sandboxes/secrets/placeholders.table.ts'
import type { ServiceTables } from './sandboxes/services/services.table.ts'
import type { SandboxTables } from './sandboxes/state/sandboxes.table.ts'
import type { TerminalTables } from './sandboxes/terminals/terminals.table.ts'
import type { OpeningTables } from './threads/access/openings.table.ts'
import type { WorkspaceTables } from './threads/access/workspaces.table.ts'
import type { AttachmentTables } from './threads/attachments/attachments.table.ts'
import type { ThreadTables } from './threads/log/threads.table.ts'
import type { SearchTables } from './threads/search/search.table.ts'
import type { SecretTables } from './threads/secrets/secrets.table.ts'
import type { ThreadSetupTables } from './threads/setups/thread-setups.table.ts'
import type { ConnectionTables } from './turns/connections/connections.table.ts'
import type { ProgramTables } from './turns/connections/programs.table.ts'
import type { ModelTables } from './turns/models/models.table.ts'
import type { TurnTables } from './turns/record/turns.table.ts'
import type { SkillTables } from './turns/skills/skills.table.ts'
import type { SnapshotTables } from './turns/snapshots/snapshots.table.ts'
import type { UsageTables } from './turns/spending/usage.table.ts'
import type { AgentDraftTables } from './workflows/agents/agent-drafts.table.ts'
import type { AgentTables } from './workflows/agents/agents.table.ts'
import type { EnvironmentTables } from './workflows/agents/environments.table.ts'
import type { InstallTables } from './workflows/agents/installs.table.ts'
import type { RunTables } from './workflows/runs/runs.table.ts'
import type { ThreadLinkTables } from './workflows/sharing/thread-links.table.ts'

type Tables = UserTables &
  LeavingTables &
  OpeningTables &
  InviteTables &
  OidcTables &
  PasskeyTables &
  QuotaTables &
  AttemptTables &
  PreviewTables &
  ThreadTables &
  ThreadSetupTables &
  SearchTables &
  SecretTables &
  PlaceholderTables &
  SandboxTables &
  ServiceTables &
  SkillTables &
  AgentTables &
  AgentDraftTables &
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
  UsageTables &
  MachineTables &
  TurnTables

/** The whole database, for tests that read what several features have stored. */
export function tablesIn(open: OpenDatabase): Kysely<Tables> {
  return tablesOf<Tables>(open.database)
}
