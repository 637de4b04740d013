import type { LiveFacts } from '@threadbox/protocol/support'
import type { Logger } from '@threadbox/telemetry'
import type { Hono } from 'hono'
import {
  type Audit,
  type PeopleEvents,
  type Quotas,
  quotaOfRefusal,
  type Settings,
  type Users,
} from '../people/public.ts'
import { type OpenDatabase, tablesOf } from '../platform/database/database.ts'
import type { Events } from '../platform/events/events.ts'
import type { Api, ApiEnv } from '../platform/http/api.ts'
import type { Operations } from '../platform/operations/operations.ts'
import type { System } from '../platform/system/system.ts'
import type { HostClient, SandboxEvents } from '../sandboxes/public.ts'
import type { Models, TurnEvents, UsageReports } from '../turns/public.ts'
import { type BackupProgram, makeBackupRuns } from './backups/backup-runs.ts'
import { type BackupSchedule, makeBackupSchedule } from './backups/backup-schedule.ts'
import { backupStatusFile, readBackupStatus } from './backups/backup-status.ts'
import { backupRoutes } from './backups/backups.routes.ts'
import { makeBackupReports } from './backups/backups.usecases.ts'
import { healthPages } from './health.ts'
import { installationRoutes, setupRoutes } from './installation.routes.ts'
import { machineRoutes } from './machine.routes.ts'
import type { MachineTables } from './machine.table.ts'
import { type MachinePorts, makeMachineReports } from './machine.usecases.ts'
import { type MachineSampler, makeMachineSampler } from './machine-sampler.ts'
import { makeMachineSampleStore } from './machine-samples.store.ts'
import { metricsRoutes } from './metrics.routes.ts'
import { type Metrics, makeMetrics } from './metrics.ts'
import { makeRecentErrors } from './recent-errors.ts'
import { makeStatus } from './status.ts'

/** The installation's report about itself. */
export type Installation = {
  metrics: Metrics
  /** For a support bundle. */
  liveFacts(): Promise<LiveFacts>
  /** Measures the machine for the charts of the machine page. */
  sampler: MachineSampler
  backups: {
    schedule: BackupSchedule
    /** Resolves when no backup that this server started runs. */
    settled(): Promise<void>
    /** Ends the schedule, and the backup that runs. */
    stop(): Promise<void>
  }
  /** Call it after each response. */
  answered(request: { route: string; status: number; seconds: number; code: string | undefined }): void
  /** Pages for probes, which need no sign-in. */
  healthPages: Hono<ApiEnv>
  /** Routes that need no sign-in. */
  setupRoutes: Api
  routes: Api[]
}

/** What is measured in the areas below. */
type Measured = {
  people: { events: Pick<Events<PeopleEvents>, 'on'> }
  threads: { rows: { creators: MachinePorts['creators'] } }
  turns: { events: Pick<Events<TurnEvents>, 'on'>; usage: Pick<UsageReports, 'report'> }
  sandboxes: MachinePorts['sandboxes'] & {
    waitingThreads(): number
    events: Pick<Events<SandboxEvents>, 'on'>
  }
  runs: { openCounts(): Promise<ReadonlyMap<string, number>> }
  operations: Pick<Operations, 'counts'>
}

type Ports = {
  platform: { open: OpenDatabase; system: Pick<System, 'now'>; logger: Logger }
  users: Users
  quotas: Quotas
  settings: Settings
  audit: Audit
  models: Pick<Models, 'usable'>
  measured: Measured
}

export function makeInstallation(
  ports: Ports,
  known: { host: HostClient; version: string; backups: BackupProgram; machine: { uptimeMs(): number } },
): Installation {
  const { users, settings, audit, models, measured } = ports
  const { open, system } = ports.platform
  const { host, version } = known
  const { directory } = known.backups
  const hasModel = async () => (await models.usable(null)) !== undefined
  const status = makeStatus({ version, host, users, hasModel, settings })
  const metrics = makeInstallationMetrics({ host, version, directory, platform: ports.platform, measured })
  const errors = makeRecentErrors(system.now)
  const checks: MachinePorts['checks'] = async (options) => (await status.now(options)).checks
  const { sampler, machine } = makeMachine(ports, { ...known, errors, checks })
  const { backups, reports } = makeBackups(ports, known)
  return {
    metrics,
    liveFacts: async () => ({ metrics: await metrics.text(), errors: errors.list() }),
    sampler,
    backups,
    answered: (request) => {
      metrics.requestAnswered(request)
      if (request.code === undefined) return
      errors.note({ code: request.code, status: request.status })
      const quota = quotaOfRefusal[request.code]
      if (quota !== undefined) metrics.quotaRefused(quota)
    },
    healthPages: healthPages({
      checks: {
        database: () =>
          tablesOf<{ users: { id: string } }>(open.database).selectFrom('users').select('id').limit(1).execute(),
        host: () => host.info(),
      },
      now: system.now,
    }),
    setupRoutes: setupRoutes(status),
    routes: [
      installationRoutes({ status, settings, audit, users }),
      metricsRoutes({ metrics, administers: users.administers }),
      machineRoutes({ machine }),
      backupRoutes({ backups: reports }),
    ],
  }
}

