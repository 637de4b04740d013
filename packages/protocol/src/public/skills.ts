import { z } from 'zod'
import { sandboxPathSchema } from './files.ts'

/** Limit of a request with a skill; the unpacked skill has the same limit. */
export const maxSkillBytes = 16 * 1024 * 1024
/**
 * Limit of skills that a user has for all threads, and that a workspace has. Each is a line in every request to the
 * model.
 */
export const maxSkillsPerHome = 100

/** A skill in the open Agent Skills format, as its `SKILL.md` describes it. */
export const skillSchema = z
  .object({
    id: z.string(),
    /** In threads of this workspace; null: in all threads of the user. */
    workspaceId: z.string().nullable(),
    /** Also its folder: `/skills/<name>` in the sandbox. */
    name: z.string(),
    description: z.string(),
    license: z.string().nullable(),
    compatibility: z.string().nullable(),
    /** Whether it holds nothing but a `SKILL.md`, so that all of it can be edited as text. */
    isText: z.boolean(),
    fileCount: z.number().int(),
    sizeBytes: z.number().int(),
    /** Changes whenever the content does; sent as `if-match` when the content is replaced. */
    version: z.string(),
    createdAt: z.number().int(),
    updatedAt: z.number().int(),
  })
  .meta({ id: 'Skill' })
export type Skill = z.infer<typeof skillSchema>

/** `GET /skills`: the user’s own and those of the user’s workspaces, ordered by name. */
export const skillsSchema = z.object({ skills: z.array(skillSchema) }).meta({ id: 'Skills' })
export type Skills = z.infer<typeof skillsSchema>

/** `GET /skills/{id}`: with its instructions and the names of its files. */
export const skillContentSchema = skillSchema
  .extend({
    /** The whole `SKILL.md`. */
    text: z.string(),
    files: z.array(z.object({ path: z.string(), sizeBytes: z.number().int(), isExecutable: z.boolean() })),
  })
  .meta({ id: 'SkillContent' })
export type SkillContent = z.infer<typeof skillContentSchema>

/** `PATCH /skills/{id}`: into a workspace, or out of it for all threads (`null`). */
export const moveSkillSchema = z.strictObject({ workspaceId: z.string().min(1).max(64).nullable() })
export type MoveSkill = z.infer<typeof moveSkillSchema>

/** `POST /threads/{id}/skills`: saves a folder of the thread's sandbox as a skill. */
export const saveSkillSchema = z.strictObject({
  path: sandboxPathSchema,
  workspaceId: z.string().min(1).max(64).nullable(),
})
export type SaveSkill = z.infer<typeof saveSkillSchema>

/** `GET /threads/{id}/skills`: the agent’s skills, and the scope of each. */
export const threadSkillsSchema = z
  .object({
    skills: z.array(
      z.object({ id: z.string(), name: z.string(), description: z.string(), from: z.enum(['person', 'workspace']) }),
    ),
  })
  .meta({ id: 'ThreadSkills' })
export type ThreadSkills = z.infer<typeof threadSkillsSchema>
