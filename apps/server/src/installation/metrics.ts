import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { HostMachine } from '@threadbox/protocol/host'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { LifecycleMeasure } from '../sandboxes/public.ts'
import type { BackupStatus } from './backups/backup-status.ts'

/** What the server measures. No label names a person, a thread, a workspace, or anything that they wrote. */
export type Metrics = {
  /** In the text format of Prometheus. */
  text(): Promise<string>
  contentType: string
  /** What happens; each is called as it does. */
  turnEnded(turn: { end: string; seconds: number }): void
  modelRequestEnded(request: ModelRequestEnd): void
  modelFellBack(cause: string): void
  quotaRefused(quota: string): void
  requestAnswered(request: { route: string; status: number; seconds: number }): void
  audited(row: { action: string; isThroughProvider: boolean }): void
  lifecycleMeasured(measure: LifecycleMeasure): void
}

export type ModelRequestEnd = {
  provider: string
  outcome: 'answered' | 'estimated' | 'rejected'
  seconds: number
  tokens: { input: number; cached: number; output: number }
  microUsd: number
}

/** What is read when the metrics are. */
export type MetricSources = {
  version: string
  sandboxes(): Promise<ReadonlyMap<string, number>>
  runs(): Promise<ReadonlyMap<string, number>>
  operations(): Promise<readonly { kind: string; phase: string; count: number; oldestSeconds: number }[]>
  wakeQueue(): number
  /** Undefined while the host daemon does not respond. */
  host(): Promise<HostFacts | undefined>
  /** Undefined: what is known of backups can’t be read. */
  backup(): Promise<
    Pick<BackupStatus, 'succeededAt' | 'verifiedAt' | 'failedAt' | 'seconds' | 'storedBytes'> | undefined
  >
}

export type HostFacts = {
  memoryTotalBytes: number
  memoryAvailableBytes: number
  frozenBytes: number
  poolTotalBytes: number
  poolUsedBytes: number
  memoryImageBytes: number
  spares: number
  /** Undefined: the host is of an older release. */
  machine?: HostMachine | undefined
}

const prefix = 'threadbox_'
/** Few, because each is a series for each combination of labels. */
const seconds = {
  request: [0.05, 0.25, 1, 5],
  model: [1, 5, 30, 120],
  turn: [5, 30, 120, 600],
  wake: [0.1, 0.5, 2, 10],
  pause: [0.5, 2, 10, 60],
}

export function makeMetrics(sources: MetricSources): Metrics {
  const registry = new Registry()
  const shared = { registers: [registry] }
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Counter({ ...shared, name: `${prefix}${name}`, help, labelNames })
  const histogram = <Label extends string>(
    name: string,
    help: string,
    of: { buckets: number[]; labelNames: Label[] },
  ) => new Histogram({ ...shared, name: `${prefix}${name}`, help, ...of })
  const refresh = addGauges(registry, sources)
  const turns = counter('turns_total', 'Turns that ended.', ['end'])
  const turnSeconds = histogram('turn_seconds', 'How long turns took.', { buckets: seconds.turn, labelNames: ['end'] })
  const modelSeconds = histogram('model_request_seconds', 'How long requests to models took.', {
    buckets: seconds.model,
    labelNames: ['provider', 'outcome'],
  })
  const tokens = counter('model_tokens_total', 'Tokens that providers counted.', ['provider', 'kind'])
  const spend = counter('model_spend_usd_total', 'What requests to models cost, in USD.', ['provider'])
  const fallbacks = counter('model_fallbacks_total', 'Turns that another model took over.', ['reason'])
  const refusals = counter('quota_refusals_total', 'What a limit of a person did not allow.', ['quota'])
  const requests = histogram('http_request_seconds', 'How long requests took, by part of the API.', {
    buckets: seconds.request,
    labelNames: ['route', 'status'],
  })
  const audited = counter('audit_rows_total', 'Rows of the audit log.')
  const lifecycle = addLifecycle({ counter, histogram })
  const logins = counter('logins_total', 'Sign-ins.', ['way', 'outcome'])
  return {
    text: async () => {
      await refresh()
      return await registry.metrics()
    },
    contentType: registry.contentType,
    turnEnded: ({ end, seconds: took }) => {
      turns.inc({ end })
      turnSeconds.observe({ end }, took)
    },
    modelRequestEnded: ({ provider, outcome, seconds: took, tokens: counted, microUsd }) => {
      modelSeconds.observe({ provider, outcome }, took)
      for (const [kind, count] of Object.entries(counted)) tokens.inc({ provider, kind }, count)
      spend.inc({ provider }, microUsd / 1_000_000)
    },
    lifecycleMeasured: lifecycle,
    modelFellBack: (reason) => fallbacks.inc({ reason }),
    quotaRefused: (quota) => refusals.inc({ quota }),
    requestAnswered: ({ route, status, seconds: took }) =>
      requests.observe({ route, status: `${Math.floor(status / 100)}xx` }, took),
    audited: ({ action, isThroughProvider }) => {
      audited.inc()
      const login = loginsOf[action]
      if (login !== undefined) logins.inc(isThroughProvider ? { ...login, way: 'oidc' } : login)
    },
  }
}

