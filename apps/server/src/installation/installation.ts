import type { Hono } from 'hono'
import type { Audit, PeopleEvents, Settings, Users } from '../people/public.ts'
import { type OpenDatabase, tablesOf } from '../platform/database/database.ts'
import type { Events } from '../platform/events/events.ts'
import type { Api, ApiEnv } from '../platform/http/api.ts'
import type { Operations } from '../platform/operations/operations.ts'
import type { System } from '../platform/system/system.ts'
import type { HostClient } from '../sandboxes/public.ts'
import type { Models, TurnEvents } from '../turns/public.ts'
import { readBackupStatus } from './backups/backup-status.ts'
import { healthPages } from './health.ts'
import { installationRoutes, setupRoutes } from './installation.routes.ts'
import { metricsRoutes } from './metrics.routes.ts'
import { type Metrics, makeMetrics } from './metrics.ts'
import { makeStatus } from './status.ts'

/** The installation's report about itself. */
export type Installation = {
  metrics: Metrics
  /** Pages for probes, which need no sign-in. */
  healthPages: Hono<ApiEnv>
  /** Routes that need no sign-in. */
  setupRoutes: Api
  routes: Api[]
}

/** What is measured in the areas below. */
type Measured = {
  people: { events: Pick<Events<PeopleEvents>, 'on'> }
  turns: { events: Pick<Events<TurnEvents>, 'on'> }
  sandboxes: { rows: { all(): Promise<{ state: string }[]> }; waitingThreads(): number }
  runs: { openCounts(): Promise<ReadonlyMap<string, number>> }
  operations: Pick<Operations, 'counts'>
}

export function makeInstallation(
  ports: { users: Users; settings: Settings; audit: Audit; models: Pick<Models, 'usable'> } & {
    open: OpenDatabase
    system: Pick<System, 'now'>
    measured: Measured
  },
  { host, version, backupStatusFile }: { host: HostClient; version: string; backupStatusFile: string },
): Installation {
  const { users, settings, audit, models, open, system, measured } = ports
  const hasModel = async () => (await models.usable(null)) !== undefined
  const status = makeStatus({ version, host, users, hasModel })
  const metrics = makeInstallationMetrics({ host, version, backupStatusFile, system, measured })
  return {
    metrics,
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
    ],
  }
}

function makeInstallationMetrics(ports: {
  host: HostClient
  version: string
  backupStatusFile: string
  system: Pick<System, 'now'>
  measured: Measured
}): Metrics {
  const { host, version, system, measured } = ports
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
    backup: () => readBackupStatus(ports.backupStatusFile),
    host: async () => {
      const info = await host.info().catch(() => undefined)
      if (info === undefined) return undefined
      return {
        memoryTotalBytes: info.memoryTotalBytes,
        memoryAvailableBytes: info.memoryAvailableBytes,
        frozenBytes: info.frozenBytes ?? 0,
        poolTotalBytes: info.poolTotalBytes,
        poolUsedBytes: info.poolUsedBytes,
        memoryImageBytes: info.memoryImageBytes ?? 0,
        spares: info.spareSandboxes ?? 0,
      }
    },
  })
  const { turns, people } = measured
  turns.events.on('turn-ended', ({ status, seconds }) => metrics.turnEnded({ end: status, seconds }))
  turns.events.on('model-request-ended', metrics.modelRequestEnded)
  turns.events.on('model-fell-back', ({ cause }) => metrics.modelFellBack(cause))
  turns.events.on('quota-refused', ({ quota }) => metrics.quotaRefused(quota))
  people.events.on('audited', ({ action }) => metrics.audited(action))
  return metrics
}
