import { z } from '@hono/zod-openapi'
import { gitDiffSchema, gitFilePathSchema, gitLookSchema, sandboxPathSchema } from '@threadbox/protocol/public'
import { type Api, defineRoute, jsonAnswer, makeApi, type OpenThread, threadParams } from '../../platform/http/api.ts'
import type { Git } from './git.usecases.ts'

const tags = ['git']

const inspectRoute = defineRoute({
  action: 'sandboxes.read',
  method: 'get',
  path: '/threads/{threadId}/git',
  tags,
  summary:
    'Find git repositories at, above and below a folder, and the changes in one of them. Doesn’t wake the sandbox',
  request: {
    params: threadParams,
    query: z.object({
      path: sandboxPathSchema,
      /** Folder of the repository whose working tree is returned. */
      repository: sandboxPathSchema.optional(),
    }),
  },
  responses: { 200: jsonAnswer(gitLookSchema, 'The repositories, and the working tree of one of them.') },
})
const diffRoute = defineRoute({
  action: 'sandboxes.read',
  method: 'get',
  path: '/threads/{threadId}/git/diff',
  tags,
  summary: 'Diff one file of a working tree with the last commit. Doesn’t wake the sandbox',
  request: {
    params: threadParams,
    query: z.object({
      path: sandboxPathSchema,
      file: gitFilePathSchema,
      /** The file’s name in the last commit, if it was another one. */
      from: gitFilePathSchema.optional(),
    }),
  },
  responses: { 200: jsonAnswer(gitDiffSchema, 'The diff.') },
})

export function gitRoutes({ git, open }: { git: Git; open: OpenThread }): Api {
  const api = makeApi()
  api.openapi(inspectRoute, async (context) => {
    const { threadId } = context.req.valid('param')
    await open(context.get('caller').userId, threadId)
    const { path, repository } = context.req.valid('query')
    return context.json(await git.inspect(threadId, { path, repository, signal: context.req.raw.signal }), 200)
  })
  api.openapi(diffRoute, async (context) => {
    const { threadId } = context.req.valid('param')
    await open(context.get('caller').userId, threadId)
    const { path: root, file, from } = context.req.valid('query')
    return context.json(await git.diff(threadId, { root, file, from, signal: context.req.raw.signal }), 200)
  })
  return api
}
