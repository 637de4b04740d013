import type { Api, OpenThread } from '../../platform/http/api.ts'
import type { Sandboxes } from '../state/sandbox-access.implementation.ts'
import type { SandboxStore } from '../state/sandboxes.store.ts'
import { gitRoutes } from './git.routes.ts'
import { makeGit } from './git.usecases.ts'

/** Repositories of sandboxes that are awake. */
export function makeGitFeature(ports: {
  sandboxes: Pick<Sandboxes, 'ifAwake'>
  store: Pick<SandboxStore, 'find'>
  open: OpenThread
}): { routes: Api } {
  const git = makeGit({
    ifAwake: ports.sandboxes.ifAwake,
    stateOf: async (threadId) => (await ports.store.find(threadId))?.state ?? 'fresh',
  })
  return { routes: gitRoutes({ git, open: ports.open }) }
}
