import { makeKeyedLock } from '@threadbox/concurrency'
import type { WorkspaceAction } from '@threadbox/domain'
import { type ZipEntry, zipStream } from '@threadbox/protocol/archive'
import { packSkill, type SkillFile } from '@threadbox/protocol/host'
import { maxSkillsPerHome, type Skill, type SkillContent, type Skills as SkillsView } from '@threadbox/protocol/public'
import type { Audit, LeavingPart } from '../../people/public.ts'
import { isUniqueViolation } from '../../platform/database/database.ts'
import type { Operations } from '../../platform/operations/operations.ts'
import type { System } from '../../platform/system/system.ts'
import { type Access, workspaceNotFound } from '../../threads/public.ts'
import { makeLeavingSkills } from './leaving-skills.ts'
import type { CheckedSkill } from './skill-files.logic.ts'
import type { SkillPackages } from './skill-packages.ts'
import { skillChanged, skillLimitReached, skillNameTaken, skillNotFound } from './skills.errors.ts'
import { presentSkill } from './skills.presenter.ts'
import type { SkillStore } from './skills.store.ts'
import type { SkillRow } from './skills.table.ts'
import { type SkillScope, skillsOfThread } from './skills-of-thread.ts'

/** Deletes a skill with its content. */
export const eraseSkillOperation = 'erase-skill'

/**
 * Reads an uploaded skill; called after permissions were checked. `present`: the files of the skill that it replaces.
 */
export type ReadSkill = (present: readonly SkillFile[]) => Promise<CheckedSkill>

/**
 * Skills of users, which apply to all of their threads, and of workspaces, which apply to the threads in them. Every
 * method throws `skill.not-found`, also for a skill that the user has no access to; those with a workspace throw
 * `workspace.not-found` and `workspace.archived`.
 */
export type Skills = {
  list(userId: string): Promise<SkillsView>
  get(userId: string, skillId: string): Promise<SkillContent>
  /** Throws `skill.name-taken`, `skill.limit-reached`, and the errors of {@link ReadSkill}. */
  create(userId: string, workspaceId: string | null, readSkill: ReadSkill): Promise<Skill>
  /**
   * Replaces a skill's content, or its `SKILL.md`; the name can change with it. Throws `skill.changed` when the content
   * is not, or no longer, that of the version `over`.
   */
  replace(userId: string, change: { skillId: string; over: string | undefined; readSkill: ReadSkill }): Promise<Skill>
  move(userId: string, skillId: string, workspaceId: string | null): Promise<Skill>
  delete(userId: string, skillId: string): Promise<Skill>
  /** The skill's folder as a zip. */
  archive(userId: string, skillId: string): Promise<{ name: string; content: AsyncIterable<Buffer> }>
  /** The skill's package: equal content has equal bytes. */
  pack(userId: string, skillId: string): Promise<{ name: string; bytes: Uint8Array<ArrayBuffer> }>
  /** The skills of a thread's agent. */
  ofThread(thread: SkillScope): Promise<SkillRow[]>
  /** Call it before a workspace is deleted permanently. */
  eraseOf(workspaceId: string): Promise<void>
  leaving: LeavingPart
}

export type SkillsDependencies = {
  store: SkillStore
  packages: SkillPackages
  access: Access
  /** Throws unless the workspace exists and can be added to. */
  requireWorkspace: (userId: string, workspaceId: string) => Promise<void>
  workspaceIdsOf: (userId: string) => Promise<string[]>
  operations: Operations
  audit: Audit
  system: System
  /** Called when skills of this user or workspace have changed. */
  onChanged: (home: { userId: string; workspaceId: string | null }) => Promise<void>
}

export function makeSkills(dependencies: SkillsDependencies): Skills {
  const { store, packages, access, operations } = dependencies
  const oneAtATime = makeKeyedLock()
  const open = async (userId: string, skillId: string, action: WorkspaceAction = 'change') => {
    const row = await store.find(skillId)
    if (row === undefined) throw skillNotFound({})
    await access.require(userId, action, { subject: subjectOf(row), notFound: () => skillNotFound({}) })
    return row
  }
  const requireHome = async (userId: string, workspaceId: string | null) => {
    if (workspaceId === null) return access.requireOutside(userId)
    await dependencies.requireWorkspace(userId, workspaceId)
    const subject = { workspaceId, ownerId: userId, isPrivate: false }
    await access.require(userId, 'change', { subject, notFound: () => workspaceNotFound({}) })
  }
  const requireRoom = async (home: string) => {
    if ((await store.count(home)) >= maxSkillsPerHome) throw skillLimitReached({ limit: maxSkillsPerHome })
  }
  operations.register(eraseSkillOperation, async ({ subjectId }) => {
    // The deletion was requested, but the server may have ended before the row was removed.
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
      return { skills: rows.filter((row) => access.reaches(userId, row.workspace_id)).map(presentSkill) }
    },
    get: async (userId, skillId) => contentOf(dependencies, await open(userId, skillId, 'read')),
    create: async (userId, workspaceId, readSkill) => {
      await requireHome(userId, workspaceId)
      await requireRoom(workspaceId ?? userId)
      return await create(dependencies, { userId, workspaceId, skill: await readSkill([]) })
    },
    replace: async (userId, { skillId, over, readSkill }) => {
      const row = await open(userId, skillId)
      if (over !== undefined && over !== row.digest) throw skillChanged({ name: row.name })
      // Lost content can be replaced; if another request changed the skill in between, `replace` throws below.
      const skill = await readSkill((await packages.files(row.id, row.digest)) ?? [])
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
    leaving: makeLeavingSkills({ store, erase, onChanged: dependencies.onChanged }),
  }
}

function subjectOf(row: SkillRow) {
  return { workspaceId: row.workspace_id, ownerId: row.owner_id, isPrivate: false }
}

/** The content is stored before the row that refers to it, so that no row lacks its content, even after a crash. */
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

/**
 * Must run one at a time per skill, so that a replacement that comes too late can't affect the content that the row
 * then has.
 */
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
    // Only a deletion can interfere, because it doesn't wait for other changes.
    await packages.deleteAll(row.id)
    throw skillNotFound({})
  }
  if (digest !== row.digest) await packages.delete(row.id, row.digest)
  await audit.record({ userId, action: 'skill-changed', subject: row.id, details: { name: skill.name } })
  await dependencies.onChanged({ userId: row.owner_id, workspaceId: row.workspace_id })
  return presentSkill({ ...row, ...columns })
}

/** A skill moved out of a workspace belongs to the user who moves it. */
async function move(
  dependencies: SkillsDependencies,
  { userId, row, workspaceId }: { userId: string; row: SkillRow; workspaceId: string | null },
): Promise<Skill> {
  const columns = { workspace_id: workspaceId, home: workspaceId ?? userId, owner_id: userId }
  const isUpdated = await dependencies.store.update(row.id, columns).catch((error: unknown) => {
    if (isUniqueViolation(error)) throw skillNameTaken({ name: row.name })
    throw error
  })
  if (!isUpdated) throw skillNotFound({})
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
  // The skill was replaced or deleted since its row was read.
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
