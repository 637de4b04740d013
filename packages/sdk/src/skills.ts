import type { MoveSkill, SaveSkill, Skill, SkillContent, Skills, ThreadSkills } from '@threadbox/protocol/public'
import type { Connection } from './request.ts'

/** A file of a skill: its path below the skill’s folder, or starting with that folder. */
type SkillUpload = { path: string; content: Blob }

/** The forms of a skill upload: a zip, the text of a `SKILL.md`, or the files of its folder. */
export type SkillBody = Blob | string | readonly SkillUpload[]

/** Skills of users and workspaces in the open Agent Skills format. */
export function skillCalls(connection: Connection) {
  const at = (skillId: string, rest = '') => `/skills/${encodeURIComponent(skillId)}${rest}`
  return {
    list: (signal?: AbortSignal) => connection.json<Skills>('GET', '/skills', { signal }),
    /** Gets a skill with the text of its `SKILL.md` and the names of its files. */
    get: (skillId: string, signal?: AbortSignal) => connection.json<SkillContent>('GET', at(skillId), { signal }),
    /** Creates a skill for all threads of the user, or for those of a workspace. */
    create: (skill: SkillBody, options: { workspaceId?: string | null } = {}) =>
      connection.json<Skill>('POST', '/skills', { query: { workspaceId: options.workspaceId }, ...bodyOf(skill) }),
    /**
     * Replaces the content of a skill; the text of a `SKILL.md` keeps the other files. With `ifMatch`, a version, it
     * fails with `skill.changed` if the skill was changed in the meantime.
     */
    replace: (skillId: string, skill: SkillBody, options: { ifMatch?: string } = {}) => {
      const { body, headers = {} } = bodyOf(skill)
      if (options.ifMatch !== undefined) headers['if-match'] = options.ifMatch
      return connection.json<Skill>('PUT', at(skillId, '/content'), { body, headers })
    },
    move: (skillId: string, request: MoveSkill) => connection.json<Skill>('PATCH', at(skillId), { json: request }),
    delete: (skillId: string) => connection.json<Skill>('DELETE', at(skillId)),
    /** The address of the skill’s folder as a zip. */
    archiveUrl: (skillId: string) => connection.url(at(skillId, '/archive')),
    /** Lists the skills that the agent has in a thread. */
    ofThread: (threadId: string, signal?: AbortSignal) =>
      connection.json<ThreadSkills>('GET', `/threads/${encodeURIComponent(threadId)}/skills`, { signal }),
    /** Saves a folder of the thread’s sandbox as a skill; wakes the sandbox if its disk cannot be read. */
    saveFolder: (threadId: string, request: SaveSkill) =>
      connection.json<Skill>('POST', `/threads/${encodeURIComponent(threadId)}/skills`, { json: request }),
  }
}

function bodyOf(skill: SkillBody): { body: Blob | FormData; headers?: Record<string, string> } {
  if (typeof skill === 'string') return { body: new Blob([skill]), headers: { 'content-type': 'text/markdown' } }
  if (skill instanceof Blob) return { body: skill, headers: { 'content-type': 'application/zip' } }
  const form = new FormData()
  for (const { path, content } of skill) form.append(path, content, 'file')
  return { body: form }
}
