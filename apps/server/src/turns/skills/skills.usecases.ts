import { makeKeyedLock } from '@threadbox/concurrency'
import type { WorkspaceAction } from '@threadbox/domain'
import { type ZipEntry, zipStream } from '@threadbox/protocol/archive'
import { packSkill, type SkillFile } from '@threadbox/protocol/host'
import { maxSkillsPerHome, type Skill, type SkillContent, type Skills as SkillsView } from '@threadbox/protocol/public'
import type { Audit } from '../../people/public.ts'
import { isUniqueViolation } from '../../platform/database/database.ts'
import type { Operations } from '../../platform/operations/operations.ts'
import type { System } from '../../platform/system/system.ts'
import { type Access, workspaceNotFound } from '../../threads/public.ts'
import type { CheckedSkill } from './skill-files.models.ts'
import type { SkillPackages } from './skill-packages.ts'
import { skillChanged, skillLimitReached, skillNameTaken, skillNotFound } from './skills.errors.ts'
import { presentSkill } from './skills.presenter.ts'
import type { SkillStore } from './skills.store.ts'
import type { SkillRow } from './skills.table.ts'
import { type SkillPlace, skillsOfThread } from './skills-of-thread.ts'

/** Removes a skill that is to go, with its content. */
export const eraseSkillOperation = 'erase-skill'

/** Reads what was sent as a skill, once it is known that it may be. `present`: the files of the one that it replaces. */
export type TakeIn = (present: readonly SkillFile[]) => Promise<CheckedSkill>

/**
 * Skills of people, which all of their threads have, and of workspaces, which the threads in them have. Every method
 * throws `skill.not-found`, also for a skill that the person has no part in; those that take a workspace throw
 * `workspace.not-found` and `workspace.archived`.
 */
export type Skills = {
  list(userId: string): Promise<SkillsView>
  get(userId: string, skillId: string): Promise<SkillContent>
  /** Throws `skill.name-taken`, `skill.limit-reached`, and what {@link TakeIn} throws. */
  create(userId: string, workspaceId: string | null, takeIn: TakeIn): Promise<Skill>
  /**
   * Puts another content in the place of a skill's, or of its `SKILL.md`; its name may be another one then. Throws
   * `skill.changed` when its content is not, or no longer, that of the version `over`.
   */
  replace(userId: string, change: { skillId: string; over: string | undefined; takeIn: TakeIn }): Promise<Skill>
  move(userId: string, skillId: string, workspaceId: string | null): Promise<Skill>
  delete(userId: string, skillId: string): Promise<Skill>
  /** Its folder as a zip. */
  archive(userId: string, skillId: string): Promise<{ name: string; content: AsyncIterable<Buffer> }>
  /** Its package: the same content is the same bytes. */
  pack(userId: string, skillId: string): Promise<{ name: string; bytes: Uint8Array<ArrayBuffer> }>
  /** What the agent of a thread has. */
  ofThread(thread: SkillPlace): Promise<SkillRow[]>
  /** Before a workspace is removed for good. */
  eraseOf(workspaceId: string): Promise<void>
}

export type SkillsDependencies = {
  store: SkillStore
  packages: SkillPackages
  access: Access
  /** Throws unless the workspace is there and may be added to. */
  requireWorkspace: (userId: string, workspaceId: string) => Promise<void>
  workspaceIdsOf: (userId: string) => Promise<string[]>
  operations: Operations
  audit: Audit
  system: System
  /** Skills of this person or workspace are others than before. */
  onChanged: (home: { userId: string; workspaceId: string | null }) => Promise<void>
}

