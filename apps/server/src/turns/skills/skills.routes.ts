import { posix } from 'node:path'
import { z } from '@hono/zod-openapi'
import {
  moveSkillSchema,
  saveSkillSchema,
  skillContentSchema,
  skillSchema,
  skillsSchema,
  threadSkillsSchema,
} from '@threadbox/protocol/public'
import {
  type Api,
  type ApiContext,
  defineRoute,
  idParam,
  jsonAnswer,
  jsonBody,
  makeApi,
  threadParams,
} from '../../platform/http/api.ts'
import { contentHeaders } from '../../platform/http/user-content.ts'
import type { Files } from '../../sandboxes/public.ts'
import type { ThreadSetups, Threads } from '../../threads/public.ts'
import { parseSkillFolder, parseSkillUpload } from './skill-intake.ts'
import { presentEffectiveSkills } from './skills.presenter.ts'
import type { ReadSkill, Skills } from './skills.usecases.ts'

const tags = ['skills']
const params = z.object({ skillId: idParam })
const answer = { 200: jsonAnswer(skillSchema, 'The skill.') }
const created = { 201: jsonAnswer(skillSchema, 'The new skill.') }
const path = '/skills/{skillId}' as const
const accepted = 'a zip (application/zip), a SKILL.md (text/markdown), or a form with its files, each named by its path'

const listRoute = defineRoute({
  action: 'skills.read',
  method: 'get',
  path: '/skills',
  tags,
  summary: 'List your skills and those of your workspaces',
  responses: { 200: jsonAnswer(skillsSchema, 'All skills, sorted by name.') },
})
const createSkillRoute = defineRoute({
  action: 'skills.manage',
  method: 'post',
  path: '/skills',
  tags,
  summary: `Add a skill for all your threads or a workspace’s threads. Body: ${accepted}`,
  request: { query: z.object({ workspaceId: z.string().min(1).max(64).optional() }) },
  responses: created,
})
const getRoute = defineRoute({
  action: 'skills.read',
  method: 'get',
  path,
  tags,
  summary: 'Get a skill’s SKILL.md and file names',
  request: { params },
  responses: { 200: jsonAnswer(skillContentSchema, 'The skill with its instructions.') },
})
const replaceRoute = defineRoute({
  action: 'skills.manage',
  method: 'put',
  path: `${path}/content`,
  tags,
  summary: `Replace a skill’s contents. A SKILL.md alone keeps its other files. Body: ${accepted}. Send \`if-match\` with its version to avoid overwriting someone else’s changes`,
  request: { params, headers: z.object({ 'if-match': z.string().max(200).optional() }) },
  responses: answer,
})
const moveRoute = defineRoute({
  action: 'skills.manage',
  method: 'patch',
  path,
  tags,
  summary: 'Move a skill to a workspace, or make it available to all your threads',
  request: { params, body: jsonBody(moveSkillSchema) },
  responses: answer,
})
const deleteRoute = defineRoute({
  action: 'skills.manage',
  method: 'delete',
  path,
  tags,
  summary: 'Delete a skill',
  request: { params },
  responses: answer,
})
const archiveRoute = defineRoute({
  action: 'skills.read',
  method: 'get',
  path: `${path}/archive`,
  tags,
  summary: 'Download a skill’s folder as a zip',
  request: { params },
  responses: { 200: { description: 'The zip.', content: { 'application/zip': { schema: z.string() } } } },
})
const ofThreadRoute = defineRoute({
  action: 'skills.read',
  method: 'get',
  path: '/threads/{threadId}/skills',
  tags,
  summary: 'List the skills available in a thread and where each comes from',
  request: { params: threadParams },
  responses: { 200: jsonAnswer(threadSkillsSchema, 'The skills, sorted by name.') },
})
const saveRoute = defineRoute({
  action: 'skills.manage',
  method: 'post',
  path: '/threads/{threadId}/skills',
  tags,
  summary: 'Save a sandbox folder as a skill',
  request: { params: threadParams, body: jsonBody(saveSkillSchema) },
  responses: created,
})

export function skillRoutes({
  skills,
  threads,
  files,
  placeOf,
}: {
  skills: Skills
  threads: Threads
  files: Files
  /** Returns the scope that decides which skills a thread has. */
  placeOf: ThreadSetups['placeOf']
}): Api {
  const api = makeApi()
  const userId = (context: Pick<ApiContext, 'get'>) => context.get('caller').userId
  const bodyOf =
    (context: ApiContext): ReadSkill =>
    (present) =>
      parseSkillUpload(context.req.raw.body, context.req.header('content-type') ?? '', present)

  api.openapi(listRoute, async (context) => context.json(await skills.list(userId(context)), 200))
  api.openapi(createSkillRoute, async (context) => {
    const { workspaceId = null } = context.req.valid('query')
    return context.json(await skills.create(userId(context), workspaceId, bodyOf(context)), 201)
  })
  api.openapi(getRoute, async (context) =>
    context.json(await skills.get(userId(context), context.req.valid('param').skillId), 200),
  )
  api.openapi(replaceRoute, async (context) => {
    const { skillId } = context.req.valid('param')
    const over = context.req.valid('header')['if-match']
    return context.json(await skills.replace(userId(context), { skillId, over, readSkill: bodyOf(context) }), 200)
  })
  api.openapi(moveRoute, async (context) => {
    const { workspaceId } = context.req.valid('json')
    return context.json(await skills.move(userId(context), context.req.valid('param').skillId, workspaceId), 200)
  })
  api.openapi(deleteRoute, async (context) =>
    context.json(await skills.delete(userId(context), context.req.valid('param').skillId), 200),
  )
  api.openapi(archiveRoute, async (context) => {
    const { name, content } = await skills.archive(userId(context), context.req.valid('param').skillId)
    const headers = contentHeaders({ mediaType: 'application/zip', name: `${name}.zip`, isDownload: true })
    return context.newResponse(ReadableStream.from(content) as ReadableStream<Uint8Array>, 200, headers)
  })
  api.openapi(ofThreadRoute, async (context) => {
    const row = await threads.open(userId(context), context.req.valid('param').threadId)
    const effective = await skills.ofThread(await placeOf(row))
    return context.json({ skills: presentEffectiveSkills(effective) }, 200)
  })
  api.openapi(saveRoute, async (context) => {
    const { threadId } = context.req.valid('param')
    await threads.open(userId(context), threadId)
    const { path: folder, workspaceId } = context.req.valid('json')
    const { signal } = context.req.raw
    const readSkill = async () =>
      parseSkillFolder(
        await files.archive(threadId, folder, {
          only: [],
          signal,
          beforeWake: () => context.get('authorize')('sandboxes.work'),
        }),
        posix.basename(posix.resolve(folder)),
      )
    return context.json(await skills.create(userId(context), workspaceId, readSkill), 201)
  })
  return api
}
