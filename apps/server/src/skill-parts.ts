import type { Logger } from '@threadbox/telemetry'
import type { Audit } from './people/audit/audit.ts'
import type { BlobStore } from './platform/blobs/blob-store.ts'
import { type OpenDatabase, tablesOf } from './platform/database/database.ts'
import type { Operations } from './platform/operations/operations.ts'
import type { System } from './platform/system/system.ts'
import type { HostClient } from './sandboxes/host/host-client.ts'
import type { SandboxStore } from './sandboxes/state/sandboxes.store.ts'
import type { ThreadStore } from './threads/log/threads.store.ts'
import type { ThreadSetups } from './threads/setups/thread-setups.ts'
import type { ThreadArea } from './threads/threads.ts'
import type { Workspaces } from './threads/workspaces/workspaces.usecases.ts'
import { makeSkillPackages } from './turns/skills/skill-packages.ts'
import { makeSkillPlacement, type SkillPlacement } from './turns/skills/skill-placement.ts'
import { makeSkillStore } from './turns/skills/skills.store.ts'
import type { SkillTables } from './turns/skills/skills.table.ts'
import { makeSkills, type Skills } from './turns/skills/skills.usecases.ts'

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
  area: ThreadArea
  workspaces: Workspaces
  threadStore: ThreadStore
  setups: ThreadSetups
  sandboxParts: { sandboxStore: SandboxStore }
}): SkillParts {
  const { area, workspaces, threadStore } = options
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
    access: area.access,
    requireWorkspace: (userId, workspaceId) => workspaces.requireOpen(userId, workspaceId),
    workspaceIdsOf: async (userId) => (await workspaces.list(userId)).workspaces.map(({ id }) => id),
    onChanged: async (home) => {
      skillPlacement.refresh()
      await area.tellHome(home, { type: 'skills-updated' })
    },
  })
  return { skills, skillPlacement }
}