export function makeSkills(dependencies: SkillsDependencies): Skills {
  const { store, packages, access, operations } = dependencies
  const oneAtATime = makeKeyedLock()
  const open = async (userId: string, skillId: string, action: WorkspaceAction = 'manage') => {
    const row = await store.find(skillId)
    if (row === undefined || !(await access.may(userId, action, subjectOf(row)))) throw skillNotFound({})
    return row
  }
  const requireHome = async (userId: string, workspaceId: string | null) => {
    if (workspaceId === null) return
    await dependencies.requireWorkspace(userId, workspaceId)
    if (!(await access.may(userId, 'manage', { workspaceId, ownerId: userId }))) throw workspaceNotFound({})
  }
  const requireRoom = async (home: string) => {
    if ((await store.count(home)) >= maxSkillsPerHome) throw skillLimitReached({ limit: maxSkillsPerHome })
  }
  operations.register(eraseSkillOperation, async ({ subjectId }) => {
    // Somebody wants it gone, also when the server ended before its row was removed.
    await store.remove(subjectId)
    await packages.deleteAll(subjectId)
  })
  const erase = async (skillId: string) => {
    await operations.plan({ kind: eraseSkillOperation, subjectId: skillId, dueAt: dependencies.system.now() })
    await store.remove(skillId)
  }
  return {
    list: async (userId) => {
      const rows = await store.list([userId, ...(await dependencies.workspaceIdsOf(userId))])
      return { skills: rows.map(presentSkill) }
    },
    get: async (userId, skillId) => contentOf(dependencies, await open(userId, skillId, 'read')),
    create: async (userId, workspaceId, takeIn) => {
      await requireHome(userId, workspaceId)
      await requireRoom(workspaceId ?? userId)
      return await create(dependencies, { userId, workspaceId, skill: await takeIn([]) })
    },
    replace: async (userId, { skillId, over, takeIn }) => {
      const row = await open(userId, skillId)
      if (over !== undefined && over !== row.digest) throw skillChanged({ name: row.name })
      // Content that is lost can be replaced all the same; of one that became another one the row says so below.
      const skill = await takeIn((await packages.files(row.id, row.digest)) ?? [])
      return await oneAtATime(skillId, () => replace(dependencies, { userId, row, skill }))
    },
    move: async (userId, skillId, workspaceId) => {
      const row = await open(userId, skillId)
      if (row.workspace_id === workspaceId) return presentSkill(row)
      await requireHome(userId, workspaceId)
      await requireRoom(workspaceId ?? userId)
      return await move(dependencies, { userId, row, workspaceId })
    },
    delete: async (userId, skillId) => {
      const row = await open(userId, skillId)
      await erase(skillId)
      await dependencies.audit.record({
        userId,
        action: 'skill-deleted',
        subject: skillId,
        details: { name: row.name },
      })
      await dependencies.onChanged({ userId: row.owner_id, workspaceId: row.workspace_id })
      return presentSkill(row)
    },
    archive: async (userId, skillId) => {
      const row = await open(userId, skillId, 'read')
      return { name: row.name, content: zipStream(zipEntries(row, await filesOf(dependencies, row))) }
    },
    pack: async (userId, skillId) => {
      const row = await open(userId, skillId, 'read')
      return { name: row.name, bytes: packSkill(await filesOf(dependencies, row)) }
    },
    ofThread: (thread) => skillsOfThread(store, thread),
    eraseOf: async (workspaceId) => {
      for (const skillId of await store.idsIn(workspaceId)) await erase(skillId)
    },
  }
}

function subjectOf(row: SkillRow) {
  return { workspaceId: row.workspace_id, ownerId: row.owner_id }
}

/** The content is kept before the row that names it: a row without content is never there, not even after a crash. */
async function create(
  dependencies: SkillsDependencies,
  { userId, workspaceId, skill }: { userId: string; workspaceId: string | null; skill: CheckedSkill },
): Promise<Skill> {
  const { store, packages, system, audit } = dependencies
  const id = system.newId('skill')
  const now = system.now()
  const owned = { id, owner_id: userId, workspace_id: workspaceId, home: workspaceId ?? userId }
  const digest = await packages.put(id, skill.files)
  const row: SkillRow = { ...owned, ...columnsOf(skill), digest, created_at: now, updated_at: now }
  try {
    await store.insert(row)
  } catch (error) {
    await packages.deleteAll(id)
    if (isUniqueViolation(error)) throw skillNameTaken({ name: skill.name })
    throw error
  }
  await audit.record({ userId, action: 'skill-added', subject: id, details: { name: skill.name } })
  await dependencies.onChanged({ userId, workspaceId })
  return presentSkill(row)
}

