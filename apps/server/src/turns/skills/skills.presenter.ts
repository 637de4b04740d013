import type { Skill, ThreadSkills } from '@threadbox/protocol/public'
import type { SkillRow } from './skills.table.ts'

export function presentSkill(row: SkillRow): Skill {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    name: row.name,
    description: row.description,
    license: row.license,
    compatibility: row.compatibility,
    isText: row.file_count === 1,
    fileCount: row.file_count,
    sizeBytes: row.size_bytes,
    version: row.digest,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

/** The skills of a thread: its workspace's, and the owner's own whose names the workspace doesn't use. */
export function effectiveSkills(rows: readonly SkillRow[]): SkillRow[] {
  const ofWorkspace = new Set(rows.filter((row) => row.workspace_id !== null).map(({ name }) => name))
  return rows.filter((row) => row.workspace_id !== null || !ofWorkspace.has(row.name))
}

export function presentEffectiveSkills(rows: readonly SkillRow[]): ThreadSkills['skills'] {
  return rows.map(({ id, name, description, workspace_id }) => {
    return { id, name, description, from: workspace_id === null ? 'person' : 'workspace' }
  })
}
