import type { ThreadParts } from '../application-parts.ts'
import type { Api, OpenThread } from '../http/api.ts'
import { gitRoutes } from './git.routes.ts'
import { makeGit } from './git.usecases.ts'

/** Repositories of sandboxes that are awake. */
export function gitRoutesOf({ sandboxes, sandboxStore }: ThreadParts, open: OpenThread): Api {
  const git = makeGit({
    ifAwake: (threadId) => sandboxes.ifAwake(threadId),
    stateOf: async (threadId) => (await sandboxStore.find(threadId))?.state ?? 'fresh',
  })
  return gitRoutes({ git, open })
}
