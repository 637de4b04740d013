import type { UserEvent } from '@threadbox/protocol/public'
import type { Logger } from '@threadbox/telemetry'
import type { Api } from '../../platform/http/api.ts'
import type { System } from '../../platform/system/system.ts'
import type { Threads } from '../../threads/public.ts'
import type { HostClient } from '../host/host-client.ts'
import type { Sandboxes } from '../state/sandbox-access.implementation.ts'
import type { SandboxReads } from '../state/sandbox-reads.ts'
import { sandboxNotAwake } from '../state/sandboxes.errors.ts'
import { fileRoutes } from './files.routes.ts'
import { type Files, makeFiles } from './files.usecases.ts'
import { type FilesWatch, makeFilesWatch } from './files-watch.ts'
import { makeSleepingReads } from './sleeping-files.ts'

/** The files of sandboxes, awake or asleep. */
export type FilesFeature = { files: Files; watch: FilesWatch; routes: Api }

export function makeFilesFeature(ports: {
  sandboxes: Pick<Sandboxes, 'awake' | 'ifAwake'>
  store: Pick<SandboxReads, 'find'>
  host: Pick<HostClient, 'sleepingFiles'>
  threads: Pick<Threads, 'open'>
  publish: (userId: string, event: UserEvent) => void
  system: Pick<System, 'now'>
  logger: Logger
}): FilesFeature {
  const { sandboxes, store, host, threads, publish, system, logger } = ports
  const files = makeFiles({
    awake: sandboxes.awake,
    ifAwake: sandboxes.ifAwake,
    asleep: async (threadId, signal) => {
      const row = await store.find(threadId)
      // Archived files come back with a use, never when they are only listed.
      if (row === undefined || row.state === 'archived') throw sandboxNotAwake({ state: row?.state ?? 'fresh' })
      return makeSleepingReads((question) => host.sleepingFiles(row.id, question, signal), row.state)
    },
  })
  const watch = makeFilesWatch({ ifAwake: sandboxes.ifAwake, publish, now: system.now, logger })
  return { files, watch, routes: fileRoutes({ threads, watch, files, publish }) }
}
