import { createHash } from 'node:crypto'
import { delaysOf, followWhile, makeBackground, makeKeyedLock } from '@threadbox/concurrency'
import type { Grant, GrantsEvent } from '@threadbox/protocol/egress'
import type { Logger } from '@threadbox/telemetry'
import type { SecretBox } from '../../platform/secrets/secret-box.ts'
import type { SecretPlace, UsableSecret, UsableSecrets } from '../../threads/public.ts'
import type { HostClient } from '../host/host-client.ts'
import type { Sandbox } from '../state/sandbox.logic.ts'
import type { SandboxStore } from '../state/sandboxes.store.ts'
import type { EgressClient } from './egress-client.ts'
import type { PlaceholderStore } from './placeholders.store.ts'
import type { Placeholders } from './placeholders.ts'
import type { RefusedUse } from './refused-uses.ts'

/**
 * Keeps what the broker inserts equal to what is granted. Each order has all grants of one sandbox, and is acknowledged
 * when nothing uses an earlier one. What isn’t acknowledged is tried again, and whenever the broker opens its stream of
 * events, everything is sent again: it may have just started and know nothing, or know what has ended since.
 */
export type GrantPushes = {
  /** Sends what has changed. Resolves when each order was acknowledged or has failed; a failure is logged. */
  apply(): Promise<void>
  /** The same for the sandbox of one thread. */
  applyTo(threadId: string): Promise<void>
  /** Whether the broker has acknowledged the present grants of this thread. */
  isInEffect(threadId: string): Promise<boolean>
  /** Ends what the sandbox can use; throws if that isn’t acknowledged. */
  remove(sandboxId: string): Promise<void>
  follow(): void
  stop(): Promise<void>
}

export type GrantPushDependencies = {
  egress: EgressClient
  usable: UsableSecrets
  placeOf(threadId: string): Promise<SecretPlace | undefined>
  sandboxes: Pick<SandboxStore, 'find' | 'all' | 'findById'>
  store: PlaceholderStore
  placeholders: Placeholders
  secretBox: SecretBox
  host: Pick<HostClient, 'trustAuthority'>
  onUsed(secretId: string, at: number): Promise<void>
  onRefused(use: RefusedUse): Promise<void>
  logger: Logger
}

const againMs = 1_000
/** A killed broker is restarted within a fraction of a second, and can insert nothing before it has the grants. */
export const reconnectDelays = delaysOf([50, 50, 100, 200, 500, 1_000])
/** A program can make a thousand requests a second. */
const usedEveryMs = 1_000
const nothing = 'nothing'

type State = {
  /** The digest of what the broker acknowledged, by sandbox. */
  acknowledged: Map<string, string>
  isOpen: boolean
  /** When a use of each secret was last recorded. */
  usedAt: Map<string, number>
}

export function makeGrantPushes(dependencies: GrantPushDependencies): GrantPushes {
  const { egress, sandboxes, store, logger } = dependencies
  const state: State = { acknowledged: new Map(), isOpen: false, usedAt: new Map() }
  const inOrder = makeKeyedLock()
  const stopped = new AbortController()
  const background = makeBackground<{ what: string }>((error, { what }) => logger.warn({ err: error }, what))
  let retry: NodeJS.Timeout | undefined
  const applyTo = async (row: Pick<Sandbox, 'id' | 'thread_id'>) => {
    try {
      await inOrder(row.id, () => push(dependencies, state, row))
    } catch (error) {
      logger.warn({ err: error, sandboxId: row.id }, 'grants of a sandbox did not reach the broker')
      // Without its stream of events, the next attempt is made when the broker can be reached again.
      if (!state.isOpen || stopped.signal.aborted) return
      retry ??= setTimeout(() => {
        retry = undefined
        void background.keep(apply(), { what: 'grants were not sent again' })
      }, againMs)
    }
  }
  const apply = async () => {
    const sent = await store.sentTo()
    const wanted = await dependencies.usable.ofThreads('all')
    const rows = (await sandboxes.all()).filter((row) => sent.has(row.id) || wanted.has(row.thread_id))
    await Promise.all(rows.map(applyTo))
  }
  return {
    apply,
    applyTo: async (threadId) => {
      const row = await sandboxes.find(threadId)
      if (row !== undefined) await applyTo(row)
    },
    isInEffect: async (threadId) => {
      const row = await sandboxes.find(threadId)
      if (row === undefined) return true
      const grants = await grantsFor(dependencies, row)
      const before = state.acknowledged.get(row.id)
      if (before === undefined) return grants.length === 0 && !(await store.sentTo()).has(row.id)
      return before === digestOf(grants)
    },
    remove: (sandboxId) =>
      inOrder(sandboxId, async () => {
        if (!(await store.sentTo()).has(sandboxId)) return
        await egress.removeGrants({ sandboxId })
        state.acknowledged.delete(sandboxId)
      }),
    follow: () => {
      const following = followWhile({
        signal: stopped.signal,
        connect: async () => egress.events(stopped.signal),
        onEvent: (event) => note(dependencies, { event, state, apply, background }),
        pauseMs: reconnectDelays,
        onBroken: (error) => {
          state.isOpen = false
          logger.debug({ err: error }, 'the broker is not followed')
        },
      })
      void background.keep(following, { what: 'the broker is no longer followed' })
    },
    stop: async () => {
      stopped.abort()
      clearTimeout(retry)
      await background.settled()
      await egress.close()
    },
  }
}