/** Sign-ins, by the action in the audit log. */
const loginsOf: Readonly<Record<string, { way: string; outcome: string }>> = {
  'logged-in': { way: 'password', outcome: 'accepted' },
  'login-refused': { way: 'password', outcome: 'refused' },
  'passkey-logged-in': { way: 'passkey', outcome: 'accepted' },
  'passkey-login-refused': { way: 'passkey', outcome: 'refused' },
}

type Instruments = {
  counter(name: string, help: string, labelNames?: string[]): Counter<string>
  histogram(name: string, help: string, of: { buckets: number[]; labelNames: string[] }): Histogram<string>
}

function addLifecycle({ counter, histogram }: Instruments): Metrics['lifecycleMeasured'] {
  const wakes = histogram('wake_seconds', 'How long callers waited for a sandbox, by what it continued from.', {
    buckets: seconds.wake,
    labelNames: ['way'],
  })
  const pauses = histogram('pause_seconds', 'How long pauses took.', { buckets: seconds.pause, labelNames: [] })
  const demotions = counter('demotions_total', 'Sandboxes whose memory was discarded in order.')
  const fallbacks = counter('wake_fallbacks_total', 'Wakes that could not use the saved memory.', ['reason'])
  return (measure) => {
    if (measure.kind === 'wake') wakes.observe({ way: measure.way }, measure.seconds)
    else if (measure.kind === 'pause') pauses.observe(measure.seconds)
    else if (measure.kind === 'demotion') demotions.inc()
    else fallbacks.inc({ reason: measure.way })
  }
}

/** What only a newer host measures. */
function addMachine(registry: Registry, gauge: MakeGauge): (machine: HostMachine, to: MachineGauges) => void {
  const shared = { registers: [registry] }
  const tables = gauge('pool_metadata_bytes', 'The file system’s own tables.')
  const room = gauge('room_for_boots', 'How many more sandboxes the host admits.')
  const cpu = new Counter({
    ...shared,
    name: `${prefix}sandbox_cpu_seconds_total`,
    help: 'Processor time of all sandboxes.',
  })
  const network = new Counter({
    ...shared,
    name: `${prefix}sandbox_network_bytes_total`,
    help: 'What sandboxes received and sent.',
    labelNames: ['direction'],
  })
  return ({ memory, disk, processor, network: bytes }, { pool, memory: held }) => {
    held.set({ kind: 'sandboxes' }, memory.sandboxesBytes)
    held.set({ kind: 'spares' }, memory.sparesBytes)
    pool.set({ kind: 'images' }, disk.imagesBytes)
    if (disk.disksBytes !== null) pool.set({ kind: 'disks' }, disk.disksBytes)
    if (disk.tablesBytes !== null) tables.set(disk.tablesBytes)
    room.set(memory.roomForBoots)
    // The kernel counts: what it says replaces what was read before.
    if (processor.sandboxSeconds !== null) setCounter(cpu, processor.sandboxSeconds)
    if (bytes === null) return
    network.reset()
    network.inc({ direction: 'received' }, bytes.receivedBytes)
    network.inc({ direction: 'sent' }, bytes.sentBytes)
  }
}

