import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { hostPaths } from '@threadbox/protocol/host'
import { buildWebApp } from '../browser/app-in-browser.ts'
import { sandboxIdsOf, startInstallation, type TestInstallation, type TestThread } from '../stack/installation.ts'
import { makeRawSandbox, type RawSandbox } from './floors/raw-sandbox.ts'

/** Everything the scenarios measure, started once for a whole bench. */
export type Stage = TestInstallation & {
  raw: RawSandbox
  /** Creates a thread whose sandbox is awake, and returns the sandbox’s id. */
  newAwakeThread(): Promise<{ thread: TestThread; sandboxId: string }>
  /** Resolves when all spares are ready: between two new threads of people they are. */
  untilSparesWait(): Promise<void>
  /** Resolves when the files of the last turn were saved: between two messages of a person they are. */
  untilSnapshotTaken(threadId: string): Promise<void>
  /**
   * Permanently deletes threads, and resolves when their sandboxes are gone and the spares are ready: leftovers of one
   * round (a copy that still holds its memory, one that is being removed) do not affect the next.
   */
  removeThreads(...threadIds: string[]): Promise<void>
  /** How often the scenarios about starting, pausing and waking repeat each figure. */
  rounds: number
}

/** The product’s default; other tests keep no spares. */
export const spares = 2

/** `hasApp` for scenarios in a browser: building the app takes time. */
export async function openStage(options: { rounds: number; hasApp: boolean }): Promise<Stage> {
  await using cleanup = new AsyncDisposableStack()
  const webDirectory = await mkdtemp(path.join(tmpdir(), 'threadbox-bench-'))
  cleanup.defer(() => rm(webDirectory, { recursive: true, force: true }))
  // Before the server starts: it reads the scripts for previews once.
  if (options.hasApp) await buildWebApp(webDirectory)
  const installation = cleanup.use(
    await startInstallation({
      asInstalled: true,
      serverEnvironment: { THREADBOX_WEB_DIRECTORY: webDirectory, THREADBOX_UNDO_SECONDS: '1' },
    }),
  )
  const raw = cleanup.use(
    await makeRawSandbox({
      diskDirectory: installation.host.diskDirectory,
      installation: installation.host.installation,
    }),
  )
  const kept = cleanup.move()
  const common = commonOf(installation)
  return {
    ...installation,
    raw,
    rounds: options.rounds,
    ...common,
    removeThreads: async (...threadIds) => {
      await common.untilSparesWait()
      const { length } = await sandboxIdsOf(installation)
      await Promise.all(threadIds.map((threadId) => installation.client.threads.delete(threadId)))
      while ((await sandboxIdsOf(installation)).length > length - threadIds.length) await delay(50)
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/**
 * What every stage waits for. `pollMs`: asking more often costs the installation more. `withMemory`: snapshots are waited
 * for until their memory is saved too, or was found to hold nothing.
 */
export function commonOf(
  installation: TestInstallation,
  { pollMs = 10, withMemory = false }: { pollMs?: number; withMemory?: boolean } = {},
): Pick<Stage, 'newAwakeThread' | 'untilSparesWait' | 'untilSnapshotTaken'> {
  const { client, host } = installation
  const waiting = async () => {
    const { body } = await host.request('GET', hostPaths.info())
    return (body as { spareSandboxes: number }).spareSandboxes
  }
  return {
    newAwakeThread: async () => {
      const before = new Set(await sandboxIdsOf(installation))
      const thread = await installation.newThread()
      await thread.say('/run true')
      const [sandboxId] = (await sandboxIdsOf(installation)).filter((id) => !before.has(id))
      if (sandboxId === undefined) throw new Error('a command started no sandbox')
      return { thread, sandboxId }
    },
    untilSparesWait: async () => {
      while ((await waiting()) < spares) await delay(Math.max(50, pollMs))
    },
    untilSnapshotTaken: async (threadId) => {
      const wanted = async () =>
        (await client.snapshots.list(threadId)).snapshots.some(
          ({ state, memoryProblem }) => state === 'wanted' || (withMemory && memoryProblem === 'not-yet'),
        )
      while (await wanted()) await delay(pollMs)
    },
  }
}
