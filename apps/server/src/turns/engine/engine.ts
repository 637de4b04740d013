import { type OpenDatabase, tablesOf } from '../../platform/database/database.ts'
import type { Api, OpenThread } from '../../platform/http/api.ts'
import {
  type Attachments,
  type ThreadLog,
  type ThreadRows,
  type ThreadSetups,
  type Threads,
  threadNotFound,
  type UsableSecrets,
  type Workspaces,
} from '../../threads/public.ts'
import type { TurnTables } from '../record/turns.table.ts'
import type { Skills } from '../skills/skills.usecases.ts'
import { makeQueueStore } from './queue.store.ts'
import type { TurnDependencies, TurnThreads } from './turn-dependencies.ts'
import { turnRoutes } from './turns.routes.ts'
import { makeTurns, type Turns } from './turns.usecases.ts'

export type EngineFeature = { turns: Turns; routes: Api }

type EngineThreads = {
  open: OpenThread
  log: ThreadLog
  rows: Pick<ThreadRows, 'findAny'>
  setups: Pick<ThreadSetups, 'of' | 'placeOf'>
  threads: Pick<Threads, 'setAutomaticTitle'>
  attachments: Pick<Attachments, 'getAll'>
  workspaces: Pick<Workspaces, 'facts'>
  secrets: { usable: Pick<UsableSecrets, 'ofThread'> }
}

type EnginePorts = Omit<TurnDependencies, 'queue' | 'log' | 'threads'> & {
  open: OpenDatabase
  threads: EngineThreads
  skills: Pick<Skills, 'ofThread'>
}

export function makeEngineFeature({ open, threads, skills, ...ports }: EnginePorts): EngineFeature {
  const turns = makeTurns({
    ...ports,
    queue: makeQueueStore(tablesOf<TurnTables>(open.database)),
    log: threads.log,
    threads: threadsFor(threads, skills),
  })
  return { turns, routes: turnRoutes({ turns, open: threads.open }) }
}

function threadsFor(threads: EngineThreads, skills: Pick<Skills, 'ofThread'>): TurnThreads {
  const { rows, setups, workspaces } = threads
  const find = async (threadId: string) => {
    const row = await rows.findAny(threadId)
    return row?.deleted_at === null ? row : undefined
  }
  return {
    facts: async (threadId) => {
      const row = await find(threadId)
      if (row === undefined) return undefined
      const workspace = row.workspace_id === null ? undefined : await workspaces.facts(row.workspace_id)
      return {
        ownerId: row.user_id,
        workspaceId: row.workspace_id,
        modelId: row.model_id ?? workspace?.modelId ?? null,
        titleSource: row.title_source as 'none' | 'automatic' | 'person',
        instructions: workspace?.instructions ?? '',
        agentInstructions: (await setups.of(row))?.instructions ?? '',
        skills: await skills.ofThread(await setups.placeOf(row)),
        secrets: (await threads.secrets.usable.ofThread(row)).map(({ name, way, rules }) => ({
          name,
          way,
          hosts: rules.hosts,
        })),
      }
    },
    require: async (threadId) => {
      if ((await find(threadId)) === undefined) throw threadNotFound({})
    },
    setAutomaticTitle: threads.threads.setAutomaticTitle,
    attachmentsOf: threads.attachments.getAll,
  }
}
