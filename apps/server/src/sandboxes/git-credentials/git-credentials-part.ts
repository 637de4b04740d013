import type { Logger } from '@threadbox/telemetry'
import type { Audit } from '../../people/audit/audit.ts'
import { type OpenDatabase, tablesOf } from '../../platform/database/database.ts'
import { allowedAddressesOf } from '../../platform/outbound/addresses.models.ts'
import { makeSecretBox } from '../../platform/secrets/secret-box.ts'
import type { System } from '../../platform/system/system.ts'
import type { SandboxParts } from '../../sandbox-parts.ts'
import type { ThreadArea } from '../../threads/threads.ts'
import type { Workspaces } from '../../threads/workspaces/workspaces.usecases.ts'
import type { HostClient } from '../host/host-client.ts'
import { makeGitCredentialStore } from './git-credentials.store.ts'
import type { GitCredentialTables } from './git-credentials.table.ts'
import { type GitCredentials, makeGitCredentials } from './git-credentials.usecases.ts'
import { type GitFollow, makeGitFollow } from './git-follow.ts'
import { makeGitRelay } from './git-relay.ts'
import { makeGitUses } from './git-uses.ts'
import { makeUsableCredentials } from './usable-credentials.ts'

/** How long a server may take to take a connection. */
const connectTimeoutMs = 10_000

/** Git credentials, and what brings them to use in sandboxes without bringing them there. */
export type GitCredentialParts = { gitCredentials: GitCredentials; gitFollow: GitFollow }

export function makeGitCredentialParts(
  options: {
    open: OpenDatabase
    host: HostClient
    masterKey: Uint8Array
    connectionSettings: { connectionsAllow: string; connectionSeconds: number }
    audit: Audit
    system: System
    logger: Logger
  },
  known: {
    area: ThreadArea
    workspaces: Workspaces
    sandboxParts: Pick<SandboxParts, 'sandboxes' | 'sandboxStore'>
  },
): GitCredentialParts {
  const { audit, system, host } = options
  const { workspaces } = known
  const { placeOf, ownerOf } = known.area
  const { sandboxes, sandboxStore } = known.sandboxParts
  const store = makeGitCredentialStore(tablesOf<GitCredentialTables>(options.open.database))
  const secretBox = makeSecretBox(options.masterKey)
  const allowed = allowedAddressesOf(options.connectionSettings.connectionsAllow)
  const usable = makeUsableCredentials({ store, access: known.area.access, placeOf })
  const uses = makeGitUses({ store, audit, now: system.now, logger: options.logger })
  const relay = makeGitRelay({
    host, usable, secretBox, allowed, uses, logger: options.logger, connectTimeoutMs,
    ownerOf,
    transferring: (sandboxId) => sandboxes.transferring(sandboxId),
    silenceMs: options.connectionSettings.connectionSeconds * 1000,
  })
  const gitFollow = makeGitFollow({
    usable, relay, logger: options.logger,
    ifAwake: (threadId) => sandboxes.ifAwake(threadId),
    awakeThreads: async () =>
      (await sandboxStore.all()).filter(({ state }) => state === 'active').map(({ thread_id }) => thread_id),
  })
  return {
    gitCredentials: makeGitCredentials({
      store, secretBox, allowed, audit, system,
      requireWorkspace: (userId, workspaceId) => workspaces.requireManaged(userId, workspaceId),
      onChanged: gitFollow.refresh,
    }),
    gitFollow: {
      ...gitFollow,
      stop: async () => {
        await gitFollow.stop()
        await relay[Symbol.asyncDispose]()
        await uses[Symbol.asyncDispose]()
      },
    },
  }
}
