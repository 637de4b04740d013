import type { Logger } from '@threadbox/telemetry'
import type { Audit, LeavingPart } from '../../people/public.ts'
import { type OpenDatabase, tablesOf } from '../../platform/database/database.ts'
import type { Api, OpenThread } from '../../platform/http/api.ts'
import type { ClientAddress } from '../../platform/http/client-address.ts'
import { makeOpenVisits } from '../../platform/http/open-visits.ts'
import type { AllowedHosts } from '../../platform/http/origins.ts'
import type { System } from '../../platform/system/system.ts'
import type { Services } from '../services/services.usecases.ts'
import type { Sandboxes } from '../state/sandbox-access.implementation.ts'
import type { SandboxReads } from '../state/sandbox-reads.ts'
import { readBridgeFiles } from './bridge/bridge-files.ts'
import { makePreviewCheckServer } from './preview-check.ts'
import { type LookUpName, makePreviewChecks, type PreviewChecks } from './preview-check.usecases.ts'
import { makePreviewNames } from './preview-names.logic.ts'
import { makePreviewProxy } from './preview-proxy.ts'
import { makePreviewServer, type PreviewServer } from './preview-server.ts'
import { previewRoutes } from './previews.routes.ts'
import { makePreviewStore } from './previews.store.ts'
import { makePreviews, type Previews } from './previews.usecases.ts'
import { shareLinkRoutes } from './share-links.routes.ts'
import { makeShareLinkStore } from './share-links.store.ts'
import { makeShareLinks, type ShareLinksOfThreads } from './share-links.usecases.ts'
import { makeWaking } from './waking.ts'

export type PreviewsFeature = {
  previews: Previews
  checks: PreviewChecks
  shareLinks: ShareLinksOfThreads
  front: PreviewServer
  leaving: LeavingPart
  routes: Api[]
}

/** Previews: access to them, and the server that shows them. */
export function makePreviewsFeature(options: {
  open: OpenDatabase
  hosts: AllowedHosts
  clientAddress: ClientAddress
  /** Socket of the gateway, to which requests of previews are passed on. */
  gatewaySocket: string
  /** Folder of the built app; empty if this server does not serve it. */
  webDirectory: string
  sandboxes: Pick<Sandboxes, 'awake' | 'transferring'>
  sandboxStore: Pick<SandboxReads, 'find'>
  services: Pick<Services, 'get'>
  openThread: OpenThread
  audit: Audit
  lookUpName: LookUpName
  system: System
  logger: Logger
}): PreviewsFeature {
  const { hosts, sandboxes, sandboxStore, system, logger } = options
  const names = makePreviewNames(hosts)
  const store = makePreviewStore(tablesOf(options.open.database))
  const previews = makePreviews({ store, names, system })
  const shareLinkStore = makeShareLinkStore(tablesOf(options.open.database))
  const shareLinks = makeShareLinks({
    store: shareLinkStore,
    serviceOf: (threadId, name) => options.services.get(threadId, name),
    previews,
    names,
    audit: options.audit,
    system,
  })
  const front = makePreviewServer({
    names,
    previews,
    shareLinks,
    logger,
    pages: makeOpenVisits({ stillValid: previews.stillValid, logger }),
    proxy: makePreviewProxy({ socketPath: options.gatewaySocket }),
    waking: makeWaking({
      awake: (threadId, signal) => sandboxes.awake(threadId, { reason: 'preview', signal }),
      now: system.now,
      logger,
    }),
    bridge: readBridgeFiles({ webDirectory: options.webDirectory, logger }),
    check: makePreviewCheckServer({ names, cookieName: cookieNamer('check', hosts.installation) }),
    visitors: {
      clientAddress: options.clientAddress,
      cookieName: cookieNamer('preview', hosts.installation),
    },
    sandboxOf: (threadId) => sandboxStore.find(threadId),
    transferring: (sandboxId) => sandboxes.transferring(sandboxId),
  })
  const checks = makePreviewChecks({ names, lookUp: options.lookUpName, system })
  const routes = [
    previewRoutes({ previews, checks, open: options.openThread }),
    shareLinkRoutes({ shareLinks, open: options.openThread }),
  ]
  return { previews, checks, shareLinks, front, leaving: { handOver: shareLinkStore.handOver }, routes }
}

function cookieNamer(use: 'preview' | 'check', installation: string) {
  return ({ isSecure }: { isSecure: boolean }) => `${isSecure ? '__Host-' : ''}threadbox-${use}-${installation}`
}