type MakeGauge = (name: string, help: string) => Gauge
type MachineGauges = { pool: Gauge<'kind'>; memory: Gauge<'kind'> }

function setCounter(counter: Counter, value: number): void {
  counter.reset()
  counter.inc(value)
}

/** Returns what reads them. */
function addGauges(registry: Registry, sources: MetricSources): () => Promise<void> {
  const gauge = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Gauge({ registers: [registry], name: `${prefix}${name}`, help, labelNames })
  gauge('build_info', 'The release.', ['version']).set({ version: sources.version }, 1)
  const up = gauge('up', 'Whether a process responds.', ['process'])
  const sandboxes = gauge('sandboxes', 'Sandboxes, by state.', ['state'])
  const runs = gauge('runs', 'Runs of agents that have not ended.', ['state'])
  const operations = gauge('operations', 'Work that survives a restart.', ['kind', 'phase'])
  const age = gauge('operation_age_seconds', 'The age of the oldest such work.', ['kind'])
  const queue = gauge('wake_queue', 'Threads that wait for memory.')
  const pool = gauge('pool_bytes', 'The pool of disks.', ['kind'])
  const memory = gauge('memory_bytes', 'Memory of the machine.', ['kind'])
  const spares = gauge('spares', 'Sandboxes that wait for a thread.')
  const lag = gauge('event_loop_lag_seconds', 'How late the server does what is due, 99th percentile.', ['process'])
  const backup = addBackupGauges(gauge)
  const setMachine = addMachine(registry, gauge)
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  return async () => {
    const host = await sources.host()
    up.set({ process: 'server' }, 1)
    up.set({ process: 'host' }, host === undefined ? 0 : 1)
    setAll(sandboxes, await sources.sandboxes())
    setAll(runs, await sources.runs())
    operations.reset()
    age.reset()
    for (const { kind, phase, count, oldestSeconds } of await sources.operations()) {
      operations.set({ kind, phase }, count)
      age.set({ kind }, oldestSeconds)
    }
    queue.set(sources.wakeQueue())
    lag.set({ process: 'server' }, Math.max(0, delay.percentile(99) / 1e9 - 0.02))
    delay.reset()
    backup(await sources.backup())
    if (host === undefined) return
    pool.set({ kind: 'total' }, host.poolTotalBytes)
    pool.set({ kind: 'used' }, host.poolUsedBytes)
    pool.set({ kind: 'memory-images' }, host.memoryImageBytes)
    memory.set({ kind: 'total' }, host.memoryTotalBytes)
    memory.set({ kind: 'available' }, host.memoryAvailableBytes)
    memory.set({ kind: 'frozen' }, host.frozenBytes)
    spares.set(host.spares)
    if (host.machine !== undefined) setMachine(host.machine, { pool, memory })
  }
}

function setAll(gauge: Gauge<'state'>, counts: ReadonlyMap<string, number>): void {
  gauge.reset()
  for (const [state, count] of counts) gauge.set({ state }, count)
}

/** A time of 0: there was none. No sample: it is not known. */
function addBackupGauges(gauge: MakeGauge): (status: BackupTimes) => void {
  const succeeded = gauge('backup_last_success_timestamp', 'When the last backup was complete; 0: never.')
  const verified = gauge('backup_last_verify_timestamp', 'When all backups were last found intact; 0: never.')
  const failed = gauge('backup_last_failure_timestamp', 'When a backup or a verification last failed; 0: never.')
  const took = gauge('backup_seconds', 'How long the last backup took.')
  const stored = gauge('backup_bytes', 'What the last backup stored.')
  const isReadable = gauge('backup_record_readable', 'Whether what is known of backups can be read.')
  return (status) => {
    isReadable.set(status === undefined ? 0 : 1)
    if (status === undefined) {
      for (const each of [succeeded, verified, failed, took, stored]) each.remove()
      return
    }
    succeeded.set((status.succeededAt ?? 0) / 1000)
    verified.set((status.verifiedAt ?? 0) / 1000)
    failed.set((status.failedAt ?? 0) / 1000)
    took.set(status.seconds ?? 0)
    stored.set(status.storedBytes ?? 0)
  }
}
type BackupTimes = Awaited<ReturnType<MetricSources['backup']>>
