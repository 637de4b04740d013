import type { UserEvent } from '@threadbox/protocol/public'
import type { UserHub } from '../../people/public.ts'
import { actAs } from '../../platform/http/acting-request.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { SseMessage } from '../../platform/http/event-stream.ts'
import { isWithinReach } from '../access/access.ts'
import type { ThreadLog } from '../log/thread-log.ts'
import { threadNotFound } from '../log/threads.errors.ts'
import type { Threads } from './threads.usecases.ts'
import { followUser } from './user-stream.ts'

/** How long the events of a thread are sent after its reader lost access to it. */
const recheckMs = 2000

/**
 * Event sources for any transport. Each message is one event as JSON, with its `seq` as id if it was recorded. A key
 * that is limited to workspaces gets the events of what is in them at the time of sending.
 */
export type StreamSources = {
  user(caller: Caller, signal: AbortSignal): AsyncGenerator<SseMessage>
  /** Throws `thread.not-found` before anything is followed, and when a limited key no longer reaches the thread. */
  thread(
    caller: Caller,
    target: { threadId: string; afterSeq: number },
  ): Promise<(signal: AbortSignal) => AsyncGenerator<SseMessage>>
}

export function makeStreamSources(parts: {
  threads: Pick<Threads, 'open' | 'get'>
  /** The workspace of a thread, also of a deleted one; null if it is in none, or gone. */
  workspaceOf(threadId: string): Promise<string | null>
  log: ThreadLog
  userHub: UserHub
  now: () => number
}): StreamSources {
  const { threads, log, userHub, workspaceOf, now } = parts
  const reaches = async ({ workspaceIds }: Caller, threadId: string) =>
    workspaceIds === null || isWithinReach(workspaceIds, await workspaceOf(threadId))
  const sees = async (caller: Caller, event: UserEvent) => {
    if (caller.workspaceIds === null) return true
    // The state of the installation.
    if (event.type === 'status-updated' || event.type === 'awake-changed') return false
    const threadId = threadOf(event)
    return threadId === undefined || (await reaches(caller, threadId))
  }
  return {
    user: (caller, signal) =>
      followUser(userHub, { userId: caller.userId, sees: (event) => sees(caller, event), signal }),
    thread: async (caller, { threadId, afterSeq }) => {
      const { userId } = caller
      const open = () => actAs({ caller, action: 'threads.read' }, () => threads.open(userId, threadId, 'read'))
      const { user_id: creatorId } = await open()
      return async function* (signal) {
        let checkedAt = now()
        for await (const event of log.read(threadId, { afterSeq, signal })) {
          if (!(await reaches(caller, threadId))) throw threadNotFound({})
          // A clock that was set back only makes this check early.
          if (Math.abs(now() - checkedAt) >= recheckMs) {
            await open()
            checkedAt = now()
          }
          const isOthers = event.type === 'thread-updated' && creatorId !== userId
          // Recorded as its creator has it.
          const shown = isOthers ? { ...event, thread: await threads.get(userId, threadId) } : event
          yield { ...('seq' in shown ? { id: String(shown.seq) } : {}), data: JSON.stringify(shown) }
        }
      }
    },
  }
}

/** The thread that an event is about; undefined if it only says that a list has changed. */
function threadOf(event: UserEvent): string | undefined {
  if (event.type === 'thread-updated') return event.thread.id
  return 'threadId' in event ? event.threadId : undefined
}