async function note(
  { host, onUsed, onRefused, logger }: GrantPushDependencies,
  noted: {
    event: GrantsEvent
    state: State
    apply(): Promise<void>
    background: ReturnType<typeof makeBackground<{ what: string }>>
  },
): Promise<void> {
  const { event, state, apply, background } = noted
  if (event.type === 'opened') {
    state.isOpen = true
    state.acknowledged.clear()
    void background.keep(host.trustAuthority({ certificate: event.authority }), {
      what: 'sandboxes don’t trust the broker’s authority yet',
    })
    void background.keep(apply(), { what: 'grants were not sent' })
  }
  if (event.type === 'used' && event.refused !== null) {
    const { sandboxId, secretId, host: at, refused: reason } = event
    await onRefused({ sandboxId, secretId, host: at, reason })
  }
  if (event.type === 'used' && event.secretId !== null && event.refused === null) {
    if (event.at - (state.usedAt.get(event.secretId) ?? Number.NEGATIVE_INFINITY) < usedEveryMs) return
    state.usedAt.set(event.secretId, event.at)
    await onUsed(event.secretId, event.at).catch((error: unknown) => {
      logger.warn({ err: error, secretId: event.secretId }, 'use of a secret was not recorded')
    })
  }
}

async function push(
  dependencies: GrantPushDependencies,
  state: State,
  { id: sandboxId }: Pick<Sandbox, 'id'>,
): Promise<void> {
  const { egress, store, sandboxes } = dependencies
  const row = await sandboxes.findById(sandboxId)
  if (row === undefined || row.state === 'deleting') return
  const grants = await grantsFor(dependencies, row)
  const digest = digestOf(grants)
  const before = state.acknowledged.get(sandboxId)
  if (before === digest) return
  if (before === undefined && grants.length === 0 && !(await store.sentTo()).has(sandboxId)) return
  // Until it is acknowledged, both the earlier and the new grants can be in use.
  state.acknowledged.delete(sandboxId)
  const revision = await store.nextRevision(sandboxId)
  await egress.setGrants({ sandboxId, revision, grants })
  state.acknowledged.set(sandboxId, digest)
}

async function grantsFor(
  { usable, placeOf, placeholders, secretBox }: GrantPushDependencies,
  row: Pick<Sandbox, 'id' | 'thread_id'>,
): Promise<Grant[]> {
  const place = await placeOf(row.thread_id)
  const secrets = place === undefined ? [] : await usable.ofThread(place)
  const brokered = secrets.filter(({ way }) => way === 'brokered')
  const names = await placeholders(row.id, brokered)
  return brokered.map((secret) => grantOf(secret, names.get(secret.id) ?? '', secretBox))
}

function grantOf(
  { id, name, sealedValue, rules }: UsableSecret,
  placeholder: string,
  secretBox: Pick<SecretBox, 'open'>,
): Grant {
  const { hosts, positions, methods, pathPrefix, header } = rules
  const value = secretBox.open(sealedValue)
  return { secretId: id, name, placeholder, value, hosts, positions, methods, pathPrefix, header }
}

/** Of the values too, so that no value is kept to compare it. */
function digestOf(grants: readonly Grant[]): string {
  return grants.length === 0 ? nothing : createHash('sha256').update(JSON.stringify(grants)).digest('hex')
}
