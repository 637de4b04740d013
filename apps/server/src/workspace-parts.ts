import type { SandboxState } from '@threadbox/domain'
import type { Audit } from './people/audit/audit.ts'
import type { Settings } from './people/settings/settings.ts'
import type { UserHub } from './people/users/user-hub.ts'
import { type OpenDatabase, tablesOf } from './platform/database/database.ts'
import type { Operations } from './platform/operations/operations.ts'
import type { System } from './platform/system/system.ts'
import type { HostClient } from './sandboxes/host/host-client.ts'
import type { ServiceStore } from './sandboxes/services/services.store.ts'
import type { SandboxStore } from './sandboxes/state/sandboxes.store.ts'
import { type Access, makeAccess } from './threads/access/access.ts'
import { makeWorkspaceStore, type WorkspaceStore } from './threads/access/workspaces.store.ts'
import type { WorkspaceTables } from './threads/access/workspaces.table.ts'
import type { ThreadStore } from './threads/log/threads.store.ts'
import { makeWorkspaceThreads, type WorkspaceThreads } from './threads/threads/workspace-threads.ts'
import type { ReadDefaults } from './threads/workspaces/sandbox-defaults.ts'
import { makeReadDefaults } from './threads/workspaces/workspace-defaults.ts'
import { makeWorkspaces, type Workspaces } from './threads/workspaces/workspaces.usecases.ts'
import { makeConnectionStore } from './turns/connections/connections.store.ts'
import type { ConnectionTables } from './turns/connections/connections.table.ts'

/** What decides about threads before there is anything of them: who may use them, and what they inherit. */
export type WorkspaceBase = {
  workspaceStore: WorkspaceStore
  workspaceThreads: WorkspaceThreads
  access: Access
  readDefaults: ReadDefaults
}

export function makeWorkspaceBase(options: {
  open: OpenDatabase
  settings: Settings
  threadStore: ThreadStore
  operations: Operations
}): WorkspaceBase {
  const { threadStore, operations, settings } = options
  const workspaceStore = makeWorkspaceStore(tablesOf<WorkspaceTables>(options.open.database))
  return {
    workspaceStore,
    workspaceThreads: makeWorkspaceThreads({ store: threadStore, operations }),
    access: makeAccess({ store: workspaceStore }),
    readDefaults: makeReadDefaults({
      store: workspaceStore,
      settings,
      workspacesOf: (threadIds, workspaceIds) => threadStore.workspacesOf(threadIds, workspaceIds),
    }),
  }
}

/** The use cases of workspaces over the sandboxes and services that their threads have. */
export function makeWorkspacePart(options: {
  open: OpenDatabase
  base: WorkspaceBase
  settings: Settings
  sandboxStore: SandboxStore
  serviceStore: ServiceStore
  host: HostClient
  operations: Operations
  userHub: UserHub
  audit: Audit
  system: System
  undoMs: number
  onValuesChanged: () => Promise<void>
  onThreadDeleted: (threadId: string) => void
  onUsableChanged: () => void
}): Workspaces {
  const { base, settings, sandboxStore, serviceStore, host } = options
  const connectionStore = makeConnectionStore(tablesOf<ConnectionTables>(options.open.database))
  return makeWorkspaces({
    ...options,
    store: base.workspaceStore,
    access: base.access,
    threads: base.workspaceThreads,
    installation: async () => ({ policy: await settings.policy(), limits: await settings.limits() }),
    sandboxesOf: async (threadIds) => {
      const rows = (await sandboxStore.list(threadIds)).filter((row) => row.has_run === 1)
      return new Map(rows.map((row) => [row.thread_id, { sandboxId: row.id, state: row.state as SandboxState }]))
    },
    diskBytesOf: async (sandboxId) => {
      const sandbox = await host.get(sandboxId, { withUsage: true }).catch(() => undefined)
      return sandbox?.diskUsedBytes ?? null
    },
    servicesOf: (threadIds) => serviceStore.names(threadIds),
    connectionsOf: (workspaceId) => connectionStore.namesIn(workspaceId),
  })
}
