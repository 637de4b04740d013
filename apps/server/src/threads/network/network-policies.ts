import { makeKeyedLock } from '@threadbox/concurrency'
import {
  allowedPrivateAddresses,
  allowsName,
  defaultNetworkPolicy,
  effectiveNetwork,
  isWithinNetwork,
  type LeveledPolicy,
  type NetworkLevel,
  type NetworkPolicy,
  type PrivateAddress,
  widensNetwork,
} from '@threadbox/domain'
import { maxNetworkNames as maxNames, type Network, startedFromSchema } from '@threadbox/protocol/public'
import { type Audit, ownerRequired, type Users } from '../../people/public.ts'
import type { Events } from '../../platform/events/events.ts'
import type { System } from '../../platform/system/system.ts'
import { threadNotFound } from '../log/threads.errors.ts'
import type { ThreadPlace, ThreadStore } from '../log/threads.store.ts'
import type { ThreadEvents } from '../threads.events.ts'
import { networkNothingReachable, networkTooManyNames } from './network.errors.ts'
import type { NetworkStore } from './network.store.ts'
import type { NetworkChanger } from './network-changer.ts'
import { auditWordsOf, checkedName, checkedPolicy } from './network-words.logic.ts'
import type { PrivateAddresses } from './private-addresses.ts'

/** What a policy is set for. `workspaceId` of an agent: the workspace whose policy its threads also have. */
export type NetworkSubject =
  | { level: 'installation' }
  | { level: 'workspace'; workspaceId: string }
  | { level: 'agent'; agentId: string; workspaceId: string | null }
  | { level: 'thread'; threadId: string }

/**
 * What sandboxes reach: a policy for the installation, narrowed by those of the workspace, of the agent and of the
 * thread. Callers have checked that the sender may change the workspace, agent or thread; whether they may also widen
 * its policy is checked here. They are read at each use, so that a change or a move takes effect immediately.
 */
export type NetworkPolicies = {
  of(subject: NetworkSubject): Promise<Network>
  /** The policies of these threads, or of all. */
  ofThreads(threadIds: readonly string[] | 'all'): Promise<(threadId: string) => Network>
  /**
   * `null`: the level sets nothing. Throws `network-policy.name-invalid`; `auth.owner-required`,
   * `auth.confirmation-required` and `auth.session-required` for a wider policy than before. Returns when it is applied
   * to sandboxes.
   */
  set(subject: NetworkSubject, policy: NetworkPolicy | null, by: NetworkChanger): Promise<Network>
  /**
   * Adds a name to each list that keeps the thread from it. Throws like `set`, `network-policy.nothing-reachable` if a
   * level allows nothing, and `network-policy.too-many-names`.
   */
  allowName(threadId: string, name: string, by: NetworkChanger): Promise<void>
  /** Throws like `set` if the thread would reach more in that workspace. */
  checkMove(move: { threadId: string; workspaceId: string | null }, by: NetworkChanger): Promise<void>
  /** Sets the policy of a thread that has no sandbox yet, which can only narrow what its agent allows. */
  narrowNew(threadId: string, policy: NetworkPolicy): Promise<void>
  /**
   * Gives a copy of a thread what limits the thread. A copy for another person is in no workspace and of no agent: it
   * gets what those allow as its own policy.
   */
  copy(from: { threadId: string; toThreadId: string; isForOther: boolean }): Promise<void>
}

export type NetworkPoliciesDependencies = {
  store: NetworkStore
  privateAddresses: Pick<PrivateAddresses, 'list'>
  threads: Pick<ThreadStore, 'findAny' | 'placesOf'>
  users: Pick<Users, 'administers'>
  audit: Audit
  events: Pick<Events<ThreadEvents>, 'emit'>
  system: System
}

const installationId = 'installation'

type Stored = ReadonlyMap<string, NetworkPolicy>

export function makeNetworkPolicies(dependencies: NetworkPoliciesDependencies): NetworkPolicies {
  const { store, threads, privateAddresses } = dependencies
  const inOrder = makeKeyedLock()
  const levelsFor = async (subject: NetworkSubject) => {
    const stored = await store.all()
    if (subject.level !== 'thread') return levelsOf(stored, subject)
    const row = await threads.findAny(subject.threadId)
    return levelsOfThread(stored, row ?? { id: subject.threadId, workspace_id: null, started_from_json: null })
  }
  const of = async (subject: NetworkSubject) => present(await levelsFor(subject), await privateAddresses.list())
  const set: NetworkPolicies['set'] = async (subject, wanted, by) => {
    const policy = wanted && checkedPolicy(wanted)
    await inOrder(idOf(subject), () => change(dependencies, { subject, policy, by }))
    await dependencies.events.emit('network-changed', {})
    return await of(subject)
  }
  return {
    of,
    set,
    ofThreads: async (threadIds) => {
      const [stored, listed] = [await store.all(), await privateAddresses.list()]
      const outer = present(levelsOf(stored, { level: 'installation' }), listed)
      if ([...stored.keys()].every((id) => id === installationId)) return () => outer
      const places = await threads.placesOf(threadIds)
      return (threadId) => {
        const place = places.get(threadId)
        return place === undefined ? outer : present(levelsOfThread(stored, place), listed)
      }
    },
    allowName: (threadId, name, by) => allowName(dependencies, { threadId, name: checkedName(name), by, set }),
    checkMove: async ({ threadId, workspaceId }, by) => {
      const row = await threads.findAny(threadId)
      if (row === undefined || row.workspace_id === workspaceId) return
      const stored = await store.all()
      const { effective: before } = effectiveNetwork(levelsOfThread(stored, row))
      const { effective: after } = effectiveNetwork(levelsOfThread(stored, { ...row, workspace_id: workspaceId }))
      if (!isWithinNetwork(after, before)) await requireOwner(dependencies, by)
    },
    narrowNew: (threadId, policy) => write(dependencies, { subject: { level: 'thread', threadId }, policy }),
    copy: async ({ threadId, toThreadId, isForOther }) => {
      const own = (await levelsFor({ level: 'thread', threadId })).filter(({ level, policy }) =>
        policy === null ? false : isForOther ? level !== 'installation' : level === 'thread',
      )
      if (own.length === 0) return
      const { effective } = effectiveNetwork(own)
      const policy = own.length === 1 ? (own[0]?.policy ?? effective) : effective
      await write(dependencies, {
        subject: { level: 'thread', threadId: toThreadId },
        policy: policy.kind === 'allowlist' ? { presets: [], ...policy } : policy,
      })
    },
  }
}

