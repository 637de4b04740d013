import { isErrorOf } from '@threadbox/errors'
import type { ForkedSandbox } from '@threadbox/protocol/host'
import type { ForkedFrom, ForkThread, NoticeEntry, Thread } from '@threadbox/protocol/public'
import type { ThreadSetupStore } from '../agents/thread-setups.store.ts'
import type { SandboxRow } from '../sandboxes/sandboxes.table.ts'
import type { Services } from '../services/services.usecases.ts'
import type { Snapshots } from '../snapshots/snapshots.usecases.ts'
import type { HiddenThreads } from '../threads/hidden-threads.ts'
import { threadNotFound } from '../threads/threads.errors.ts'
import type { ThreadRow } from '../threads/threads.table.ts'
import type { TurnRecord } from '../turns/turn-record.ts'
import type { Turns } from '../turns/turns.usecases.ts'
import { type CopyDependencies, copyConversation } from './copy-conversation.ts'
import { forkSnapshotGone, forkTurnNotFound, forkTurnRunning } from './forks.errors.ts'

/** New threads that begin as copies of others. */
export type Forks = {
  /**
   * Copies a thread that was checked to be the person's, as it is now or as it was at an earlier answer. The thread that is copied is not changed, whatever fails; of a copy that fails nothing is left.
   */
  fork(thread: ThreadRow, request: ForkThread): Promise<Thread>
}

export type ForksDependencies = CopyDependencies & {
  hiddenThreads: HiddenThreads
  /** What the thread has of the agent that it was started from, for the copy. */
  setups: Pick<ThreadSetupStore, 'copy'>
  snapshots: Pick<Snapshots, 'afterTurns' | 'settled'>
  turns: Pick<Turns, 'whileQuiet'>
  sandboxOf: (threadId: string) => Promise<SandboxRow | undefined>
  forkSandbox: (order: { source: SandboxRow; snapshotId: string | null; threadId: string }) => Promise<ForkedSandbox>
  /** Services that were started by the thread, for the copy. */
  services: Pick<Services, 'copyTo'>
  /** The sandbox of a thread is in another state. */
  onSandboxChanged: (threadId: string) => void
}

export function makeForks(dependencies: ForksDependencies): Forks {
  return {
    fork: async (thread, request) => {
      const isNow = (request.turnId ?? request.beforeTurnId ?? null) === null
      const make = async () => {
        await dependencies.snapshots.settled(thread.id)
        const content = await contentOf(dependencies, { threadId: thread.id, request })
        return await makeFork(dependencies, { thread, request, ...content })
      }
      // What was is not changed by an answer that is being made.
      if (!isNow) return await make()
      return await dependencies.turns.whileQuiet(thread.id, { work: make, refusal: () => forkTurnRunning({}) })
    },
  }
}

/** What a copy consists of. `snapshotId` null: the disk as it is, with memory if there is some. */
type Content = { turns: TurnRecord[]; source: SandboxRow | undefined; snapshotId: string | null }

async function contentOf(
  dependencies: ForksDependencies,
  { threadId, request }: { threadId: string; request: ForkThread },
): Promise<Content> {
  const row = await dependencies.sandboxOf(threadId)
  const source = row === undefined || row.state === 'fresh' || row.has_run === 0 ? undefined : row
  const all = await dependencies.turnStore.turnsFrom(threadId, 0)
  const named = request.turnId ?? request.beforeTurnId ?? null
  if (named === null) return { turns: all, source, snapshotId: null }
  const index = all.findIndex(({ id }) => id === named)
  if (index === -1) throw forkTurnNotFound({})
  const end = named === request.turnId ? index + 1 : index
  const turns = all.slice(0, end)
  if (turns.at(-1)?.status === 'running') throw forkTurnRunning({})
  if (turns.length === 0) return { turns, source: undefined, snapshotId: null }
  const next = all[end]
  const hadNoDisk = source !== undefined && next !== undefined && source.created_at >= next.startedAt
  if (source === undefined || hadNoDisk) return { turns, source: undefined, snapshotId: null }
  const kept = await dependencies.snapshots.afterTurns(
    threadId,
    turns.map(({ id }) => id),
  )
  if (kept === undefined) throw forkSnapshotGone({})
  return { turns, source, snapshotId: kept.id }
}

async function makeFork(
  dependencies: ForksDependencies,
  order: Content & { thread: ThreadRow; request: ForkThread },
): Promise<Thread> {
  const { hiddenThreads } = dependencies
  const { thread, request } = order
  const { user_id, model_id, workspace_id, started_from_json } = thread
  const named =
    request.title === undefined
      ? { title: thread.title, title_source: thread.title_source }
      : { title: request.title, title_source: 'person' as const }
  const id = await hiddenThreads.create({ user_id, model_id, workspace_id, started_from_json, ...named })
  const shown = await fillFork(dependencies, { ...order, id })
  await tellSource(dependencies, { threadId: thread.id, fork: shown })
  return shown
}

async function fillFork(
  dependencies: ForksDependencies,
  order: Content & { thread: ThreadRow; id: string },
): Promise<Thread> {
  const { hiddenThreads } = dependencies
  const { thread, id, turns, source, snapshotId } = order
  try {
    await dependencies.setups.copy(thread.id, id)
    const made = source && (await dependencies.forkSandbox({ source, snapshotId, threadId: id }))
    const from: ForkedFrom['from'] = made?.from ?? 'none'
    await copyConversation(dependencies, {
      ...{ fromThreadId: thread.id, toThreadId: id, turns },
      end: forkNotice(dependencies, { order, from, problem: made?.problem ?? '' }),
    })
    if (source !== undefined && snapshotId === null) await dependencies.services.copyTo(thread.id, id)
    const at = dependencies.system.now()
    const turnId = turns.at(-1)?.id ?? null
    const shown = await hiddenThreads.show(id, { threadId: thread.id, turnId, at, from, turns: turns.length })
    dependencies.onSandboxChanged(id)
    return shown
  } catch (error) {
    await hiddenThreads.abandon(id)
    throw error
  }
}

/** A line in the thread that was copied, which nothing else of the fork changes. */
async function tellSource(
  { log, system }: ForksDependencies,
  { threadId, fork }: { threadId: string; fork: Thread },
): Promise<void> {
  const params = { threadId: fork.id, title: fork.title }
  const entry: NoticeEntry = {
    ...{ id: system.newId('entry'), turnId: '', at: system.now() },
    ...{ kind: 'notice', code: 'forked-to', params },
  }
  await log.append(threadId, [{ type: 'entry-added', entry }]).catch((error: unknown) => {
    // It was deleted meanwhile.
    if (!isErrorOf(threadNotFound, error)) throw error
  })
}

function forkNotice(
  { system }: ForksDependencies,
  { order, from, problem }: { order: Content & { thread: ThreadRow }; from: ForkedFrom['from']; problem: string },
): NoticeEntry {
  const turnId = order.turns.at(-1)?.id ?? system.newId('turn')
  const params = { from, threadId: order.thread.id, title: order.thread.title, ...(problem === '' ? {} : { problem }) }
  return { id: system.newId('entry'), turnId, at: system.now(), kind: 'notice', code: 'forked', params }
}
