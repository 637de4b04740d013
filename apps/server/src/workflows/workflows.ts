import type { Hono } from 'hono'
import type { People } from '../people/people.ts'
import type { Api, ApiEnv } from '../platform/http/api.ts'
import type { AllowedHosts } from '../platform/http/origins.ts'
import type { Platform } from '../platform/platform.ts'
import { type HostClient, rescueBudgets } from '../sandboxes/public.ts'
import type { SandboxArea } from '../sandboxes/sandboxes.ts'
import type { ThreadArea } from '../threads/threads.ts'
import type { TurnArea } from '../turns/turns.ts'
import { type AgentsFeature, makeAgentsFeature } from './agents/agents.ts'
import { sandboxAsleep } from './export/export.errors.ts'
import { exportRoutes } from './export/export.routes.ts'
import { makePersonalExport, type PersonalExport } from './export/personal-export.ts'
import { type ForksFeature, makeForksFeature } from './forks/forks.ts'
import { makeRewindsFeature, type RewindsFeature } from './rewinds/rewinds.ts'
import { makeRunsFeature, type RunsFeature } from './runs/runs.ts'
import { makeSharingFeature } from './sharing/sharing.ts'

/** Features that act on whole threads: forks, rewinds, exports, links, agents and runs. */
export type WorkflowArea = Pick<AgentsFeature, 'agents' | 'environments' | 'installs'> & {
  runs: RunsFeature
  /** Pages of links, at `/shared`. */
  sharedPages: Hono<ApiEnv>
  /** Webhooks, at `/hooks`. */
  hookPages: Hono<ApiEnv>
  routes: Api[]
  recoverEnvironments(): Promise<void>
  recoverRewinds(): Promise<void>
  startRuns(): void
  stopSharing(): void
  stopRuns(): Promise<void>
}

type Areas = { platform: Platform; people: People; threads: ThreadArea; sandboxes: SandboxArea; turns: TurnArea }

export function makeWorkflowArea(areas: Areas, options: { host: HostClient; hosts: AllowedHosts }): WorkflowArea {
  const { platform, people, threads, turns } = areas
  const { open, blobs, secretBox, system, logger } = platform
  const { hosts } = options
  const { audit } = people
  const { log } = threads
  const { forks, rewinds } = makeCopies(areas, options)
  const sharing = makeSharingFeature({ open, blobs, hosts, threads, forks: forks.forks, audit, system, logger })
  const { routes: agentRoutes, drafts, leaving, files: agentFiles, ...agents } = makeAgents(areas, options)
  const runs = makeRunsFeature({
    open,
    hosts,
    secretBox,
    agents: agents.agents,
    turns: turns.turns,
    threads,
    people,
    connectionIdsOf: async (userId) => (await turns.connectionRows.list(userId, [])).map(({ id }) => id),
    system,
    logger,
  })
  for (const part of [sharing.leaving, leaving, runs.leaving]) people.addLeaving(part)
  register(areas, { rewinds, agents, drafts, runs })
  return {
    ...agents,
    runs,
    sharedPages: sharing.pages,
    hookPages: runs.pages,
    routes: [
      forks.routes,
      sharing.copyRoutes,
      rewinds.routes,
      exportRoutes({ threads: threads.threads, log, blobs, personal: makeExport(areas, { agents, agentFiles }) }),
      sharing.routes,
      ...agentRoutes,
      runs.routes,
    ],
    recoverEnvironments: async () => {
      await agents.environments.recover()
      await drafts.recover()
    },
    recoverRewinds: rewinds.rewinds.recover,
    startRuns: runs.start,
    stopSharing: sharing.close,
    stopRuns: runs.stop,
  }
}

