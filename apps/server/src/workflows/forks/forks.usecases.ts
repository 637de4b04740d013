import { isErrorOf } from '@threadbox/errors'
import type { ForkedSandbox } from '@threadbox/protocol/host'
import type { ForkedFrom, ForkThread, NoticeEntry, Thread } from '@threadbox/protocol/public'
import type { Sandbox, Services } from '../../sandboxes/public.ts'
import {
  type Access,
  type NetworkPolicies,
  subjectOfThread,
  type ThreadDrafts,
  type ThreadRow,
  type ThreadSecretGrants,
  type ThreadSetups,
  threadNotFound,
} from '../../threads/public.ts'
import type { Snapshots, TurnRecord, Turns } from '../../turns/public.ts'
import { type CopyDependencies, copyConversation } from './copy-conversation.ts'
import { forkSnapshotGone, forkTurnNotFound, forkTurnRunning } from './forks.errors.ts'

/** Creates threads as copies of others. */
export type Forks = {
  /**
   * Copies a thread for this user, as it is now or as it was after an earlier turn: in its workspace if they can work there,
   * else for themselves. The caller has checked that they can read it. Never changes the source thread, and a failed copy
   * leaves nothing.
   */
  fork(userId: string, thread: ThreadRow, request: ForkThread): Promise<Thread>
  /**
   * Copies the current state for another user: outside of workspaces, and without the agents, skills and connections
   * that the owner chose. Neither owner learns which thread the other one has.
   */
  copyFor(thread: ThreadRow, userId: string): Promise<Thread>
  /** Returns what a copy of the thread would contain now. */
  preview(threadId: string): Promise<{ turns: number; hasComputer: boolean }>
}

export type ForksDependencies = CopyDependencies & {
  access: Pick<Access, 'may'>
  threadDrafts: ThreadDrafts
  /** Copies the setup that the thread got from its agent. */
  setups: Pick<ThreadSetups, 'copy'>
  snapshots: Pick<Snapshots, 'afterTurns' | 'settled'>
  turns: Pick<Turns, 'whileQuiet'>
  sandboxOf: (threadId: string) => Promise<Sandbox | undefined>
  network: Pick<NetworkPolicies, 'copy'>
  secrets: Pick<ThreadSecretGrants, 'inherit'>
  forkSandbox: (order: { source: Sandbox; snapshotId: string | null; threadId: string }) => Promise<ForkedSandbox>
  /** Copies the services that the thread started. */
  services: Pick<Services, 'copyTo'>
  /** Called when the state of a thread’s sandbox has changed. */
  onSandboxChanged: (threadId: string) => void
}

export function makeForks(dependencies: ForksDependencies): Forks {
  const fork = async (thread: ThreadRow, request: ForkThread, to: { userId: string; isForOther: boolean }) => {
    const isNow = (request.turnId ?? request.beforeTurnId ?? null) === null
    const make = async () => {
      await dependencies.snapshots.settled(thread.id)
      const content = await contentOf(dependencies, { threadId: thread.id, request })
      return await makeFork(dependencies, { thread, request, to, ...content })
    }
    // A running turn does not change the past.
    if (!isNow) return await make()
    return await dependencies.turns.whileQuiet(thread.id, { work: make, refusal: () => forkTurnRunning({}) })
  }
  return {
    fork: async (userId, thread, request) => {
      const canWork = await dependencies.access.may(userId, 'work', subjectOfThread(thread))
      return await fork(thread, request, { userId, isForOther: !canWork })
    },
    copyFor: (thread, userId) => fork(thread, {}, { userId, isForOther: true }),
    preview: async (threadId) => {
      const { turns, source } = await contentOf(dependencies, { threadId, request: {} })
      return { turns: turns.length, hasComputer: source !== undefined }
    },
  }
}

/** The content of a copy. `snapshotId` null: the current disk, with memory if there is any. */
type Content = { turns: TurnRecord[]; source: Sandbox | undefined; snapshotId: string | null }

