import { z } from '@hono/zod-openapi'
import {
  allowGitCredentialsSchema,
  createGitCredentialSchema,
  gitCredentialSchema,
  threadGitCredentialsSchema,
  updateGitCredentialSchema,
} from '@threadbox/protocol/public'
import { type Api, defineRoute, idParam, jsonAnswer, jsonBody, makeApi, threadParams } from '../../platform/http/api.ts'
import type { GitCredentials, GitThread } from './git-credentials.usecases.ts'

const tags = ['git']
const credentialParams = z.object({ credentialId: idParam })

const listRoute = defineRoute({
  action: 'git-credentials.read',
  method: 'get',
  path: '/git-credentials',
  tags,
  summary: 'List your Git credentials, without tokens',
  responses: {
    200: jsonAnswer(z.object({ credentials: z.array(gitCredentialSchema) }), 'The credentials, oldest first.'),
  },
})
const createCredentialRoute = defineRoute({
  action: 'git-credentials.manage',
  method: 'post',
  path: '/git-credentials',
  tags,
  summary: 'Add a Git credential that threads can use to clone, and optionally push',
  request: { body: jsonBody(createGitCredentialSchema) },
  responses: { 201: jsonAnswer(gitCredentialSchema, 'The new credential. No thread can use it yet.') },
})
const updateRoute = defineRoute({
  action: 'git-credentials.manage',
  method: 'patch',
  path: '/git-credentials/{credentialId}',
  tags,
  summary: 'Update a Git credential’s access, repositories or token',
  request: { params: credentialParams, body: jsonBody(updateGitCredentialSchema) },
  responses: { 200: jsonAnswer(gitCredentialSchema, 'The updated credential.') },
})
const deleteRoute = defineRoute({
  action: 'git-credentials.manage',
  method: 'delete',
  path: '/git-credentials/{credentialId}',
  tags,
  summary: 'Remove a Git credential and its token',
  request: { params: credentialParams },
  responses: { 204: { description: 'Removed.' } },
})
const ofThread = {
  200: jsonAnswer(threadGitCredentialsSchema, 'Your credentials, and whether the thread can use them.'),
}
const ofThreadRoute = defineRoute({
  action: 'git-credentials.read',
  method: 'get',
  path: '/threads/{threadId}/git-credentials',
  tags,
  summary: 'List your Git credentials and which of them a thread can use',
  request: { params: threadParams },
  responses: ofThread,
})
const allowRoute = defineRoute({
  action: 'git-credentials.grant',
  method: 'put',
  path: '/threads/{threadId}/git-credentials',
  tags,
  summary: 'Set which of your Git credentials a thread can use',
  request: { params: threadParams, body: jsonBody(allowGitCredentialsSchema) },
  responses: ofThread,
})

/** Routes of Git credentials. The use cases check their owner. */
export function gitCredentialRoutes(dependencies: {
  credentials: GitCredentials
  /** Returns the thread if this person can work in it. */
  open(userId: string, threadId: string): Promise<GitThread>
}): Api {
  const { credentials, open } = dependencies
  const api = makeApi()
  api.openapi(listRoute, async (context) =>
    context.json({ credentials: await credentials.list(context.get('caller').userId) }, 200),
  )
  api.openapi(createCredentialRoute, async (context) =>
    context.json(await credentials.create(context.get('caller').userId, context.req.valid('json')), 201),
  )
  api.openapi(updateRoute, async (context) => {
    const { credentialId } = context.req.valid('param')
    const { userId } = context.get('caller')
    return context.json(await credentials.update(userId, credentialId, context.req.valid('json')), 200)
  })
  api.openapi(deleteRoute, async (context) => {
    await credentials.delete(context.get('caller').userId, context.req.valid('param').credentialId)
    return context.body(null, 204)
  })
  api.openapi(ofThreadRoute, async (context) => {
    const { userId } = context.get('caller')
    const thread = await open(userId, context.req.valid('param').threadId)
    return context.json({ credentials: await credentials.ofThread(userId, thread) }, 200)
  })
  api.openapi(allowRoute, async (context) => {
    const { userId } = context.get('caller')
    const thread = await open(userId, context.req.valid('param').threadId)
    const { credentialIds } = context.req.valid('json')
    return context.json({ credentials: await credentials.allow(userId, thread, credentialIds) }, 200)
  })
  return api
}
