import type { ThreadParts } from '../../application-parts.ts'
import type { Api } from '../../platform/http/api.ts'
import { gitCredentialRoutes } from '../git-credentials/git-credentials.routes.ts'
import { gitRoutes } from './git.routes.ts'
import { makeGit } from './git.usecases.ts'

/** Repositories of sandboxes that are awake, and the credentials with which git inside reaches others. */
export function gitRoutesOf({ sandboxes, sandboxStore, threads, gitCredentials }: ThreadParts): Api[] {
  const open = (userId: string, threadId: string) => threads.open(userId, threadId)
  const git = makeGit({
    ifAwake: (threadId) => sandboxes.ifAwake(threadId),
    stateOf: async (threadId) => (await sandboxStore.find(threadId))?.state ?? 'fresh',
  })
  return [gitRoutes({ git, open }), gitCredentialRoutes({ credentials: gitCredentials, open })]
}