/** Everything that is a person’s own. */
function makeExport(
  { platform, people, threads, sandboxes, turns }: Areas,
  { agents, agentFiles }: { agents: Pick<AgentsFeature, 'agents'>; agentFiles: AgentsFeature['files'] },
): PersonalExport {
  return makePersonalExport({
    threads: threads.threads,
    rows: threads.rows,
    log: threads.log,
    blobs: platform.blobs,
    filesOf: async (threadId, signal) => {
      const row = await sandboxes.rows.find(threadId)
      if (row === undefined || row.has_run !== 1) return null
      const beforeWake = async () => {
        throw sandboxAsleep({})
      }
      return await sandboxes.files.archive(threadId, '/home/user', { only: [], signal, beforeWake })
    },
    agents: {
      ids: async (userId) => {
        const own = (await agents.agents.list(userId)).agents.filter(({ workspaceId }) => workspaceId === null)
        return own.map(({ id, name, current }) => ({ id, name, version: current.version }))
      },
      export: agentFiles.export,
    },
    usageCsv: turns.usage.csvOf,
    account: async (userId) => ({
      account: await people.users.me(userId),
      quotas: (await people.quotas.own(userId)).quotas,
    }),
    now: platform.system.now,
  })
}

function makeCopies(
  { platform, threads, sandboxes, turns }: Areas,
  { host }: { host: HostClient },
): { forks: ForksFeature; rewinds: RewindsFeature } {
  const { open, blobs, operations, system, logger } = platform
  const { log, attachments, setups, threadDrafts } = threads
  const { rows, guest, hashKeyOf, reports, services } = sandboxes
  const { history, snapshots } = turns
  const forks = makeForksFeature({
    access: threads.access,
    threads: threads.threads,
    log,
    attachments,
    setups,
    threadDrafts,
    network: threads.network,
    secrets: threads.secrets.grants,
    sandboxOf: rows.find,
    forkSandbox: sandboxes.forkSandbox,
    services,
    onSandboxChanged: sandboxes.changed,
    history,
    turns: turns.turns,
    snapshots,
    blobs,
    system,
  })
  const rewinds = makeRewindsFeature({
    open,
    threads,
    log,
    sandboxes: { find: rows.find, rewind: sandboxes.rewindSandbox, noteWake: sandboxes.noteWake },
    guest,
    hashKeyOf,
    memoryOf: rows.memory,
    reports,
    host,
    history,
    turns: turns.turns,
    snapshots,
    operations,
    system,
    logger,
  })
  return { forks, rewinds }
}

function makeAgents({ platform, people, threads, sandboxes, turns }: Areas, { host }: { host: HostClient }) {
  const { open, blobs, operations, secrets, system } = platform
  const { rows, servicesOf, hashKeyOf, beginAs, changed } = sandboxes
  return makeAgentsFeature({
    open,
    blobs,
    operations,
    secrets,
    system,
    people,
    threads,
    sandboxes: {
      find: rows.find,
      memory: rows.memory,
      host,
      hashKeyOf,
      budgets: () => rescueBudgets(people.settings),
      servicesOf,
      beginAs,
      changed,
    },
    turns,
  })
}

/** Registers this area’s gates, notes and owners with the areas below, and subscribes to their events. */
function register(
  { people, threads, sandboxes, turns }: Areas,
  {
    rewinds,
    agents,
    drafts,
    runs,
  }: {
    rewinds: RewindsFeature
    agents: Pick<AgentsFeature, 'environments' | 'installs'>
    drafts: Pick<AgentsFeature['drafts'], 'eraseOf'>
    runs: RunsFeature
  },
): void {
  people.addMeter({ quota: 'concurrentRuns', read: runs.countRunning })
  turns.addGate(rewinds.gate)
  turns.addNote(rewinds.note)
  threads.addWorkspaceEraser(drafts.eraseOf)
  sandboxes.addOwner(agents.environments.sandboxIds)
  sandboxes.events.on('host-changed', async ({ isReachable }) => {
    if (isReachable) await rewinds.rewinds.recover()
  })
  turns.events.on('turn-ended', runs.nudge)
  turns.events.on('turn-ended', ({ turnId, threadId }) => agents.installs.turnEnded({ id: turnId, threadId }))
}
