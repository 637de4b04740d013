import { z } from '@hono/zod-openapi'
import { attachmentSchema, type Entry } from '@threadbox/protocol/public'
import type { BlobStore } from '../../platform/blobs/blob-store.ts'
import {
  type Api,
  defineRoute,
  idParam,
  jsonAnswer,
  makeApi,
  type OpenThread,
  threadOpener,
  threadParams,
  wholeNumberQuery,
} from '../../platform/http/api.ts'
import { contentHeaders } from '../../platform/http/user-content.ts'
import type { ThreadLog } from '../log/thread-log.ts'
import { attachmentNotFound } from './attachments.errors.ts'
import type { Attachments } from './attachments.usecases.ts'
import { attachmentKey } from './blob-keys.ts'
import { outputNotFound, resultNotFound } from './content.errors.ts'
import { openKeptOutput, openOutput } from './kept-output.ts'
import { outputKey, resultBlob } from './stored-output.ts'

const tags = ['content']
const bytes = { 'application/octet-stream': { schema: z.string().meta({ format: 'binary' }) } }
const downloadQuery = z.object({ download: z.enum(['true', 'false']).default('false') })
const safeInteger = wholeNumberQuery({ min: 0, max: Number.MAX_SAFE_INTEGER })

const uploadRoute = defineRoute({
  action: 'threads.work',
  method: 'put',
  path: '/threads/{threadId}/uploads',
  tags,
  summary: 'Upload a file of any size as the raw body, to /home/user/uploads',
  request: { params: threadParams, query: z.object({ name: z.string().min(1).max(1000) }) },
  responses: { 201: jsonAnswer(attachmentSchema, 'The attachment, with its final name.') },
})
const attachmentRoute = defineRoute({
  action: 'threads.read',
  method: 'get',
  path: '/threads/{threadId}/attachments/{attachmentId}',
  tags,
  summary: 'Download an uploaded file as it was sent',
  request: { params: threadParams.extend({ attachmentId: idParam }), query: downloadQuery },
  responses: { 200: { description: 'The file.', content: bytes } },
})
const outputRoute = defineRoute({
  action: 'threads.read',
  method: 'get',
  path: '/threads/{threadId}/outputs/{callId}',
  tags,
  summary: 'Read the output of a command or cell. Never starts a sandbox',
  request: {
    params: threadParams.extend({ callId: idParam }),
    query: downloadQuery.extend({ offset: safeInteger.default(0), limit: safeInteger.optional() }),
  },
  responses: {
    200: {
      description:
        'The kept bytes from the offset on, at most up to bytes that weren’t kept. `threadbox-output-size` is the number of bytes written; bytes from `threadbox-output-kept-head` to `threadbox-output-kept-tail-from` weren’t kept. With `download` and without a range: everything kept, with a line in place of what wasn’t.',
      content: bytes,
    },
  },
})
const resultRoute = defineRoute({
  action: 'threads.read',
  method: 'get',
  path: '/threads/{threadId}/results/{callId}/{name}',
  tags,
  summary: 'Read a shared file, an image or a rich result. Never starts a sandbox',
  request: {
    params: threadParams.extend({ callId: idParam, name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,100}$/) }),
    query: downloadQuery,
  },
  responses: { 200: { description: 'The content.', content: bytes } },
})

export function contentRoutes(dependencies: {
  open: OpenThread
  log: ThreadLog
  blobs: BlobStore
  attachments: Attachments
}): Api {
  const { blobs, attachments, log } = dependencies
  const api = makeApi()
  const open = threadOpener(dependencies.open)

  api.openapi(uploadRoute, async (context) => {
    const { threadId } = context.req.valid('param')
    await open(context, threadId)
    const length = context.req.header('content-length')
    const attachment = await attachments.upload(threadId, {
      name: context.req.valid('query').name,
      mediaType: plainType(context.req.header('content-type')),
      announcedBytes: length === undefined ? undefined : Number(length),
      content: context.req.raw.body ?? new Blob([]).stream(),
    })
    return context.json(attachment, 201)
  })
  api.openapi(attachmentRoute, async (context) => {
    const { threadId, attachmentId } = context.req.valid('param')
    await open(context, threadId)
    const { name, mediaType } = await attachments.get(threadId, attachmentId)
    const blob = await blobs.get(attachmentKey(threadId, attachmentId))
    if (blob === undefined) throw attachmentNotFound({})
    const isDownload = context.req.valid('query').download === 'true'
    return context.newResponse(blob.stream, 200, {
      ...contentHeaders({ mediaType, name, isDownload }),
      'content-length': String(blob.sizeBytes),
    })
  })
  api.openapi(outputRoute, async (context) => {
    const { threadId, callId } = context.req.valid('param')
    const { offset, limit, download } = context.req.valid('query')
    await open(context, threadId)
    const entry = await log.entry(threadId, callId)
    if (entry?.kind !== 'tool-call') throw outputNotFound({})
    const key = outputKey({ threadId, id: callId })
    const isDownload = download === 'true'
    const isWhole = isDownload && offset === 0 && limit === undefined
    const { kept, content } = isWhole
      ? await openKeptOutput(blobs, key)
      : await openOutput(blobs, { key, offset, ...(limit === undefined ? {} : { length: limit }) })
    // Output has no known encoding, so it is served as bytes.
    const headers = contentHeaders({
      mediaType: 'application/octet-stream',
      name: `output-${callId}.txt`,
      isDownload,
    })
    return context.newResponse(content, 200, {
      ...headers,
      'threadbox-output-size': String(kept.sizeBytes),
      'threadbox-output-kept-head': String(kept.headBytes),
      'threadbox-output-kept-tail-from': String(kept.tailFrom),
    })
  })
  api.openapi(resultRoute, async (context) => {
    const { threadId, callId, name } = context.req.valid('param')
    await open(context, threadId)
    const { key, url } = resultBlob({ threadId, id: callId }, name)
    const described = describe(await log.entry(threadId, callId), url)
    const blob = described === undefined ? undefined : await blobs.get(key)
    if (described === undefined || blob === undefined) throw resultNotFound({})
    const isDownload = context.req.valid('query').download === 'true'
    return context.newResponse(blob.stream, 200, {
      ...contentHeaders({ ...described, isDownload }),
      'content-length': String(blob.sizeBytes),
    })
  })
  return api
}

/** Returns how the conversation describes the content of a URL. Content that no entry mentions isn't served. */
function describe(entry: Entry | undefined, url: string): { mediaType: string; name: string } | undefined {
  if (entry?.kind !== 'tool-call' || entry.result === null) return undefined
  const { result } = entry
  if ((result.kind === 'file' || result.kind === 'image') && result.url === url) {
    return { mediaType: result.mediaType, name: nameOf(result) }
  }
  if (result.kind === 'connection') {
    if (result.url === url) return { mediaType: 'text/plain', name: 'answer.txt' }
    const image = result.images.find((candidate) => candidate.url === url)
    return image === undefined ? undefined : { mediaType: image.mediaType, name: 'image' }
  }
  if (result.kind !== 'python') return undefined
  const item = result.displays.flatMap((display) => display.items).find((candidate) => candidate.url === url)
  return item === undefined ? undefined : { mediaType: item.mediaType, name: url.split('/').at(-1) ?? 'result' }
}

function nameOf(result: { kind: 'file' | 'image'; path: string; page?: unknown }): string {
  return result.page === undefined ? (result.path.split('/').at(-1) ?? 'file') : 'page'
}

function plainType(header: string | undefined): string {
  const type = header?.split(';')[0]?.trim().toLowerCase() ?? ''
  return /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(type) ? type : 'application/octet-stream'
}