async function contentOf(
  dependencies: ForksDependencies,
  { threadId, request }: { threadId: string; request: ForkThread },
): Promise<Content> {
  const row = await dependencies.sandboxOf(threadId)
  const source = row === undefined || row.state === 'fresh' || row.has_run === 0 ? undefined : row
  const all = await dependencies.history.turnsFrom(threadId, 0)
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

/** `to`: who gets the copy, and whether they can’t work in the source’s scope. */
type ForkOrder = Content & { thread: ThreadRow; request: ForkThread; to: { userId: string; isForOther: boolean } }

async function makeFork(dependencies: ForksDependencies, order: ForkOrder): Promise<Thread> {
  const { threadDrafts } = dependencies
  const { thread, request, to } = order
  const named =
    request.title === undefined
      ? { title: thread.title, title_source: thread.title_source }
      : { title: request.title, title_source: 'person' as const }
  const id = await threadDrafts.create({ ...ownershipOf(order), ...named })
  const shown = await fillFork(dependencies, { ...order, id })
  if (!to.isForOther) await addSourceNotice(dependencies, { threadId: thread.id, fork: shown })
  return shown
}

/** The owner and scope of the copy. Another user has other workspaces, models and agents. */
function ownershipOf({ thread, to }: ForkOrder) {
  const { model_id, workspace_id, is_private, started_from_json } = thread
  const user_id = to.userId
  if (!to.isForOther) return { user_id, model_id, workspace_id, is_private, started_from_json }
  return { user_id, model_id: null, workspace_id: null, is_private: 0, started_from_json: null }
}

async function fillFork(dependencies: ForksDependencies, order: ForkOrder & { id: string }): Promise<Thread> {
  const { threadDrafts } = dependencies
  const { thread, to, id, turns, source, snapshotId } = order
  const { isForOther } = to
  try {
    if (!isForOther) await dependencies.setups.copy(thread.id, id)
    await dependencies.network.copy({ threadId: thread.id, toThreadId: id, isForOther })
    const { user_id, workspace_id, is_private } = ownershipOf(order)
    await dependencies.secrets.inherit(thread.id, { id, user_id, workspace_id, is_private, is_personal_off: 0 })
    const made = source && (await dependencies.forkSandbox({ source, snapshotId, threadId: id }))
    const from: ForkedFrom['from'] = made?.from ?? 'none'
    await copyConversation(dependencies, {
      fromThreadId: thread.id,
      toThreadId: id,
      turns,
      isForOther,
      end: forkNotice(dependencies, { order, from, problem: made?.problem ?? '' }),
    })
    if (source !== undefined && snapshotId === null) await dependencies.services.copyTo(thread.id, id)
    const at = dependencies.system.now()
    const turnId = turns.at(-1)?.id ?? null
    const origin = isForOther ? { threadId: '', turnId: null } : { threadId: thread.id, turnId }
    const shown = await threadDrafts.show(id, { ...origin, at, from, turns: turns.length })
    dependencies.onSandboxChanged(id)
    return shown
  } catch (error) {
    await threadDrafts.abandon(id)
    throw error
  }
}

/** Adds a notice to the source thread, which is the only change there. */
async function addSourceNotice(
  { log, system }: ForksDependencies,
  { threadId, fork }: { threadId: string; fork: Thread },
): Promise<void> {
  const params = { threadId: fork.id, title: fork.title }
  const entry: NoticeEntry = {
    id: system.newId('entry'),
    turnId: '',
    at: system.now(),
    kind: 'notice',
    code: 'forked-to',
    params,
  }
  await log.append(threadId, [{ type: 'entry-added', entry }]).catch((error: unknown) => {
    // The source was deleted in the meantime.
    if (!isErrorOf(threadNotFound, error)) throw error
  })
}

function forkNotice(
  { system }: ForksDependencies,
  { order, from, problem }: { order: ForkOrder; from: ForkedFrom['from']; problem: string },
): NoticeEntry {
  const turnId = order.turns.at(-1)?.id ?? system.newId('turn')
  const entry = { id: system.newId('entry'), turnId, at: system.now(), kind: 'notice' as const }
  const computer = { from, ...(problem === '' ? {} : { problem }) }
  if (order.to.isForOther) return { ...entry, code: 'copied', params: computer }
  const { id: threadId, title } = order.thread
  return { ...entry, code: 'forked', params: { ...computer, threadId, title } }
}
