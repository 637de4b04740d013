import type { Logger } from '@threadbox/telemetry'
import type { ThreadRows } from '../../threads/public.ts'
import type { SandboxStore } from '../state/sandboxes.store.ts'
import type { Lifecycle } from './lifecycle.usecases.ts'

/** Pauses the awake sandboxes of a person who can no longer use them. One that works at the moment pauses by its own rules. */
export async function pauseAllOf(
  parts: {
    store: Pick<SandboxStore, 'all'>
    rows: Pick<ThreadRows, 'findAny'>
    pause: Lifecycle['pause']
    logger: Logger
  },
  userId: string,
): Promise<void> {
  for (const { state, thread_id: threadId } of await parts.store.all()) {
    if (state !== 'active' || (await parts.rows.findAny(threadId))?.user_id !== userId) continue
    await parts.pause(threadId).catch((error: unknown) => {
      parts.logger.info({ err: error, threadId }, 'a sandbox of a disabled person was not paused')
    })
  }
}
