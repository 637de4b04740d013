import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { type ModelServer, startModelServer } from '@threadbox/testkit'
import { sandboxIdsOf, startInstallation, type TestInstallation, type TestThread } from '../../stack/installation.ts'
import { commonOf } from '../stage.ts'
import { countStartedPrograms } from './started-programs.ts'
import { makeUseReader, type Use } from './use.ts'

/** An installation with the product’s own settings, and what counts all that it uses. */
export type CostStage = TestInstallation &
  ReturnType<typeof commonOf> & {
    model: ModelServer
    readUse(): Promise<Use>
    /** Command lines of the programs that server and host daemon have started. */
    startedPrograms(): Promise<string[]>
    /** Resolves when nothing more follows from what was done: spares are ready, and the latest deferred work has run. */
    settle(): Promise<void>
    removeThread(thread: TestThread): Promise<void>
  }

/** A thread’s activity is checked every 12 s. */
const latestFollowUpMs = 13_000

export async function openCostStage(): Promise<CostStage> {
  await using cleanup = new AsyncDisposableStack()
  const started = cleanup.use(await countStartedPrograms())
  const model = cleanup.use(await startModelServer())
  const environment = started.environment
  const installation = cleanup.use(
    await startInstallation({ asInstalled: true, hostEnvironment: environment, serverEnvironment: environment }),
  )
  const { client } = installation
  const { anthropic } = model.baseUrls
  await client.models.connect({ provider: 'anthropic', model: 'test', baseUrl: anthropic, apiKey: 'key' })
  const common = commonOf(installation, { pollMs: 100 })
  const database = new DatabaseSync(path.join(installation.server.directory, 'server.db'), { readOnly: true })
  cleanup.defer(() => database.close())
  const kept = cleanup.move()
  return {
    ...installation,
    model,
    readUse: makeUseReader(installation, started),
    startedPrograms: async () => [
      ...(await started.list(installation.host.pid())),
      ...(await started.list(installation.server.pid())),
    ],
    ...common,
    untilSnapshotTaken: (threadId) => untilSnapshotTaken(database, threadId),
    settle: async () => {
      await common.untilSparesWait()
      await delay(latestFollowUpMs)
      await common.untilSparesWait()
    },
    removeThread: async ({ id }) => {
      const { length } = await sandboxIdsOf(installation)
      await client.threads.delete(id)
      while ((await sandboxIdsOf(installation)).length >= length) await delay(200)
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/**
 * Resolves when everything of a thread’s turns is saved, memory too. Asks no server: a question costs it and the host
 * daemon several milliseconds, and memory is saved ten seconds after a turn.
 */
async function untilSnapshotTaken(database: DatabaseSync, threadId: string): Promise<void> {
  const wanted = database.prepare(
    "select 1 from turn_snapshots where thread_id = ? and (state = 'wanted' or memory_problem = 'not-yet')",
  )
  while (wanted.get(threadId) !== undefined) await delay(100)
}
