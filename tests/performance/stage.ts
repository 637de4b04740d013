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
  /** Resolves when the snapshot of the last turn was taken: between two messages of a person it is. */
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
      serverEnvironment: {
        THREADBOX_LOG_LEVEL: 'info',
        THREADBOX_WEB_DIRECTORY: webDirectory,
        THREADBOX_UNDO_SECONDS: '1',
      },
      hostEnvironment: {
        THREADBOX_SPARE_SANDBOXES: String(spares),
        THREADBOX_SPARE_KERNELS: 'on',
        THREADBOX_BOOT_TEMPLATES: 'on',
      },
    }),
  )
  const raw = cleanup.use(
    await makeRawSandbox({
      diskDirectory: installation.host.diskDirectory,
      installation: installation.host.installation,
    }),
  )
  const kept = cleanup.move()
  const untilSparesWait = async () => {
    const waiting = async () => {
      const { body } = await installation.host.request('GET', hostPaths.info())
      return (body as { spareSandboxes: number }).spareSandboxes
    }
    while ((await waiting()) < spares) await delay(50)
  }
  return {
    ...installation,
    raw,
    rounds: options.rounds,
    newAwakeThread: async () => {
      const before = new Set(await sandboxIdsOf(installation))
      const thread = await installation.newThread()
      await thread.say('/run true')
      const [sandboxId] = (await sandboxIdsOf(installation)).filter((id) => !before.has(id))
      if (sandboxId === undefined) throw new Error('a command started no sandbox')
      return { thread, sandboxId }
    },
    untilSparesWait,
    removeThreads: async (...threadIds) => {
      await untilSparesWait()
      const { length } = await sandboxIdsOf(installation)
      await Promise.all(threadIds.map((threadId) => installation.client.threads.delete(threadId)))
      while ((await sandboxIdsOf(installation)).length > length - threadIds.length) await delay(50)
    },
    untilSnapshotTaken: async (threadId) => {
      const wanted = async () =>
        (await installation.client.snapshots.list(threadId)).snapshots.some(({ state }) => state === 'wanted')
      while (await wanted()) await delay(10)
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}
