import type { Attachment, Entry } from '@threadbox/protocol/public'
import { type Context, Hono } from 'hono'
import type { BlobStore } from '../../platform/blobs/blob-store.ts'
import type { ApiEnv } from '../../platform/http/api.ts'
import { escapeHtml } from '../../platform/http/escape-html.ts'
import type { OpenVisits } from '../../platform/http/open-visits.ts'
import { contentHeaders } from '../../platform/http/user-content.ts'
import { attachmentKey, resultBlob, type ThreadLog } from '../../threads/public.ts'
import { htmlOf } from '../export/html.ts'
import { sharedWords } from './shared-words.ts'
import type { ValidThreadLink } from './thread-links.store.ts'
import type { LinksOfThreads } from './thread-links.usecases.ts'

/**
 * The page runs no scripts, loads nothing, sends no forms, cannot be framed, and has an opaque origin: it can neither
 * read nor request anything from the app.
 */
const policy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  'sandbox allow-downloads',
].join('; ')

const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policy,
  // A revoked link shows nothing, not even from a cache.
  'cache-control': 'private, no-store',
  'x-robots-tag': 'noindex, nofollow',
}

type Dependencies = {
  links: LinksOfThreads
  log: ThreadLog
  blobs: BlobStore
  visits: OpenVisits
  now: () => number
}

/**
 * Serves `/shared/<secret>`: the conversation as a page and, if the link allows it, its files. It neither asks for a
 * session nor reads one. All invalid links get the same response, whatever the reason.
 */
export function sharedPages(dependencies: Dependencies): Hono<ApiEnv> {
  const { links, log } = dependencies
  const app = new Hono<ApiEnv>()
  const find = (context: Context<ApiEnv>) => links.find(context.req.param('secret') ?? '')
  app.get('/:secret', async (context) => {
    const link = await find(context)
    if (link === undefined) return invalidLink(context)
    if (context.req.method === 'HEAD') return context.body(null, 200, pageHeaders)
    await links.noteOpened(link)
    const pieces = await conversation(dependencies, link, context)
    return context.newResponse(cutWithLink(dependencies, link, pieces), 200, pageHeaders)
  })
  app.get('/:secret/attachments/:attachmentId', async (context) => {
    const link = await find(context)
    const attachment = link && attachmentOf(await log.entries(link.thread_id), context.req.param('attachmentId'))
    if (link?.with_files !== 1 || attachment === undefined) return invalidLink(context)
    const key = attachmentKey(link.thread_id, attachment.id)
    return await file(dependencies, context, { link, key, ...attachment })
  })
  app.get('/:secret/results/:callId/:name', async (context) => {
    const link = await find(context)
    const { callId, name } = context.req.param()
    if (link?.with_files !== 1) return invalidLink(context)
    if (!/^[\w-]{1,64}$/.test(callId)) return invalidLink(context)
    const { key, url } = resultBlob({ threadId: link.thread_id, id: callId }, name)
    const entry = await log.entry(link.thread_id, callId)
    const result = entry?.kind === 'tool-call' && entry.result?.kind === 'file' ? entry.result : undefined
    // Serves only files that the conversation references.
    if (result?.url !== url) return invalidLink(context)
    const shown = { mediaType: result.mediaType, name: result.path.split('/').at(-1) ?? 'file' }
    return await file(dependencies, context, { link, key, ...shown })
  })
  app.all('*', invalidLink)
  return app
}

async function conversation(
  { log, blobs, now }: Dependencies,
  link: ValidThreadLink,
  context: Context<ApiEnv>,
): Promise<ReadableStream<Uint8Array>> {
  const words = sharedWords(context.req.header('accept-language'))
  const at = new Intl.DateTimeFormat(words.language, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })
  const threadId = link.thread_id
  const pathOf = `/shared/${context.req.param('secret')}`
  const source = { threadId, blobs, ...(link.with_files === 1 ? { fileAddress: fileAddress(threadId, pathOf) } : {}) }
  const pieces = htmlOf(source, {
    title: link.title === '' ? 'Thread' : link.title,
    entries: await log.entries(threadId),
    intro: words.intro(`${at.format(now())} UTC`),
    ...(link.allows_copies === 1 ? { action: { text: words.copy, href: `/copy/${context.req.param('secret')}` } } : {}),
  })
  return ReadableStream.from(encoded(pieces)) as ReadableStream<Uint8Array>
}

/** Maps a file of the conversation to its address below the link. */
function fileAddress(threadId: string, base: string) {
  const results = `/api/v1/threads/${threadId}/results/`
  return (file: { attachmentId: string } | { url: string }): string | undefined => {
    if ('attachmentId' in file) return `${base}/attachments/${file.attachmentId}`
    return file.url.startsWith(results) ? `${base}/results/${file.url.slice(results.length)}` : undefined
  }
}

function attachmentOf(entries: readonly Entry[], attachmentId: string): Attachment | undefined {
  return entries
    .flatMap((entry) => (entry.kind === 'user-message' ? entry.attachments : []))
    .find(({ id }) => id === attachmentId)
}

/** Sent as a download, never shown, so that its content cannot act on the app’s origin. */
async function file(
  dependencies: Dependencies,
  context: Context<ApiEnv>,
  { link, key, mediaType, name }: { link: ValidThreadLink; key: string; mediaType: string; name: string },
): Promise<Response> {
  const blob = await dependencies.blobs.get(key)
  if (blob === undefined) return invalidLink(context)
  const isHead = context.req.method === 'HEAD'
  if (isHead) await blob.stream.cancel()
  return context.newResponse(isHead ? null : cutWithLink(dependencies, link, blob.stream), 200, {
    ...contentHeaders({ mediaType, name, isDownload: true }),
    'content-length': String(blob.sizeBytes),
    'cache-control': 'private, no-store',
    'x-robots-tag': 'noindex, nofollow',
  })
}

/** Aborts the content when the link becomes invalid. */
function cutWithLink(
  { visits }: Dependencies,
  link: ValidThreadLink,
  content: ReadableStream<Uint8Array>,
): ReadableStream<Uint8Array> {
  const visit = visits.follow(link.id)
  const cut = new TransformStream<Uint8Array, Uint8Array>()
  const endVisit = () => visit[Symbol.dispose]()
  content.pipeTo(cut.writable, { signal: visit.signal }).then(endVisit, endVisit)
  return cut.readable
}

function invalidLink(context: Context<ApiEnv>): Response {
  const { language, goneTitle, goneText } = sharedWords(context.req.header('accept-language'))
  const title = escapeHtml(goneTitle)
  const page = `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width,initial-scale=1">
<style>:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{margin:0;min-height:100vh;display:grid;place-items:center;background:Canvas;color:CanvasText}
main{max-width:30rem;padding:2rem}h1{font-size:1.25rem;margin:0 0 .5rem}</style></head>
<body><main><h1>${title}</h1><p>${escapeHtml(goneText)}</p></main></body></html>
`
  return context.body(page, 404, pageHeaders)
}

async function* encoded(pieces: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  for await (const piece of pieces) yield encoder.encode(piece)
}
