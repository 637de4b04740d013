import { isErrorOf } from '@threadbox/errors'
import type { LatestRuns, Run, RunPage, StartRun } from '@threadbox/protocol/public'
import { roleMissing } from '../../threads/public.ts'
import { actionOn } from './own-runs.ts'
import type { RunDependencies } from './run-dependencies.ts'
import type { RunEngine } from './run-engine.ts'
import type { RunIntake } from './run-intake.ts'
import { runNetworkJson } from './run-network.logic.ts'
import { parseRunCursor, runCursorOf } from './runs.cursor.ts'
import { runNotFound } from './runs.errors.ts'
import { presentRun } from './runs.presenter.ts'
import type { RunRow } from './runs.table.ts'

/** Agent runs. Every method throws `agent.not-found` or `run.not-found`, also for another user’s. */
export type Runs = {
  /** Throws `agent.version-not-found`, `network-policy.name-invalid`, `run.queue-full`. */
  start(caller: { userId: string; trigger: 'manual' | 'api' }, agentId: string, request: StartRun): Promise<Run>
  /** Newest first. Throws `request.cursor-invalid`. */
  list(userId: string, agentId: string, page: { cursor: string | undefined; limit: number }): Promise<RunPage>
  get(userId: string, runId: string): Promise<Run>
  /** For each agent of the user: its newest run, and when a schedule is due next. */
  latest(userId: string): Promise<LatestRuns>
  /** Cancels the run if it has not ended. */
  cancel(userId: string, runId: string): Promise<Run>
}

export function makeRuns(
  dependencies: RunDependencies & { intake: RunIntake; engine: Pick<RunEngine, 'cancel'>; nudge: () => void },
): Runs {
  const { store, agents, intake, engine } = dependencies
  const present = async (rows: readonly RunRow[]) => {
    const live = await store.liveThreads(rows.flatMap(({ thread_id }) => thread_id ?? []))
    return rows.map((row) => presentRun(row, live))
  }
  const presentOne = async (row: RunRow) => (await present([row]))[0] as Run
  const open = async (userId: string, runId: string, action: 'read' | 'work') => {
    const row = await store.find(runId)
    if (row === undefined) throw runNotFound({})
    const agent = { agentId: row.agent_id, version: null, action: action === 'read' ? action : actionOn(row, userId) }
    await agents.resolve(userId, agent).catch((error: unknown) => {
      throw isErrorOf(roleMissing, error) ? error : runNotFound({})
    })
    return row
  }
  return {
    start: async ({ userId, trigger }, agentId, request) => {
      const { version = null, key, input, network = null } = request
      const agent = await agents.resolve(userId, { agentId, version, action: 'work' })
      const known = async () => (key === undefined ? undefined : await store.findKey({ agentId, userId, key }))
      const networkJson = runNetworkJson(network)
      const run = { agentId, version: agent.version, userId, trigger, title: agent.name, input, key, networkJson }
      let row = await known()
      row ??= await intake.add(run, async (writer) => {
        if (key === undefined) return true
        const same = writer.selectFrom('runs').select('id').where('agent_id', '=', agentId)
        const taken = same.where('user_id', '=', userId).where('request_key', '=', key)
        return (await taken.executeTakeFirst()) === undefined
      })
      // Another request with the same key was faster.
      row ??= await known()
      if (row === undefined) throw runNotFound({})
      dependencies.onChanged(userId, agentId)
      dependencies.nudge()
      return await presentOne(row)
    },
    list: async (userId, agentId, { cursor, limit }) => {
      await agents.resolve(userId, { agentId, version: null, action: 'read' })
      const before = cursor === undefined ? undefined : parseRunCursor(cursor)
      const found = await store.list(agentId, { before, limit: limit + 1 })
      const rows = found.slice(0, limit)
      const last = rows.at(-1)
      const { runHistoryDays, runHistoryCount } = await dependencies.settings.values()
      return {
        runs: await present(rows),
        next: found.length > limit && last !== undefined ? runCursorOf(last) : null,
        kept: { days: runHistoryDays, runs: runHistoryCount },
      }
    },
    get: async (userId, runId) => presentOne(await open(userId, runId, 'read')),
    latest: async (userId) => {
      const agentIds = (await agents.list(userId)).agents.map(({ id }) => id)
      const newest = new Map((await store.newest(agentIds)).map((row) => [row.agent_id, row]))
      const due = await dependencies.schedules.nextDueOf(agentIds)
      return {
        agents: agentIds.map((agentId) => {
          const row = newest.get(agentId)
          const last = row && { id: row.id, status: row.status as Run['status'], createdAt: row.created_at }
          return { agentId, last: last ?? null, nextDueAt: due.get(agentId) ?? null }
        }),
      }
    },
    cancel: async (userId, runId) => {
      const row = await open(userId, runId, 'work')
      await engine.cancel(row)
      dependencies.nudge()
      return await presentOne((await store.find(runId)) ?? row)
    },
  }
}
