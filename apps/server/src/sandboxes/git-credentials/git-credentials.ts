import type { Logger } from '@threadbox/telemetry'
import type { Audit, LeavingPart } from '../../people/public.ts'
import type { Api } from '../../platform/http/api.ts'
import { allowedAddressesOf } from '../../platform/outbound/addresses.logic.ts'
import type { SecretBox } from '../../platform/secrets/secret-box.ts'
import type { System } from '../../platform/system/system.ts'
import type { Threads, Workspaces } from '../../threads/public.ts'
import type { HostClient } from '../host/host-client.ts'
import type { Sandboxes } from '../state/sandbox-access.implementation.ts'
import { gitCredentialRoutes } from './git-credentials.routes.ts'
import type { GitCredentialStore } from './git-credentials.store.ts'
import { type GitCredentials, makeGitCredentials } from './git-credentials.usecases.ts'
import { type GitFollow, makeGitFollow } from './git-follow.ts'
import { makeGitRelay } from './git-relay.ts'
import { makeGitUses } from './git-uses.ts'
import { makeLeavingCredentials } from './leaving-credentials.ts'
import { makeUsableCredentials } from './usable-credentials.ts'

/** How long a server can take to accept a connection. */
const connectTimeoutMs = 10_000

/** Git credentials, and their use for sandboxes, which never get them. */
export type GitCredentialsFeature = {
  gitCredentials: GitCredentials
  follow: GitFollow
  leaving: LeavingPart
  /** All tokens, unsealed. */
  tokens(): Promise<string[]>
  /** Addresses of the person’s own credentials that the thread can use. */
  personalIn(userId: string, thread: { id: string; workspace_id: string | null }): Promise<string[]>
  routes: Api
}

export function makeGitCredentialsFeature(ports: {
  store: GitCredentialStore
  host: HostClient
  sandboxes: Pick<Sandboxes, 'ifAwake' | 'transferring'>
  awakeThreads: () => Promise<string[]>
  threads: {
    workspaces: Pick<Workspaces, 'requireManaged'>
    threads: Pick<Threads, 'open'>
    ownerOf: (threadId: string) => Promise<string | undefined>
    personalOwnerOf: (threadId: string) => Promise<string | null>
    subjectOf: (threadId: string) => Promise<{ workspaceId: string | null } | undefined>
  }
  secretBox: SecretBox
  limits: { connectionsAllow: string; connectionSeconds: number }
  audit: Audit
  system: System
  logger: Logger
}): GitCredentialsFeature {
  const { store, host, sandboxes, threads, secretBox, audit, system, logger } = ports
  const allowed = allowedAddressesOf(ports.limits.connectionsAllow)
  const usable = makeUsableCredentials({ store, personalOwnerOf: threads.personalOwnerOf, placeOf: threads.subjectOf })
  const uses = makeGitUses({ store, audit, now: system.now, logger })
  const relay = makeGitRelay({
    host,
    usable,
    secretBox,
    allowed,
    uses,
    logger,
    connectTimeoutMs,
    ownerOf: threads.ownerOf,
    transferring: sandboxes.transferring,
    silenceMs: ports.limits.connectionSeconds * 1000,
  })
  const follow = makeGitFollow({ usable, relay, logger, ifAwake: sandboxes.ifAwake, awakeThreads: ports.awakeThreads })
  const gitCredentials = makeGitCredentials({
    store,
    secretBox,
    allowed,
    audit,
    system,
    requireWorkspace: threads.workspaces.requireManaged,
    onChanged: follow.refresh,
  })
  return {
    gitCredentials,
    follow: {
      ...follow,
      stop: async () => {
        await follow.stop()
        await relay[Symbol.asyncDispose]()
        await uses[Symbol.asyncDispose]()
      },
    },
    tokens: async () => (await store.sealedTokens()).map(secretBox.open),
    personalIn: async (userId, { id, workspace_id }) => {
      const allowed = await store.allowedIn({ threadId: id, workspaceId: workspace_id })
      return allowed.filter(({ user_id }) => user_id === userId).map(({ address }) => address)
    },
    leaving: makeLeavingCredentials({ store, onChanged: follow.refresh }),
    routes: gitCredentialRoutes({ credentials: gitCredentials, open: threads.threads.open }),
  }
}