/** The innermost list first: a failure in between leaves the thread as narrow as before. */
async function allowName(
  { store, threads }: NetworkPoliciesDependencies,
  order: { threadId: string; name: string; by: NetworkChanger; set: NetworkPolicies['set'] },
): Promise<void> {
  const { threadId, name, by, set } = order
  const row = await threads.findAny(threadId)
  if (row === undefined) throw threadNotFound({})
  const levels = levelsOfThread(await store.all(), row)
  const refusing = levels.filter((level) => !allowsName(effectiveNetwork([level]).effective, name))
  const lists = refusing.flatMap(({ level, policy }) => (policy?.kind === 'allowlist' ? [{ level, policy }] : []))
  if (lists.length < refusing.length) throw networkNothingReachable({})
  if (lists.some(({ policy }) => policy.names.length >= maxNames)) throw networkTooManyNames({ limit: maxNames })
  for (const { level, policy } of lists.toReversed()) {
    await set(subjectOf(level, row), { ...policy, names: [...policy.names, name] }, by)
  }
}

function subjectOf(level: NetworkLevel, row: ThreadPlace): NetworkSubject {
  const workspaceId = row.workspace_id ?? ''
  if (level === 'installation') return { level }
  if (level === 'workspace') return { level, workspaceId }
  return level === 'thread' ? { level, threadId: row.id } : { level, agentId: agentIdOf(row) ?? '', workspaceId }
}

async function change(
  dependencies: NetworkPoliciesDependencies,
  wanted: { subject: NetworkSubject; policy: NetworkPolicy | null; by: NetworkChanger },
): Promise<void> {
  const { subject, policy, by } = wanted
  const before = (await dependencies.store.all()).get(idOf(subject)) ?? null
  if (JSON.stringify(before) === JSON.stringify(policy)) return
  if (widensNetwork(before, policy)) await requireOwner(dependencies, by)
  await write(dependencies, { subject, policy })
  await dependencies.audit.record({
    userId: by.userId,
    action: 'network-policy-changed',
    subject: idOf(subject),
    details: { level: subject.level },
    before: auditWordsOf(before),
    after: auditWordsOf(policy),
  })
}

async function requireOwner({ users }: NetworkPoliciesDependencies, by: NetworkChanger): Promise<void> {
  if (!(await users.administers(by.userId))) throw ownerRequired({})
  await by.authorize('network.widen')
}

async function write(
  { store, system }: NetworkPoliciesDependencies,
  change: { subject: NetworkSubject; policy: NetworkPolicy | null },
): Promise<void> {
  const { subject, policy } = change
  const id = idOf(subject)
  if (policy === null) return await store.remove(id)
  await store.set({
    id,
    workspace_id: subject.level === 'workspace' ? subject.workspaceId : null,
    thread_id: subject.level === 'thread' ? subject.threadId : null,
    policy_json: JSON.stringify(policy),
    updated_at: system.now(),
  })
}

function idOf(subject: NetworkSubject): string {
  if (subject.level === 'installation') return installationId
  if (subject.level === 'workspace') return subject.workspaceId
  return subject.level === 'agent' ? subject.agentId : subject.threadId
}

function levelsOf(stored: Stored, subject: Exclude<NetworkSubject, { level: 'thread' }>): LeveledPolicy[] {
  const outer = { level: 'installation' as const, policy: stored.get(installationId) ?? defaultNetworkPolicy }
  if (subject.level === 'installation') return [outer]
  const workspaceId = subject.workspaceId
  const agentId = subject.level === 'agent' ? subject.agentId : null
  return [outer, ...inner(stored, 'workspace', workspaceId), ...inner(stored, 'agent', agentId)]
}

function levelsOfThread(stored: Stored, place: ThreadPlace): LeveledPolicy[] {
  return [
    { level: 'installation', policy: stored.get(installationId) ?? defaultNetworkPolicy },
    ...inner(stored, 'workspace', place.workspace_id),
    ...inner(stored, 'agent', agentIdOf(place)),
    ...inner(stored, 'thread', place.id),
  ]
}

function agentIdOf({ started_from_json }: ThreadPlace): string | null {
  return started_from_json && startedFromSchema.parse(JSON.parse(started_from_json)).agentId
}

function inner(stored: Stored, level: NetworkLevel, id: string | null): LeveledPolicy[] {
  return id === null ? [] : [{ level, policy: stored.get(id) ?? null }]
}

function present(levels: LeveledPolicy[], listed: readonly PrivateAddress[]): Network {
  const network = effectiveNetwork(levels)
  const privateNames = allowedPrivateAddresses(network.effective, listed).map(({ name, port }) => `${name}:${port}`)
  return { levels, ...network, privateNames: [...new Set(privateNames)] }
}
