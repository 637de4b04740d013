import type { SandboxState } from '@threadbox/domain'
import type { HostMachine } from '@threadbox/protocol/host'
import type {
  Check,
  Machine,
  MachineHistory,
  MachineSandbox,
  MachineSpan,
  NearLimit,
  SandboxView,
} from '@threadbox/protocol/public'
import { type Audit, ownerRequired, type Quotas, type Users } from '../people/public.ts'
import type { HostClient, Lifecycle } from '../sandboxes/public.ts'
import type { UsageReports } from '../turns/public.ts'
import { sandboxUnknown } from './machine.errors.ts'
import { growthMs, growthOf, historyOf, spanStart } from './machine-history.logic.ts'
import type { MachineSampleStore } from './machine-samples.store.ts'
import type { RecentErrors } from './recent-errors.ts'

/** The machine page: for the owner and admins, others get `auth.owner-required`. */
export type MachineReports = {
  machine(userId: string, options: { withChecks: boolean }): Promise<Machine>
  history(userId: string, span: MachineSpan): Promise<MachineHistory>
  /** Throws `machine.sandbox-unknown`, `sandbox.turn-running`, `sandbox.not-awake`. */
  pause(userId: string, sandboxId: string): Promise<void>
  /** Throws `machine.sandbox-unknown`, `sandbox.not-awake`. */
  stop(userId: string, sandboxId: string): Promise<void>
}

type SandboxRow = { id: string; thread_id: string; state: SandboxState; since: number }

/** Sandboxes, and what can be done with them. */
type SandboxReach = {
  rows: { all(): Promise<SandboxRow[]> }
  views(threadIds: readonly string[]): Promise<ReadonlyMap<string, SandboxView>>
  lifecycle: Pick<Lifecycle, 'pause' | 'stop'>
}

export type MachinePorts = {
  users: Pick<Users, 'administers' | 'names'>
  quotas: Pick<Quotas, 'own' | 'administration'>
  sandboxes: SandboxReach
  /** The creators of threads. */
  creators(): Promise<ReadonlyMap<string, string>>
  usage: Pick<UsageReports, 'report'>
  host: Pick<HostClient, 'machine'>
  checks(options: { withChecks: boolean }): Promise<Check[]>
  samples: Pick<MachineSampleStore, 'since'>
  errors: Pick<RecentErrors, 'list'>
  audit: Pick<Audit, 'record'>
  version: string
  now(): number
}

export function makeMachineReports(ports: MachinePorts): MachineReports {
  const { samples, now } = ports
  const requireAdministrator = async (userId: string) => {
    if (!(await ports.users.administers(userId))) throw ownerRequired({})
  }
  const act = async (userId: string, sandboxId: string, action: 'pause' | 'stop') => {
    await requireAdministrator(userId)
    const row = (await ports.sandboxes.rows.all()).find(({ id }) => id === sandboxId)
    if (row === undefined) throw sandboxUnknown({})
    const { lifecycle } = ports.sandboxes
    if (action === 'pause') await lifecycle.pause(row.thread_id, 'administrator')
    else await lifecycle.stop(row.thread_id)
    const person = (await ports.creators()).get(row.thread_id) ?? 'unknown'
    const name = action === 'pause' ? 'machine-sandbox-paused' : 'machine-sandbox-stopped'
    await ports.audit.record({ userId, action: name, subject: row.thread_id, details: { person } })
  }
  return {
    machine: async (userId, options) => {
      await requireAdministrator(userId)
      return await describe(ports, { userId, ...options })
    },
    history: async (userId, span) => {
      await requireAdministrator(userId)
      return historyOf(await samples.since(spanStart(span, now())), { span, now: now() })
    },
    pause: (userId, sandboxId) => act(userId, sandboxId, 'pause'),
    stop: (userId, sandboxId) => act(userId, sandboxId, 'stop'),
  }
}

async function describe(
  ports: MachinePorts,
  { userId, withChecks }: { userId: string; withChecks: boolean },
): Promise<Machine> {
  const { now, samples, quotas } = ports
  const at = now()
  const host = await ports.host.machine({ sandboxes: true }).catch(() => undefined)
  const [sandboxes, nearLimits, requests, spend, checks, grown] = await Promise.all([
    listSandboxes(ports, host),
    listNearLimits(ports),
    quotas.administration.requests(userId),
    ports.usage.report(userId, { of: 'everyone', by: 'model' }),
    ports.checks({ withChecks }),
    samples.since(at - growthMs),
  ])
  return {
    at,
    host: host === undefined ? null : figuresOf(host),
    growth: growthOf(grown),
    sandboxes,
    nearLimits,
    requests,
    spend: {
      from: spend.from,
      to: spend.to,
      costMicroUsd: spend.total.costMicroUsd,
      models: spend.groups.map(({ key, name, sums: { costMicroUsd, requests: count } }) => ({
        modelId: key ?? '',
        name: name ?? '',
        costMicroUsd,
        requests: count,
      })),
    },
    versions: {
      release: ports.version,
      driver: host?.versions.driver ?? null,
      guests: host?.versions.guests ?? [],
    },
    checks,
    errors: ports.errors.list(),
  }
}

function figuresOf({ memory, disk, processor, network }: HostMachine): Machine['host'] {
  return { memory, disk, processor, network }
}

/** Without anything that is inside a sandbox or in its thread: not even the name of a busy process. */
async function listSandboxes(
  { sandboxes, creators }: MachinePorts,
  host: HostMachine | undefined,
): Promise<MachineSandbox[]> {
  const rows = (await sandboxes.rows.all()).filter(({ state }) => state !== 'fresh')
  const [views, people] = await Promise.all([sandboxes.views(rows.map((row) => row.thread_id)), creators()])
  const sizes = new Map((host?.sandboxes ?? []).map((size) => [size.sandboxId, size]))
  const listed = rows.flatMap(({ id, thread_id: threadId, state, since }): MachineSandbox[] => {
    const userId = people.get(threadId)
    if (userId === undefined) return []
    const view = views.get(threadId)
    const why = [...new Set((view?.awake?.reasons ?? []).map(({ reason }) => reason))]
    const size = sizes.get(id)
    const { memoryBytes = null, diskBytes = null } = size ?? {}
    return [{ sandboxId: id, userId, state, since, why, waiting: waitingOf(view), memoryBytes, diskBytes }]
  })
  const weight = (sandbox: MachineSandbox) => sandbox.memoryBytes ?? 0
  return listed.toSorted(
    (one, other) =>
      weight(other) - weight(one) || (other.diskBytes ?? 0) - (one.diskBytes ?? 0) || one.since - other.since,
  )
}

function waitingOf(view: SandboxView | undefined): MachineSandbox['waiting'] {
  if (view?.waiting == null) return null
  const { position, reason } = view.waiting
  return { position, reason: reason === 'limit' ? 'limit' : 'memory' }
}

/** From this share on, little is left. */
export const nearShare = 0.8

async function listNearLimits({ users, quotas }: MachinePorts): Promise<NearLimit[]> {
  const found: NearLimit[] = []
  for (const { id: userId } of await users.names()) {
    const { quotas: states } = await quotas.own(userId)
    for (const { quota, used, limit, resetsAt } of states) {
      if (limit !== null && used >= limit * nearShare) found.push({ userId, quota, used, limit, resetsAt })
    }
  }
  return found.toSorted((one, other) => other.used / other.limit - one.used / one.limit)
}
