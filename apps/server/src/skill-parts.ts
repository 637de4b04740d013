import type { Logger } from '@threadbox/telemetry'
import type { ThreadSetups } from './agents/thread-setups.ts'
import type { Audit } from './audit/audit.ts'
import type { BlobStore } from './blobs/blob-store.ts'
import { type OpenDatabase, tablesOf } from './database/database.ts'
import type { Operations } from './operations/operations.ts'
import type { HostClient } from './sandboxes/host-client.ts'
import type { SandboxStore } from './sandboxes/sandboxes.store.ts'
import { makeSkillPackages } from './skills/skill-packages.ts'
import { makeSkillPlacement, type SkillPlacement } from './skills/skill-placement.ts'
import { makeSkillStore } from './skills/skills.store.ts'
import type { SkillTables } from './skills/skills.table.ts'
import { makeSkills, type Skills } from './skills/skills.usecases.ts'
import type { System } from './system.ts'
import type { ThreadStore } from './threads/threads.store.ts'
import type { UserHub } from './threads/user-hub.ts'
import type { WorkspaceBase } from './workspace-parts.ts'
import { tellHome } from './workspaces/tell-home.ts'
import type { Workspaces } from './workspaces/workspaces.usecases.ts'

/** Skills, and what brings them into the sandboxes of the threads that have them. */
export type SkillParts = { skills: Skills; skillPlacement: SkillPlacement }

export function makeSkillParts(options: {
  open: OpenDatabase
  blobs: BlobStore
  host: HostClient
  operations: Operations
  audit: Audit
  system: System
  logger: Logger
  base: WorkspaceBase
  workspaces: Workspaces
  threadStore: ThreadStore
  setups: ThreadSetups
  sandboxParts: { sandboxStore: SandboxStore }
  userHub: UserHub
}): SkillParts {
  const { base, workspaces, threadStore, userHub } = options
  const { sandboxStore } = options.sandboxParts
  const packages = makeSkillPackages(options.blobs)
  const skillPlacement = makeSkillPlacement({
    ...options,
    packages,
    skillsOf: async (threadId) => {
      const row = await threadStore.findAny(threadId)
      return row === undefined ? [] : await skills.ofThread(await options.setups.placeOf(row))
    },
    awake: async () => {
      const rows = (await sandboxStore.all()).filter((row) => row.state === 'active')
      return rows.map((row) => ({ threadId: row.thread_id, sandboxId: row.id, bootId: row.boot_id ?? '' }))
    },
  })
  const skills = makeSkills({
    ...options,
    store: makeSkillStore(tablesOf<SkillTables>(options.open.database)),
    packages,
    access: base.access,
    requireWorkspace: (userId, workspaceId) => workspaces.requireOpen(userId, workspaceId),
    workspaceIdsOf: async (userId) => (await workspaces.list(userId)).workspaces.map(({ id }) => id),
    onChanged: async (home) => {
      skillPlacement.refresh()
      await tellHome({ workspaceStore: base.workspaceStore, userHub }, { home, event: { type: 'skills-updated' } })
    },
  })
  return { skills, skillPlacement }
}
