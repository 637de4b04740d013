import type { Logger } from '@threadbox/telemetry'
import type { Audit } from '../../people/public.ts'
import type { BlobStore } from '../../platform/blobs/blob-store.ts'
import { type OpenDatabase, tablesOf } from '../../platform/database/database.ts'
import type { Api } from '../../platform/http/api.ts'
import type { Operations } from '../../platform/operations/operations.ts'
import type { System } from '../../platform/system/system.ts'
import type { Files, HostClient } from '../../sandboxes/public.ts'
import type { Access, Home, ThreadRows, ThreadSetups, Threads } from '../../threads/public.ts'
import { makeSkillPackages } from './skill-packages.ts'
import { type AwakeThread, makeSkillPlacement, type SkillPlacement } from './skill-placement.ts'
import { skillRoutes } from './skills.routes.ts'
import { makeSkillStore } from './skills.store.ts'
import type { SkillTables } from './skills.table.ts'
import { makeSkills, type Skills } from './skills.usecases.ts'
import { skillsOfThread } from './skills-of-thread.ts'

/** Skills and their delivery to sandboxes. */
export type SkillsFeature = { skills: Skills; placement: SkillPlacement; routes: Api }

type SkillThreads = {
  access: Access
  rows: Pick<ThreadRows, 'findAny'>
  setups: Pick<ThreadSetups, 'placeOf'>
  threads: Threads
  workspaceIdsOf: (userId: string) => Promise<string[]>
  /** Throws unless the workspace exists and can be added to. */
  requireWorkspace: (userId: string, workspaceId: string) => Promise<void>
  notifyMembers: (home: Home, event: { type: 'skills-updated' }) => Promise<void>
}

export function makeSkillsFeature(ports: {
  open: OpenDatabase
  blobs: BlobStore
  operations: Operations
  host: HostClient
  files: Files
  threads: SkillThreads
  awake: () => Promise<AwakeThread[]>
  audit: Audit
  system: System
  logger: Logger
}): SkillsFeature {
  const { open, blobs, operations, host, files, audit, system, logger } = ports
  const { access, rows, setups, threads, notifyMembers, workspaceIdsOf, requireWorkspace } = ports.threads
  const packages = makeSkillPackages(blobs)
  const store = makeSkillStore(tablesOf<SkillTables>(open.database))
  const placement = makeSkillPlacement({
    host,
    logger,
    packages,
    skillsOf: async (threadId) => {
      const row = await rows.findAny(threadId)
      return row === undefined ? [] : await skillsOfThread(store, await setups.placeOf(row))
    },
    awake: ports.awake,
  })
  const skills = makeSkills({
    store,
    packages,
    operations,
    audit,
    system,
    access,
    requireWorkspace,
    workspaceIdsOf,
    onChanged: async (home) => {
      placement.refresh()
      await notifyMembers(home, { type: 'skills-updated' })
    },
  })
  return { skills, placement, routes: skillRoutes({ skills, threads, files, placeOf: setups.placeOf }) }
}
