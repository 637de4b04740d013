import type { Api, OpenThread } from '../../platform/http/api.ts'
import type { Sandboxes } from '../state/sandbox-access.implementation.ts'
import type { SandboxReads } from '../state/sandbox-reads.ts'
import { gitRoutes } from './git.routes.ts'
import { makeGit } from './git.usecases.ts'

/** Repositories of sandboxes that are awake. */
export function makeGitFeature(ports: {
  sandboxes: Pick<Sandboxes, 'ifAwake'>
  store: Pick<SandboxReads, 'find'>
  open: OpenThread
}): { routes: Api } {
  const git = makeGit({
    ifAwake: ports.sandboxes.ifAwake,
    stateOf: async (threadId) => (await ports.store.find(threadId))?.state ?? 'fresh',
  })
  return { routes: gitRoutes({ git, open: ports.open }) }
}
