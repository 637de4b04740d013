import type { Logger } from '@threadbox/telemetry'
import type { Hono } from 'hono'
import type { Audit, LeavingPart } from '../../people/public.ts'
import type { BlobStore } from '../../platform/blobs/blob-store.ts'
import { type OpenDatabase, tablesOf } from '../../platform/database/database.ts'
import type { Api, ApiEnv } from '../../platform/http/api.ts'
import { makeOpenVisits } from '../../platform/http/open-visits.ts'
import type { AllowedHosts } from '../../platform/http/origins.ts'
import type { System } from '../../platform/system/system.ts'
import { makePreviewNames } from '../../sandboxes/public.ts'
import type { Access, ThreadLog, ThreadRows, Threads } from '../../threads/public.ts'
import type { Forks } from '../forks/forks.usecases.ts'
import { copiesByLinkRoutes } from './copies-by-link.routes.ts'
import { makeCopiesByLink } from './copies-by-link.ts'
import { sharedPages } from './shared-pages.ts'
import { threadLinkRoutes } from './thread-links.routes.ts'
import { makeThreadLinkStore } from './thread-links.store.ts'
import { makeLinksOfThreads } from './thread-links.usecases.ts'

type SharedThreads = {
  threads: Pick<Threads, 'open'>
  rows: Pick<ThreadRows, 'findAny'>
  access: Access
  log: ThreadLog
}

/** Public read-only links to threads. */
export type SharingFeature = {
  routes: Api
  /** For signed-in users who have a link that allows copies. */
  copyRoutes: Api
  pages: Hono<ApiEnv>
  leaving: LeavingPart
  /** Aborts what is still being sent. */
  close(): void
}

export function makeSharingFeature(ports: {
  open: OpenDatabase
  blobs: BlobStore
  hosts: AllowedHosts
  threads: SharedThreads
  forks: Pick<Forks, 'copyFor' | 'preview'>
  audit: Audit
  system: System
  logger: Logger
}): SharingFeature {
  const { hosts, threads, forks, blobs, audit, system, logger } = ports
  const { access, log, rows } = threads
  const store = makeThreadLinkStore(tablesOf(ports.open.database))
  const links = makeLinksOfThreads({ store, audit, system })
  const visits = makeOpenVisits({ stillValid: (ids) => store.valid(ids, system.now()), logger })
  return {
    leaving: { handOver: store.handOver },
    routes: threadLinkRoutes({
      links,
      open: threads.threads.open,
      // Readers use the published name, even if the creator of the link uses another one.
      originOf: makePreviewNames(hosts).publishedOrigin,
    }),
    copyRoutes: copiesByLinkRoutes(
      makeCopiesByLink({
        store,
        forks,
        threadOf: rows.findAny,
        requireOutside: access.requireOutside,
        audit,
        system,
      }),
    ),
    pages: sharedPages({ links, log, blobs, visits, now: system.now }),
    close: () => visits.close(),
  }
}
