import { guestPorts } from '@threadbox/protocol/guest'
import type { CreatedShareLink, CreateShareLinkRequest, ShareLink, ShareLinks } from '@threadbox/protocol/public'
import type { Audit } from '../../people/public.ts'
import { sha256Of } from '../../platform/secrets/sha256.ts'
import type { System } from '../../platform/system/system.ts'
import { makePassSecret } from './pass-secrets.ts'
import type { PreviewAddress, PreviewNames } from './preview-names.logic.ts'
import { previewPortReserved, shareLinkLimit, shareLinkNotFound } from './previews.errors.ts'
import type { ValidPass } from './previews.store.ts'
import type { ShareLinkRow } from './previews.table.ts'
import { cookieMs, type Entered, type Previews } from './previews.usecases.ts'
import type { ShareLinkStore } from './share-links.store.ts'

/** Enough for one link per recipient, and a limit for a program in a loop. */
const maxLinks = 50
/** Limit of browsers with a pass from one link; the next one replaces the first. */
const maxVisitors = 200

/**
 * Links with which anyone can see the pages of one service: none until one is created, and a revoked one ends
 * immediately.
 */
export type ShareLinksOfThreads = {
  list(threadId: string): Promise<ShareLinks>
  /**
   * Throws `service.not-found` and `preview.port-reserved`. `host` is the name under which the caller reached the
   * server.
   */
  create(
    link: { userId: string; threadId: string; service: string; host: string },
    request: CreateShareLinkRequest,
  ): Promise<CreatedShareLink>
  /** Visitors of the link are cut off within 5 s. Throws `share-link.not-found`. */
  end(link: { userId: string; threadId: string; id: string }): Promise<void>
  /** What a browser with the link gets. Undefined if it is not valid for this address, whatever the reason. */
  enter(secret: string, visitor: { address: PreviewAddress; cookies: readonly string[] }): Promise<Entered | undefined>
}

export function makeShareLinks(dependencies: {
  store: ShareLinkStore
  previews: Pick<Previews, 'admit' | 'labelOf'>
  names: PreviewNames
  /** Throws `service.not-found`. */
  serviceOf: (threadId: string, name: string) => Promise<{ port: number }>
  audit: Audit
  system: System
}): ShareLinksOfThreads {
  const { store, previews, names, audit, system } = dependencies
  return {
    list: async (threadId) => ({
      links: (await store.list(threadId, system.now())).map(present),
      isLocalOnly: names.hasLocalNames,
    }),
    create: async ({ userId, threadId, service, host }, { expiresInSeconds, mayWake }) => {
      const { port } = await dependencies.serviceOf(threadId, service)
      if (guestPorts.includes(port)) throw previewPortReserved({ port })
      const now = system.now()
      await store.removeExpired(now)
      if ((await store.list(threadId, now)).length >= maxLinks) throw shareLinkLimit({ max: maxLinks })
      const label = await previews.labelOf(threadId)
      const secret = makePassSecret(system)
      const row: ShareLinkRow = {
        id: system.newId('shareLink'),
        sha256: sha256Of(secret),
        user_id: userId,
        thread_id: threadId,
        service,
        port,
        may_wake: mayWake === true ? 1 : 0,
        created_at: now,
        expires_at: expiresInSeconds === null ? null : now + expiresInSeconds * 1000,
      }
      await store.add(row)
      await record('share-link-created', row)
      const origin = names.originOf({ port, label }, host)
      return { ...present(row), url: `${origin}/.threadbox/shared?key=${secret}` }
    },
    end: async ({ threadId, id }) => {
      const row = await store.remove(threadId, id)
      if (row === undefined) throw shareLinkNotFound({})
      await record('share-link-ended', row)
    },
    enter: async (secret, { address, cookies }) => {
      const now = system.now()
      const link = await store.find(sha256Of(secret), now)
      if (link === undefined || link.port !== address.port || link.label !== address.label) return undefined
      const before = await previews.admit(cookies, address)
      if (before !== undefined && isAtLeastAsValid(before, link)) return { path: '/', cookie: undefined }
      const cookie = makePassSecret(system)
      await store.addPass(
        {
          sha256: sha256Of(cookie),
          kind: 'cookie',
          share_id: link.id,
          thread_id: link.thread_id,
          port: link.port,
          // No page can show it in a frame: that is for the app, which has passes of its own.
          user_id: link.user_id,
          session_id: null,
          api_key_id: null,
          app_origin: '',
          path: '',
          created_at: now,
          expires_at: Math.min(now + cookieMs, link.expires_at ?? Number.POSITIVE_INFINITY),
        },
        maxVisitors,
      )
      return { path: '/', cookie }
    },
  }

  async function record(action: string, row: ShareLinkRow): Promise<void> {
    const details = { service: row.service, port: row.port, link: row.id }
    await audit.record({ userId: row.user_id, action, subject: row.thread_id, details })
  }
}

/** A person with access to the thread keeps their own pass; so does a visitor who came by the same link. */
function isAtLeastAsValid(pass: ValidPass, link: ShareLinkRow): boolean {
  return pass.share_id === null || pass.share_id === link.id
}

function present(row: ShareLinkRow): ShareLink {
  const { id, service, port } = row
  return { id, service, port, mayWake: row.may_wake === 1, createdAt: row.created_at, expiresAt: row.expires_at }
}
