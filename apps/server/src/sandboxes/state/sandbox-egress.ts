import { makeKeyedLock, waitAtMost } from '@threadbox/concurrency'
import { allowedPrivateAddresses, type PrivateAddress, type SandboxState } from '@threadbox/domain'
import { isErrorOf } from '@threadbox/errors'
import type { HostSandbox } from '@threadbox/protocol/host'
import type { Network } from '@threadbox/protocol/public'
import type { Logger } from '@threadbox/telemetry'
import type { HostClient } from '../host/host-client.ts'
import type { Sandbox } from './sandbox.logic.ts'
import type { SandboxStore } from './sandboxes.store.ts'

type Egress = HostSandbox['egress']

/** The network policies of these threads, or of all. */
export type ReadNetworks = (threadIds: readonly string[] | 'all') => Promise<(threadId: string) => Network>

/** The hosts for which these threads, or all, have secrets. */
export type ReadBrokeredHosts = (
  threadIds: readonly string[] | 'all',
) => Promise<(threadId: string) => readonly string[]>

/** The services in private networks that policies can allow. */
export type ReadPrivateAddresses = () => Promise<readonly PrivateAddress[]>

/**
 * What sandboxes reach: the host has the policy of the thread, and the row has what the host confirmed. Orders for a
 * sandbox come one at a time and each reads the policy, so that a change is never overwritten by an older order.
 */
export type SandboxEgress = {
  /**
   * Applies changed policies to sandboxes that run or are paused. Skips those that already have them, so it can be
   * called at any time. A sandbox that can’t be reached keeps its earlier policy on record, and the next call, the
   * host’s return or the next wake orders it again.
   */
  apply(): Promise<void>
  /** The same for one sandbox, before it is woken. Throws if the host doesn’t confirm it. */
  confirm(row: Pick<Sandbox, 'id' | 'thread_id'>): Promise<void>
  /** Calls `order` with the thread’s present policy, and records it as confirmed when that resolves. */
  ordered<Result>(row: Ordered, order: (egress: Egress) => Promise<Result>): Promise<Result>
  /** False while the host may still have an earlier policy for a sandbox that runs or is paused. */
  isApplied(row: Sandbox | undefined): Promise<boolean>
}

type Ordered = Pick<Sandbox, 'id' | 'thread_id' | 'egress_json'>

/** States in which something runs or is paused. The others get a policy with their start. */
const present: readonly SandboxState[] = ['starting', 'active', 'pausing', 'paused', 'waking']
const attempts = 3
const retryMs = 200

export function makeSandboxEgress(dependencies: {
  store: SandboxStore
  host: Pick<HostClient, 'change'>
  networks: ReadNetworks
  brokeredHosts: ReadBrokeredHosts
  privateAddresses: ReadPrivateAddresses
  logger: Logger
}): SandboxEgress {
  const { store, host, logger } = dependencies
  const wantedOf = async (threadIds: readonly string[] | 'all') => {
    const [networks, brokered] = [await dependencies.networks(threadIds), await dependencies.brokeredHosts(threadIds)]
    const listed = await dependencies.privateAddresses()
    return (threadId: string) => egressOf(networks(threadId), { hosts: brokered(threadId), listed })
  }
  const oneAtATime = makeKeyedLock()
  const wantedFor = async (threadId: string) => (await wantedOf([threadId]))(threadId)
  const ordered: SandboxEgress['ordered'] = (row, order) =>
    oneAtATime(row.id, async () => {
      const egress = await wantedFor(row.thread_id)
      const result = await order(egress)
      // A commit that most starts don’t need.
      if (!isSame(row, egress)) await store.set(row.id, { egress_json: JSON.stringify(egress) })
      return result
    })
  const confirm: SandboxEgress['confirm'] = ({ id }) =>
    oneAtATime(id, async () => {
      const row = await store.findById(id)
      if (row === undefined || !present.includes(row.state)) return
      const egress = await wantedFor(row.thread_id)
      if (isSame(row, egress)) return
      await host.change(id, { egress })
      await store.set(id, { egress_json: JSON.stringify(egress) })
    })
  const insist = async (row: Sandbox) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await confirm(row)
      } catch (error) {
        // A start in progress has not created it yet, and orders the present policy.
        if (isErrorOf({ code: 'sandbox.not-found' }, error)) return
        if (attempt === attempts) {
          logger.error({ err: error, sandboxId: row.id }, 'a network policy did not reach a sandbox')
          return
        }
        await waitAtMost(retryMs)
      }
    }
  }
  return {
    ordered,
    confirm,
    apply: async () => {
      const wanted = await wantedOf('all')
      const rows = (await store.all()).filter((row) => row.state === 'fresh' || present.includes(row.state))
      // A start or fork in progress may have read an earlier policy: it is checked afterwards.
      const isBusy = (row: Sandbox) => row.state === 'fresh' || row.state === 'starting'
      const outdated = rows.filter((row) => isBusy(row) || !isSame(row, wanted(row.thread_id)))
      await Promise.all(outdated.map(insist))
    },
    isApplied: async (row) =>
      row === undefined || !present.includes(row.state) || isSame(row, await wantedFor(row.thread_id)),
  }
}

/** Sandboxes from before policies could be changed reach everything. */
function isSame(row: Pick<Sandbox, 'egress_json'>, egress: Egress): boolean {
  return (row.egress_json ?? JSON.stringify({ kind: 'open' })) === JSON.stringify(egress)
}

/** A policy as the host has it. */
export function egressOf(
  { effective }: Network,
  { hosts = [], listed }: { hosts?: readonly string[]; listed: readonly PrivateAddress[] },
): Egress {
  const privateAddresses = allowedPrivateAddresses(effective, listed)
  const common = {
    ...(hosts.length > 0 && { brokered: [...hosts] }),
    ...(privateAddresses.length > 0 && { privateAddresses }),
  }
  if (effective.kind !== 'allowlist') return { kind: effective.kind, ...common }
  return { kind: 'allowlist', names: effective.names, ...common }
}
