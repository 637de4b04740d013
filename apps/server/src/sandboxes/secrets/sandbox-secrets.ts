import type { Logger } from '@threadbox/telemetry'
import type { Audit } from '../../people/public.ts'
import { type OpenDatabase, tablesOf } from '../../platform/database/database.ts'
import type { Api } from '../../platform/http/api.ts'
import type { SecretBox } from '../../platform/secrets/secret-box.ts'
import type { System } from '../../platform/system/system.ts'
import type { Secrets, ThreadRows, ThreadSecretGrants, Threads, UsableSecrets } from '../../threads/public.ts'
import type { HostClient } from '../host/host-client.ts'
import type { Sandboxes } from '../state/sandbox-access.implementation.ts'
import type { SandboxEgress } from '../state/sandbox-egress.ts'
import type { SandboxStore } from '../state/sandboxes.store.ts'
import { makeEgressClient } from './egress-client.ts'
import { makeGrantPushes } from './grant-pushes.ts'
import { makePlaceholderStore } from './placeholders.store.ts'
import type { PlaceholderTables } from './placeholders.table.ts'
import { makePlaceholders } from './placeholders.ts'
import { makeRefusedUses } from './refused-uses.ts'
import { makeSecretVariables, type SecretVariables } from './secret-variables.ts'
import { threadSecretRoutes } from './thread-secrets.routes.ts'

/** Brings secrets to where they are used: values to the broker, placeholders into sandboxes. */
export type SandboxSecretsFeature = {
  /** Applies changed secrets and grants everywhere: what was revoked is no longer used when it resolves. */
  refresh(): Promise<void>
  /** Prepares a sandbox for its use. */
  deliver: SecretVariables['deliver']
  /** Before the thread’s sandbox is deleted. */
  forget(threadId: string): Promise<void>
  follow(): void
  stop(): Promise<void>
  routes: Api
}

export function makeSandboxSecretsFeature(ports: {
  open: OpenDatabase
  egressSocket: string
  host: HostClient
  sandboxes: Pick<Sandboxes, 'ifAwake'>
  store: SandboxStore
  awakeThreads(): Promise<string[]>
  egress: Pick<SandboxEgress, 'apply'>
  threads: {
    secrets: { grants: ThreadSecretGrants; usable: UsableSecrets; secrets: Pick<Secrets, 'used'> }
    rows: ThreadRows
    threads: Pick<Threads, 'open'>
  }
  secretBox: SecretBox
  audit: Audit
  system: System
  logger: Logger
}): SandboxSecretsFeature {
  const { host, threads, secretBox, system, logger } = ports
  const { grants, usable, secrets } = threads.secrets
  const store = makePlaceholderStore(tablesOf<PlaceholderTables>(ports.open.database))
  const placeholders = makePlaceholders({ store, randomBytes: system.randomBytes })
  const placeOf = async (threadId: string) => {
    const row = await threads.rows.findAny(threadId)
    return row?.deleted_at === null ? row : undefined
  }
  const shared = { usable, placeOf, store, placeholders, secretBox, host, logger }
  const pushes = makeGrantPushes({
    ...shared,
    egress: makeEgressClient({ socketPath: ports.egressSocket }),
    sandboxes: ports.store,
    onUsed: secrets.used,
    onRefused: makeRefusedUses({
      audit: ports.audit,
      threadOf: async (sandboxId) => {
        const row = await ports.store.findById(sandboxId)
        return row === undefined ? undefined : await placeOf(row.thread_id)
      },
      now: system.now,
      logger,
    }),
  })
  const variables = makeSecretVariables({
    ...shared,
    ifAwake: ports.sandboxes.ifAwake,
    awakeThreads: ports.awakeThreads,
    pushFirst: pushes.applyTo,
  })
  return {
    refresh: async () => {
      await pushes.apply()
      await ports.egress.apply()
      await variables.refresh()
    },
    deliver: variables.deliver,
    forget: async (threadId) => {
      const row = await ports.store.find(threadId)
      if (row === undefined) return
      // Without its sandbox, a grant that stays behind can’t be used.
      await pushes.remove(row.id).catch((error: unknown) => {
        logger.warn({ err: error, sandboxId: row.id }, 'the broker still knows grants of a deleted sandbox')
      })
    },
    follow: pushes.follow,
    stop: async () => {
      await pushes.stop()
      await variables.stop()
    },
    routes: threadSecretRoutes({
      grants,
      open: threads.threads.open,
      stateOf: async (threadId) => {
        const isInEffect = await pushes.isInEffect(threadId)
        const problem = await variables.problemOf(threadId)
        if (!isInEffect) return { isInEffect, problem: 'broker-unreachable' }
        return { isInEffect: problem === null, problem }
      },
    }),
  }
}
