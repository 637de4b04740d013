import type { ThreadParts } from '../../application-parts.ts'
import type { HostClient } from '../host/host-client.ts'
import { sandboxNotAwake } from '../state/sandboxes.errors.ts'
import { type Files, makeFiles } from './files.usecases.ts'
import { makeSleepingReads } from './sleeping-files.ts'

/** The files of sandboxes, awake or asleep. */
export function filesOf({ sandboxes, sandboxStore }: ThreadParts, host: HostClient): Files {
  return makeFiles({
    awake: (threadId, how) => sandboxes.awake(threadId, how),
    ifAwake: (threadId) => sandboxes.ifAwake(threadId),
    asleep: async (threadId, signal) => {
      const row = await sandboxStore.find(threadId)
      if (row === undefined) throw sandboxNotAwake({ state: 'fresh' })
      return makeSleepingReads(host.sleepingFiles(row.id, signal), row.state)
    },
  })
}