function makeBackups(
  { platform, users, settings, audit }: Ports,
  { backups, machine }: { backups: BackupProgram; machine: { uptimeMs(): number } },
) {
  const { system, logger } = platform
  const { now } = system
  const { directory } = backups
  const runs = makeBackupRuns(backups, { now, logger })
  const schedule = makeBackupSchedule({ directory, runs, settings, now, uptimeMs: machine.uptimeMs, logger })
  const stop = async () => {
    await schedule.stop()
    await runs.stop()
  }
  const reports = makeBackupReports({ directory, runs, schedule, users, audit, now })
  return { backups: { schedule, settled: runs.settled, stop }, reports }
}

function makeMachine(
  { platform, users, quotas, audit, measured }: Ports,
  known: Pick<MachinePorts, 'errors' | 'checks' | 'version'> & { host: HostClient },
) {
  const { open, system, logger } = platform
  const { sandboxes, threads, turns } = measured
  const samples = makeMachineSampleStore(tablesOf<MachineTables>(open.database))
  const sampler = makeMachineSampler({
    store: samples,
    host: known.host,
    awake: async () => (await sandboxes.rows.all()).filter(({ state }) => state === 'active').length,
    waiting: sandboxes.waitingThreads,
    now: system.now,
    logger,
  })
  const machine = makeMachineReports({
    ...known,
    users,
    quotas,
    sandboxes,
    creators: threads.rows.creators,
    usage: turns.usage,
    samples,
    audit,
    now: system.now,
  })
  return { sampler, machine }
}

function makeInstallationMetrics(ports: {
  host: HostClient
  version: string
  directory: string
  platform: Pick<Ports['platform'], 'system' | 'logger'>
  measured: Measured
}): Metrics {
  const { host, version, measured } = ports
  const { system, logger } = ports.platform
  const metrics = makeMetrics({
    version,
    sandboxes: async () =>
      new Map(
        [...Map.groupBy(await measured.sandboxes.rows.all(), ({ state }) => state)].map(([state, rows]) => [
          state,
          rows.length,
        ]),
      ),
    runs: measured.runs.openCounts,
    operations: async () =>
      (await measured.operations.counts()).map(({ oldest, ...operation }) => ({
        ...operation,
        oldestSeconds: Math.max(0, (system.now() - oldest) / 1000),
      })),
    wakeQueue: measured.sandboxes.waitingThreads,
    backup: () =>
      readBackupStatus(backupStatusFile(ports.directory)).catch((error: unknown) => {
        logger.error({ err: error }, 'the record of backups can’t be read')
        return undefined
      }),
    host: async () => {
      const [info, machine] = await Promise.all([
        host.info().catch(() => undefined),
        host.machine().catch(() => undefined),
      ])
      if (info === undefined) return undefined
      return {
        memoryTotalBytes: info.memoryTotalBytes,
        memoryAvailableBytes: info.memoryAvailableBytes,
        frozenBytes: info.frozenBytes ?? 0,
        poolTotalBytes: info.poolTotalBytes,
        poolUsedBytes: info.poolUsedBytes,
        memoryImageBytes: info.memoryImageBytes ?? 0,
        spares: info.spareSandboxes ?? 0,
        machine,
      }
    },
  })
  const { turns, people, sandboxes } = measured
  sandboxes.events.on('lifecycle-measured', metrics.lifecycleMeasured)
  turns.events.on('turn-ended', ({ status, seconds }) => metrics.turnEnded({ end: status, seconds }))
  turns.events.on('model-request-ended', metrics.modelRequestEnded)
  turns.events.on('model-fell-back', ({ cause }) => metrics.modelFellBack(cause))
  turns.events.on('quota-refused', ({ quota }) => metrics.quotaRefused(quota))
  people.events.on('audited', metrics.audited)
  return metrics
}
