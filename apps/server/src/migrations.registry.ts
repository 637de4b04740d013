import type { Kysely } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { createMachineTables } from './installation/machine.table.ts'
import { addAuditChain, createAuditTables } from './people/audit/audit.table.ts'
import { createInviteTable } from './people/invites/invites.table.ts'
import { createLeavingTables } from './people/leaving/leaving.table.ts'
import { createOidcTables } from './people/oidc/oidc.table.ts'
import { createPasskeyTables } from './people/passkeys/passkeys.table.ts'
import { createQuotaTables } from './people/quotas/quotas.table.ts'
import { createSettingTables } from './people/settings/settings.table.ts'
import { createAttemptTable } from './people/users/attempts.table.ts'
import {
  addKeyScopes,
  addKeyWorkspaces,
  addPersonStates,
  addRoleByHand,
  createUserTables,
} from './people/users/users.table.ts'
import type { DatabaseKind, OpenDatabase } from './platform/database/database.ts'
import { putBackMigrations } from './platform/database/set-aside.ts'
import { createOperationTables } from './platform/operations/operations.table.ts'
import { createArchiveTables } from './sandboxes/archive/archives.table.ts'
import { createGitCredentialTables } from './sandboxes/git-credentials/git-credentials.table.ts'
import { createLifecycleTables } from './sandboxes/lifecycle/lifecycle.table.ts'
import { createPreviewTables, createShareLinkTables } from './sandboxes/previews/previews.table.ts'
import { createPlaceholderTables } from './sandboxes/secrets/placeholders.table.ts'
import { createServiceTables } from './sandboxes/services/services.table.ts'
import { createAwakePlaceTable } from './sandboxes/state/awake-places.table.ts'
import {
  addEgressColumn,
  addIntentColumn,
  addLifecycleColumns,
  addServiceColumn,
  createSandboxTables,
} from './sandboxes/state/sandboxes.table.ts'
import { createTerminalTables } from './sandboxes/terminals/terminals.table.ts'
import { createOpeningTable } from './threads/access/openings.table.ts'
import { addJoined, createWorkspaceTables } from './threads/access/workspaces.table.ts'
import { createAttachmentTables } from './threads/attachments/attachments.table.ts'
import { addForkColumn, addSharedThreads, createThreadTables } from './threads/log/threads.table.ts'
import { createNetworkTables } from './threads/network/network.table.ts'
import { createPrivateAddressTable } from './threads/network/private-addresses.table.ts'
import { createSearchTables } from './threads/search/search.table.ts'
import { createSecretTables } from './threads/secrets/secrets.table.ts'
import { createConnectionTables } from './turns/connections/connections.table.ts'
import { addConnectionPrograms } from './turns/connections/programs.table.ts'
import { addModelFallbacks, addModelImages, createModelTables } from './turns/models/models.table.ts'
import {
  addAuthors,
  addFirstModel,
  addKeptOutput,
  addNoteCodes,
  addStepNotes,
  createTurnTables,
} from './turns/record/turns.table.ts'
import { createSkillTables } from './turns/skills/skills.table.ts'
import {
  addOtherSnapshot,
  addPins,
  addSnapshotMemory,
  createManifestTable,
  createMemoryWriteTable,
  createSnapshotTables,
} from './turns/snapshots/snapshots.table.ts'
import { createUsageTables } from './turns/spending/usage.table.ts'
import { addAgentDrafts } from './workflows/agents/agent-drafts.table.ts'
import { createAgentTables } from './workflows/agents/agents.table.ts'
import { createEnvironmentTable } from './workflows/agents/environments.table.ts'
import { createInstallTables } from './workflows/agents/installs.table.ts'
import { createRewindTables } from './workflows/rewinds/rewinds.table.ts'
import { addKeptRuns, addRunNetworks, addTriggerConnections, createRunTables } from './workflows/runs/runs.table.ts'
import { addCopyColumns, createThreadLinkTables } from './workflows/sharing/thread-links.table.ts'

type Change = (database: Kysely<never>, kind: DatabaseKind) => Promise<void>

/**
 * Every change to the tables, in order. A released name is never changed or removed, because installations have
 * recorded it as done.
 */
