import type { Skill, Workspace } from '@threadbox/sdk'

/** Skills by scope: those for all threads, then workspace by workspace. */
export type SkillGroup = { workspace: Workspace | null; skills: Skill[] }

/** The group for all threads is present even if it is empty; a workspace only with skills. */
export function groupSkills(skills: readonly Skill[], workspaces: readonly Workspace[]): SkillGroup[] {
  const of = (workspaceId: string | null) => skills.filter((skill) => skill.workspaceId === workspaceId)
  const inWorkspaces = workspaces.map((workspace) => ({ workspace, skills: of(workspace.id) }))
  return [{ workspace: null, skills: of(null) }, ...inWorkspaces.filter(({ skills: own }) => own.length > 0)]
}

/** The initial text of a new `SKILL.md`. */
export function skillDraft(words: { description: string; steps: string }): string {
  return `---\nname: my-skill\ndescription: ${words.description}\n---\n\n${words.steps}\n`
}
