import type { People } from './people/people.ts'
import { tablesOf } from './platform/database/database.ts'
import type { Platform } from './platform/platform.ts'
import type { HostClient } from './sandboxes/host/host-client.ts'
import type { SandboxArea } from './sandboxes/sandboxes.ts'
import type { ThreadArea } from './threads/threads.ts'
import { makeSkillPackages } from './turns/skills/skill-packages.ts'
import { makeSkillPlacement, type SkillPlacement } from './turns/skills/skill-placement.ts'
import { makeSkillStore } from './turns/skills/skills.store.ts'
import type { SkillTables } from './turns/skills/skills.table.ts'
import { makeSkills, type Skills } from './turns/skills/skills.usecases.ts'

/** Skills, and what brings them into the sandboxes of the threads that have them. */
export type SkillParts = { skills: Skills; skillPlacement: SkillPlacement }

export function makeSkillParts(
  known: { platform: Platform; people: People; area: ThreadArea; sandboxArea: SandboxArea },
  { host }: { host: HostClient },
): SkillParts {
  const { area, sandboxArea } = known
  const { open, blobs, operations, system, logger } = known.platform
  const { workspaces } = area
  const packages = makeSkillPackages(blobs)
  const store = makeSkillStore(tablesOf<SkillTables>(open.database))
  const skills = makeSkills({
    store,
    packages,
    operations,
    audit: known.people.audit,
    system,
    access: area.access,
    requireWorkspace: workspaces.requireOpen,
    workspaceIdsOf: async (userId) => (await workspaces.list(userId)).workspaces.map(({ id }) => id),
    onChanged: async (home) => {
      skillPlacement.refresh()
      await area.tellHome(home, { type: 'skills-updated' })
    },
  })
  const skillPlacement = makeSkillPlacement({
    host,
    logger,
    packages,
    skillsOf: async (threadId) => {
      const row = await area.rows.findAny(threadId)
      return row === undefined ? [] : await skills.ofThread(await area.setups.placeOf(row))
    },
    awake: async () => {
      const rows = (await sandboxArea.store.all()).filter((row) => row.state === 'active')
      return rows.map((row) => ({ threadId: row.thread_id, sandboxId: row.id, bootId: row.boot_id ?? '' }))
    },
  })
  sandboxArea.addPreparer((threadId, { sandboxId, bootId }) => skillPlacement.deliver({ threadId, sandboxId, bootId }))
  sandboxArea.events.on('host-changed', ({ isReachable }) => {
    if (isReachable) skillPlacement.refresh()
  })
  area.events.on('inheritance-changed', skillPlacement.refresh)
  area.addWorkspaceEraser(skills.eraseOf)
  return { skills, skillPlacement }
}