const changes: Record<string, Change> = {
  '0001-users': createUserTables,
  '0002-threads': createThreadTables,
  '0003-sandboxes': createSandboxTables,
  '0004-attachments': createAttachmentTables,
  '0005-search': createSearchTables,
  '0006-operations': createOperationTables,
  '0007-settings': createSettingTables,
  '0008-audit': createAuditTables,
  '0009-models': createModelTables,
  '0010-turns': createTurnTables,
  '0011-lifecycle-columns': addLifecycleColumns,
  '0012-lifecycle': createLifecycleTables,
  '0013-step-notes': addStepNotes,
  '0014-services': createServiceTables,
  '0015-previews': createPreviewTables,
  '0016-terminals': createTerminalTables,
  '0017-share-links': createShareLinkTables,
  '0018-services-per-thread': addServiceColumn,
  '0019-model-images': addModelImages,
  '0020-workspaces': createWorkspaceTables,
  '0021-snapshots': createSnapshotTables,
  '0024-skills': createSkillTables,
  '0025-thread-links': createThreadLinkTables,
  '0026-connections': createConnectionTables,
  '0027-forks': addForkColumn,
  '0028-rewinds': createRewindTables,
  '0029-agents': createAgentTables,
  '0031-agent-environments': createEnvironmentTable,
  '0032-runs': createRunTables,
  '0033-snapshot-memory': addSnapshotMemory,
  '0034-installs': createInstallTables,
  '0035-connection-programs': addConnectionPrograms,
  '0038-copies-by-link': addCopyColumns,
  '0039-git-credentials': createGitCredentialTables,
  '0040-turn-manifests': createManifestTable,
  '0041-kept-runs': addKeptRuns,
  '0042-sandbox-intent': addIntentColumn,
  '0043-note-codes': addNoteCodes,
  '0044-kept-output': addKeptOutput,
  '0045-key-scopes': addKeyScopes,
  '0046-attempt-counts': createAttemptTable,
  '0047-audit-chain': addAuditChain,
  '0048-agent-drafts': addAgentDrafts,
  '0049-key-workspaces': addKeyWorkspaces,
  '0050-network-policies': async (database) => {
    await createNetworkTables(database)
    await addEgressColumn(database)
  },
  '0051-trigger-connections': addTriggerConnections,
  '0052-run-networks': addRunNetworks,
  '0053-secrets': createSecretTables,
  '0054-placeholders': createPlaceholderTables,
  '0055-private-addresses': createPrivateAddressTable,
  '0056-other-snapshots': addOtherSnapshot,
  '0057-memory-writes': createMemoryWriteTable,
  '0058-pins': addPins,
  '0059-shared-threads': async (database) => {
    await addSharedThreads(database)
    await addJoined(database)
    await addAuthors(database)
  },
  '0060-people': async (database) => {
    await addPersonStates(database)
    await createInviteTable(database)
  },
  '0061-model-usage': createUsageTables,
  '0062-quotas': createQuotaTables,
  '0063-model-fallbacks': async (database) => {
    await addModelFallbacks(database)
    await addFirstModel(database)
  },
  '0064-awake-places': createAwakePlaceTable,
  '0065-oidc': createOidcTables,
  '0066-role-by-hand': addRoleByHand,
  '0067-passkeys': createPasskeyTables,
  '0068-leaving': createLeavingTables,
  '0069-thread-openings': createOpeningTable,
  '0072-machine-samples': createMachineTables,
  '0074-archives': createArchiveTables,
}

export const migrationNames = Object.keys(changes)

/** Migrates the database. Two servers can start at the same time: one waits for the other. */
export async function migrate(open: OpenDatabase): Promise<void> {
  const migrations = Object.fromEntries(
    Object.entries(changes).map(([name, up]): [string, Migration] => [
      name,
      { up: (database) => up(database as Kysely<never>, open.kind) },
    ]),
  )
  await putBackMigrations(open.database, migrationNames)
  const migrator = new Migrator({ db: open.database, provider: { getMigrations: async () => migrations } })
  const { error } = await migrator.migrateToLatest()
  if (error !== undefined) throw error
}
