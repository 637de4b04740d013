import type { Logger } from '@threadbox/telemetry'
import type { Hono } from 'hono'
import type { ThreadParts } from '../../application-parts.ts'
import type { Audit } from '../../people/audit/audit.ts'
import type { Settings } from '../../people/settings/settings.ts'
import { type OpenDatabase, tablesOf } from '../../platform/database/database.ts'
import type { Api, ApiEnv } from '../../platform/http/api.ts'
import type { AllowedHosts } from '../../platform/http/origins.ts'
import { makeSecretBox } from '../../platform/secrets/secret-box.ts'
import type { System } from '../../platform/system/system.ts'
import { makePreviewNames } from '../../sandboxes/previews/preview-names.models.ts'
import type { Turns } from '../../turns/engine/turns.usecases.ts'
import type { Agents } from '../agents/agents.usecases.ts'
import { fireDueSchedules } from './due-schedules.ts'
import { hookPages } from './hooks.routes.ts'
import { makeKeptRunStore } from './kept-runs.store.ts'
import { makeKeptRuns } from './kept-runs.usecases.ts'
import type { RunDependencies } from './run-dependencies.ts'
import { makeRunEngine } from './run-engine.ts'
import { makeRunHistory } from './run-history.ts'
import { makeRunIntake } from './run-intake.ts'
import { makeRunLoop } from './run-loop.ts'
import { runRoutes } from './runs.routes.ts'
import { makeRunStore } from './runs.store.ts'
import { makeRuns } from './runs.usecases.ts'
import { makeSchedules } from './schedules.usecases.ts'
import { makeScheduleStore, makeWebhookStore } from './triggers.store.ts'
import { makeWebhooks } from './webhooks.usecases.ts'

/** Runs of agents, and what starts them. */
export type RunParts = {
  routes: Api
  /** What is at `/hooks`. */
  pages: Hono<ApiEnv>
  /** Does now what is due, and waits until nothing is being started. */
  look(): Promise<void>
  /** Something may have changed: looks soon. */
  nudge(): void
  start(): void
  stop(): Promise<void>
}

type Known = {
  parts: ThreadParts
  agents: Pick<Agents, 'resolve' | 'startThread' | 'list'>
  turns: Turns
  settings: Settings
  audit: Audit
}

export function makeRunParts(
  options: { open: OpenDatabase; masterKey: Uint8Array; hosts: AllowedHosts; system: System; logger: Logger },
  known: Known,
): RunParts {
  const { system, logger } = options
  const dependencies = dependenciesOf(options, known)
  const { store, schedules } = dependencies
  const intake = makeRunIntake(dependencies)
  const engine = makeRunEngine(dependencies)
  const history = makeRunHistory(dependencies)
  const nudge = () => loop.nudge()
  const kept = makeKeptRuns({ ...dependencies, nudge })
  const loop = makeRunLoop({
    work: async () => {
      await fireDueSchedules({ ...dependencies, intake })
      await engine.look()
      await kept.trim()
      await history.trim()
    },
    nextAt: async () => {
      const times = [await schedules.nextDueAt(), await store.nextBegin(system.now())]
      return times.filter((at) => at !== undefined).sort((a, b) => a - b)[0]
    },
    system,
    logger,
  })
  const all = { ...dependencies, intake, engine, nudge, secretBox: makeSecretBox(options.masterKey) }
  const webhooks = makeWebhooks(all)
  return {
    routes: runRoutes({
      runs: makeRuns(all),
      schedules: makeSchedules(all),
      webhooks,
      kept,
      // Whoever gets the address comes by the published name, whichever one its maker uses.
      originOf: makePreviewNames(options.hosts).publishedOrigin,
    }),
    pages: hookPages({ webhooks }),
    look: async () => {
      await loop.pass()
      await engine.idle()
    },
    nudge,
    start: loop.start,
    stop: async () => {
      await loop.stop()
      await engine.idle()
    },
  }
}

function dependenciesOf(
  { open, system, logger }: { open: OpenDatabase; system: System; logger: Logger },
  { parts, agents, turns, settings, audit }: Known,
): RunDependencies {
  return {
    store: makeRunStore(tablesOf(open.database)),
    keptStore: makeKeptRunStore(tablesOf(open.database)),
    schedules: makeScheduleStore(tablesOf(open.database)),
    webhooks: makeWebhookStore(tablesOf(open.database)),
    agents,
    turns,
    threads: parts.threads,
    log: parts.log,
    settings,
    audit,
    system,
    logger,
    onChanged: (userId) => parts.userHub.publish(userId, { type: 'agents-updated' }),
  }
}
