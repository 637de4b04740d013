import type { UserHub } from '../../people/public.ts'
import type { OpenThread } from '../../platform/http/api.ts'
import type { SseMessage } from '../../platform/http/event-stream.ts'
import type { ThreadLog } from '../log/thread-log.ts'
import { followUser } from './user-stream.ts'

/** Event sources for any transport. Each message is one event as JSON, with its `seq` as id if it was recorded. */
export type StreamSources = {
  user(userId: string, signal: AbortSignal): AsyncGenerator<SseMessage>
  /** Throws `thread.not-found` before anything is followed. */
  thread(
    userId: string,
    target: { threadId: string; afterSeq: number },
  ): Promise<(signal: AbortSignal) => AsyncGenerator<SseMessage>>
}

export function makeStreamSources(parts: { open: OpenThread; log: ThreadLog; userHub: UserHub }): StreamSources {
  const { open, log, userHub } = parts
  return {
    user: (userId, signal) => followUser(userHub, userId, signal),
    thread: async (userId, { threadId, afterSeq }) => {
      await open(userId, threadId)
      return async function* (signal) {
        for await (const event of log.read(threadId, { afterSeq, signal })) {
          yield { ...('seq' in event ? { id: String(event.seq) } : {}), data: JSON.stringify(event) }
        }
      }
    },
  }
}