/** One at a time for a skill: the content of one that is too late is not what the row has meanwhile. */
async function replace(
  dependencies: SkillsDependencies,
  { userId, row, skill }: { userId: string; row: SkillRow; skill: CheckedSkill },
): Promise<Skill> {
  const { store, packages, system, audit } = dependencies
  const current = await store.find(row.id)
  if (current === undefined) throw skillNotFound({})
  if (current.digest !== row.digest) throw skillChanged({ name: current.name })
  const digest = await packages.put(row.id, skill.files)
  const columns = { ...columnsOf(skill), digest, updated_at: system.now() }
  const isReplaced = await store.replace(row.id, { digest: row.digest, columns }).catch(async (error: unknown) => {
    if (digest !== row.digest) await packages.delete(row.id, digest)
    if (isUniqueViolation(error)) throw skillNameTaken({ name: skill.name })
    throw error
  })
  if (!isReplaced) {
    // Only a deletion does not wait for others.
    await packages.deleteAll(row.id)
    throw skillNotFound({})
  }
  if (digest !== row.digest) await packages.delete(row.id, row.digest)
  await audit.record({ userId, action: 'skill-changed', subject: row.id, details: { name: skill.name } })
  await dependencies.onChanged({ userId: row.owner_id, workspaceId: row.workspace_id })
  return presentSkill({ ...row, ...columns })
}

/** Who moves a skill out of a workspace has it. */
async function move(
  dependencies: SkillsDependencies,
  { userId, row, workspaceId }: { userId: string; row: SkillRow; workspaceId: string | null },
): Promise<Skill> {
  const columns = { workspace_id: workspaceId, home: workspaceId ?? userId, owner_id: userId }
  const isThere = await dependencies.store.update(row.id, columns).catch((error: unknown) => {
    if (isUniqueViolation(error)) throw skillNameTaken({ name: row.name })
    throw error
  })
  if (!isThere) throw skillNotFound({})
  await dependencies.audit.record({ userId, action: 'skill-changed', subject: row.id, details: { name: row.name } })
  await dependencies.onChanged({ userId: row.owner_id, workspaceId: row.workspace_id })
  await dependencies.onChanged({ userId, workspaceId })
  return presentSkill({ ...row, ...columns })
}

function columnsOf(skill: CheckedSkill) {
  const { name, description, license, compatibility, files } = skill
  const size_bytes = files.reduce((total, { content }) => total + content.byteLength, 0)
  return { name, description, license, compatibility, file_count: files.length, size_bytes }
}

async function filesOf({ packages, store }: SkillsDependencies, row: SkillRow): Promise<SkillFile[]> {
  const files = await packages.files(row.id, row.digest)
  if (files !== undefined) return files
  // Replaced or deleted since its row was read.
  throw (await store.find(row.id)) === undefined ? skillNotFound({}) : skillChanged({ name: row.name })
}

async function contentOf(dependencies: SkillsDependencies, row: SkillRow): Promise<SkillContent> {
  const files = await filesOf(dependencies, row)
  const main = files.find(({ path }) => path === 'SKILL.md')
  return {
    ...presentSkill(row),
    text: new TextDecoder().decode(main?.content),
    files: files.map(({ path, content, isExecutable }) => ({ path, sizeBytes: content.byteLength, isExecutable })),
  }
}

async function* zipEntries(row: SkillRow, files: readonly SkillFile[]): AsyncGenerator<ZipEntry> {
  for (const { path, isExecutable, content } of files) {
    yield {
      name: Buffer.from(`${row.name}/${path}`),
      mode: isExecutable ? 0o100755 : 0o100644,
      modifiedAt: new Date(row.updated_at),
      size: content.byteLength,
      content: Buffer.from(content),
    }
  }
}
