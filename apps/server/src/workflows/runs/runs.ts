import type { Logger } from '@threadbox/telemetry'
import type { Hono } from 'hono'
import type { Audit, LeavingPart, Quotas, Settings, UserHub, Users } from '../../people/public.ts'
import { type OpenDatabase, tablesOf } from '../../platform/database/database.ts'
import type { Api, ApiEnv } from '../../platform/http/api.ts'
import type { AllowedHosts } from '../../platform/http/origins.ts'
import type { SecretBox } from '../../platform/secrets/secret-box.ts'
import type { System } from '../../platform/system/system.ts'
import { makePreviewNames } from '../../sandboxes/public.ts'
import { fireDueSchedules } from './due-schedules.ts'
import { hookPages } from './hooks.routes.ts'
import { makeKeptRunStore } from './kept-runs.store.ts'
import { makeKeptRuns } from './kept-runs.usecases.ts'
import { makeLeavingRuns } from './leaving-runs.ts'
import type { RunDependencies } from './run-dependencies.ts'
import { makeRunEngine } from './run-engine.ts'
import { makeRunHistory } from './run-history.ts'
import { makeRunIntake } from './run-intake.ts'
import { makeRunLoop } from './run-loop.ts'
import { runPersonDisabled } from './runs.errors.ts'
import { runRoutes } from './runs.routes.ts'
import { makeRunStore } from './runs.store.ts'
import { makeRuns } from './runs.usecases.ts'
import { makeSchedules } from './schedules.usecases.ts'
import { makeScheduleStore, makeWebhookStore } from './triggers.store.ts'
import { trimKeptRuns } from './trim-kept-runs.ts'
import { makeWebhooks } from './webhooks.usecases.ts'

/** Agent runs, schedules and webhooks. */
export type RunsFeature = {
  routes: Api
  /** The routes below `/hooks`. */
  pages: Hono<ApiEnv>
  leaving: LeavingPart
  /** Does what is due now, and waits until no run is being started. */
  runDue(): Promise<void>
  /** How many runs of this person are at work. */
  countRunning(userId: string): Promise<number>
  openCounts(): Promise<Map<string, number>>
  /** Schedules a pass soon, because something may have changed. */
  nudge(): void
  start(): void
  stop(): Promise<void>
}

type RunPeople = {
  users: Pick<Users, 'isDisabled'>
  userHub: Pick<UserHub, 'publish'>
  settings: Settings
  quotas: Pick<Quotas, 'limits'>
  audit: Audit
}

type RunPorts = {
  open: OpenDatabase
  hosts: AllowedHosts
  secretBox: SecretBox
  agents: RunDependencies['agents']
  turns: RunDependencies['turns']
  threads: Pick<RunDependencies, 'threads' | 'log'>
  people: RunPeople
  /** The person’s own connections. */
  connectionIdsOf(userId: string): Promise<readonly string[]>
  system: System
  logger: Logger
}

export function makeRunsFeature(ports: RunPorts): RunsFeature {
  const { hosts, secretBox, system, logger } = ports
  const dependencies = dependenciesOf(ports)
  const { store, schedules } = dependencies
  const intake = makeRunIntake(dependencies)
  const engine = makeRunEngine(dependencies)
  const history = makeRunHistory(dependencies)
  const keptStore = makeKeptRunStore(tablesOf(ports.open.database))
  const loop = makeRunLoop({
    work: async () => {
      await fireDueSchedules({ ...dependencies, intake })
      await engine.advance()
      const isMoreLeft = await trimKeptRuns({ ...dependencies, keptStore })
      await history.trim()
      return isMoreLeft
    },
    nextAt: async () => {
      const times = [await schedules.nextDueAt(), await store.nextBegin(system.now())]
      return times.filter((at) => at !== undefined).sort((a, b) => a - b)[0]
    },
    system,
    logger,
  })
  const all = { ...dependencies, intake, engine, nudge: loop.nudge, secretBox }
  const webhooks = makeWebhooks(all)
  return {
    routes: runRoutes({
      runs: makeRuns(all),
      schedules: makeSchedules(all),
      webhooks,
      kept: makeKeptRuns({ ...all, keptStore }),
      // Senders use the published name, even if the creator of the webhook uses another one.
      originOf: makePreviewNames(hosts).publishedOrigin,
    }),
    pages: hookPages({ webhooks }),
    leaving: makeLeavingRuns({
      database: tablesOf(ports.open.database),
      connectionIdsOf: ports.connectionIdsOf,
      nudge: loop.nudge,
    }),
    runDue: async () => {
      await loop.pass()
      await engine.idle()
    },
    countRunning: store.countRunning,
    openCounts: store.openCounts,
    nudge: loop.nudge,
    start: loop.start,
    stop: async () => {
      await loop.stop()
      await engine.idle()
    },
  }
}

function dependenciesOf(ports: RunPorts): RunDependencies {
  const { open, agents, turns, threads, people, system, logger } = ports
  const { users, userHub, settings, quotas, audit } = people
  return {
    store: makeRunStore(tablesOf(open.database)),
    schedules: makeScheduleStore(tablesOf(open.database)),
    webhooks: makeWebhookStore(tablesOf(open.database)),
    agents: enabledAgents(agents, users),
    turns,
    threads: threads.threads,
    log: threads.log,
    settings: {
      values: settings.values,
      limitOf: async (userId) => {
        const [{ runsAtOnce }, { concurrentRuns }] = await Promise.all([settings.values(), quotas.limits(userId)])
        return Math.min(runsAtOnce, concurrentRuns ?? runsAtOnce)
      },
    },
    audit,
    system,
    logger,
    onChanged: (userId) => userHub.publish(userId, { type: 'agents-updated' }),
  }
}

/** For people whose account is disabled, nothing starts and nothing that waits begins. */
function enabledAgents(
  agents: RunDependencies['agents'],
  { isDisabled }: RunPeople['users'],
): RunDependencies['agents'] {
  const requireEnabled = async (userId: string) => {
    if (await isDisabled(userId)) throw runPersonDisabled({})
  }
  return {
    ...agents,
    resolve: async (userId, wanted) => {
      await requireEnabled(userId)
      return await agents.resolve(userId, wanted)
    },
    startThread: async (order) => {
      await requireEnabled(order.ownerId)
      return await agents.startThread(order)
    },
  }
}
