import { posix } from 'node:path'
import { z } from '@hono/zod-openapi'
import {
  copiedFilesSchema,
  copyFilesSchema,
  fileEntrySchema,
  filesPageSchema,
  makeFolderSchema,
  maxFilesPerPage,
  moveFileSchema,
  pathsBelowSchema,
  sandboxPathSchema,
  type UserEvent,
  watchFilesSchema,
} from '@threadbox/protocol/public'
import {
  type Api,
  type ApiContext,
  countQuery,
  defineRoute,
  jsonAnswer,
  jsonBody,
  makeApi,
  threadParams,
} from '../../platform/http/api.ts'
import { contentHeaders } from '../../platform/http/user-content.ts'
import { parseJson } from '../../platform/system/parse-json.ts'
import { mediaTypeOf } from '../../platform/texts/media-type.logic.ts'
import type { Threads } from '../../threads/public.ts'
import { copyFiles } from './copy-files.ts'
import type { Files } from './files.usecases.ts'
import type { FilesWatch } from './files-watch.ts'

const tags = ['files']
const pathQuery = z.object({ path: sandboxPathSchema })
/** `false` wakes no sandbox: a sleeping one’s disk is read, or the response is `sandbox.not-awake`. */
const readQuery = pathQuery.extend({ wake: z.enum(['true', 'false']).default('true') })
const listQuery = readQuery.extend({
  /** Where the previous page ended (`next`). */
  after: z.string().max(1000).default(''),
  limit: countQuery({ default: maxFilesPerPage, max: maxFilesPerPage }),
})
const downloadQuery = readQuery.extend({
  download: z.enum(['true', 'false']).default('false'),
  /** Makes a different URL for each version of the file; it is not read. */
  version: z.string().max(200).optional(),
})
const archiveQuery = pathQuery.extend({
  /** A JSON array of paths below the folder; without it, everything in the folder. */
  only: z
    .string()
    .max(8000)
    .default('[]')
    .transform((text, context) => {
      const paths = pathsBelowSchema.safeParse(parseJson(text))
      if (paths.success) return paths.data
      context.addIssue('Must be a JSON array of paths below the folder.')
      return z.NEVER
    }),
})
const bytes = { 'application/octet-stream': { schema: z.string().meta({ format: 'binary' }) } }

const listRoute = defineRoute({
  action: 'threads.read',
  method: 'get',
  path: '/threads/{threadId}/files',
  tags,
  summary: 'List a folder in the sandbox, sorted by name',
  request: { params: threadParams, query: listQuery },
  responses: { 200: jsonAnswer(filesPageSchema, 'The folder’s contents.') },
})
const entryRoute = defineRoute({
  action: 'threads.read',
  method: 'get',
  path: '/threads/{threadId}/files/entry',
  tags,
  summary: 'Get a file’s or folder’s metadata',
  request: { params: threadParams, query: readQuery },
  responses: { 200: jsonAnswer(fileEntrySchema, 'The metadata.') },
})
const watchRoute = defineRoute({
  action: 'threads.read',
  method: 'put',
  path: '/threads/{threadId}/files/watch',
  tags,
  summary: 'Watch folders for one minute. Changes arrive as `files-changed` on `GET /events`. Doesn’t wake the sandbox',
  request: { params: threadParams, body: jsonBody(watchFilesSchema) },
  responses: { 204: { description: 'The folders are watched while the sandbox is awake.' } },
})
const readRoute = defineRoute({
  action: 'threads.read',
  method: 'get',
  path: '/threads/{threadId}/files/content',
  tags,
  summary: 'Read a file. Supports ranges',
  request: { params: threadParams, query: downloadQuery },
  responses: {
    200: { description: 'The file.', content: bytes },
    206: { description: 'Part of the file.', content: bytes },
  },
})
const writeRoute = defineRoute({
  action: 'sandboxes.work',
  method: 'put',
  path: '/threads/{threadId}/files/content',
  tags,
  summary: 'Write a file. Send `if-match` with its ETag to avoid overwriting someone else’s changes',
  request: {
    params: threadParams,
    query: pathQuery,
    headers: z.object({ 'if-match': z.string().max(200).optional(), 'if-none-match': z.literal('*').optional() }),
  },
  responses: { 200: jsonAnswer(fileEntrySchema, 'The updated file. Its ETag is in the header.') },
})
const removeRoute = defineRoute({
  action: 'sandboxes.work',
  method: 'delete',
  path: '/threads/{threadId}/files',
  tags,
  summary: 'Delete a file, or a folder with everything in it',
  request: { params: threadParams, query: pathQuery },
  responses: { 200: jsonAnswer(fileEntrySchema, 'The deleted item.') },
})
const moveRoute = defineRoute({
  action: 'sandboxes.work',
  method: 'post',
  path: '/threads/{threadId}/files/move',
  tags,
  summary: 'Move or rename a file or folder. Never overwrites',
  request: { params: threadParams, body: jsonBody(moveFileSchema) },
  responses: { 200: jsonAnswer(fileEntrySchema, 'The item at its new path.') },
})
const folderRoute = defineRoute({
  action: 'sandboxes.work',
  method: 'post',
  path: '/threads/{threadId}/files/folders',
  tags,
  summary: 'Create a folder',
  request: { params: threadParams, body: jsonBody(makeFolderSchema) },
  responses: { 201: jsonAnswer(fileEntrySchema, 'The folder.') },
})
const copyRoute = defineRoute({
  action: 'sandboxes.work',
  method: 'post',
  path: '/threads/{threadId}/files/copies',
  tags,
  summary: 'Copy files and folders from another thread’s sandbox. Never overwrites',
  request: { params: threadParams, body: jsonBody(copyFilesSchema) },
  responses: { 200: jsonAnswer(copiedFilesSchema, 'The copied items.') },
})
const archiveRoute = defineRoute({
  action: 'threads.read',
  method: 'get',
  path: '/threads/{threadId}/files/archive',
  tags,
  summary: 'Download a folder, or selected items in it, as a zip',
  request: { params: threadParams, query: archiveQuery },
  responses: { 200: { description: 'The zip.', content: { 'application/zip': { schema: z.string() } } } },
})

export function fileRoutes(dependencies: {
  files: Files
  watch: FilesWatch
  threads: Pick<Threads, 'open'>
  publish: (userId: string, event: UserEvent) => void
}): Api {
  const { files, watch, threads, publish } = dependencies
  const api = makeApi()
  const open = async (context: ApiContext, threadId: string) => {
    await threads.open(context.get('caller').userId, threadId)
    return { threadId, signal: context.req.raw.signal }
  }

  api.openapi(listRoute, async (context) => {
    const { threadId, signal } = await open(context, context.req.valid('param').threadId)
    const { path, after, limit, wake } = context.req.valid('query')
    await mayWake(context, wake)
    return context.json(await files.list(threadId, path, { after, limit, signal, mayWake: wake === 'true' }), 200)
  })
  api.openapi(entryRoute, async (context) => {
    const { threadId, signal } = await open(context, context.req.valid('param').threadId)
    const { path, wake } = context.req.valid('query')
    await mayWake(context, wake)
    return context.json(await files.entry(threadId, path, { signal, mayWake: wake === 'true' }), 200)
  })
  api.openapi(watchRoute, async (context) => {
    const { threadId } = await open(context, context.req.valid('param').threadId)
    await watch.watch({ userId: context.get('caller').userId, threadId, paths: context.req.valid('json').paths })
    return context.body(null, 204)
  })
  api.openapi(readRoute, async (context) => {
    const { threadId, signal } = await open(context, context.req.valid('param').threadId)
    const { path, download, wake } = context.req.valid('query')
    await mayWake(context, wake)
    const range = context.req.header('range')
    const file = await files.read(threadId, path, { range, signal, mayWake: wake === 'true' })
    const name = posix.basename(path)
    const headers = {
      ...contentHeaders({ mediaType: mediaTypeOf(name), name, isDownload: download === 'true' }),
      etag: file.entry.version,
      'accept-ranges': 'bytes',
      'last-modified': new Date(file.entry.modifiedAt).toUTCString(),
      ...(file.sizeBytes === null ? {} : { 'content-length': String(file.sizeBytes) }),
      ...(file.contentRange === null ? {} : { 'content-range': file.contentRange }),
    }
    return context.newResponse(file.stream, file.status as 200, headers)
  })
  api.openapi(writeRoute, async (context) => {
    const { threadId, signal } = await open(context, context.req.valid('param').threadId)
    const headers = context.req.valid('header')
    const entry = await files.write(threadId, context.req.valid('query').path, {
      content: context.req.raw.body ?? new Blob([]).stream(),
      signal,
      ifMatch: headers['if-match'],
      onlyIfNew: headers['if-none-match'] !== undefined,
    })
    return context.json(entry, 200, { etag: entry.version })
  })
  api.openapi(removeRoute, async (context) => {
    const { threadId } = await open(context, context.req.valid('param').threadId)
    return context.json(await files.remove(threadId, context.req.valid('query').path), 200)
  })
  api.openapi(moveRoute, async (context) => {
    const { threadId } = await open(context, context.req.valid('param').threadId)
    return context.json(await files.move(threadId, context.req.valid('json')), 200)
  })
  api.openapi(folderRoute, async (context) => {
    const { threadId } = await open(context, context.req.valid('param').threadId)
    return context.json(await files.makeFolder(threadId, context.req.valid('json').path), 201)
  })
  api.openapi(copyRoute, async (context) => {
    const { threadId, signal } = await open(context, context.req.valid('param').threadId)
    const { copyId, ...what } = context.req.valid('json')
    const { userId } = context.get('caller')
    await threads.open(userId, what.fromThreadId)
    const onProgress = (copied: { files: number; bytes: number }) => {
      const { files, bytes } = copied
      if (copyId !== undefined) publish(userId, { type: 'files-copying', threadId, copyId, files, bytes })
    }
    return context.json(await copyFiles(files, { ...what, toThreadId: threadId, signal, onProgress }), 200)
  })
  api.openapi(archiveRoute, async (context) => {
    const { threadId, signal } = await open(context, context.req.valid('param').threadId)
    const { path, only } = context.req.valid('query')
    const beforeWake = () => mayWake(context, 'true')
    const stream = await files.archive(threadId, path, { only, signal, beforeWake })
    const name = `${posix.basename(path) || 'root'}.zip`
    return context.newResponse(stream, 200, contentHeaders({ mediaType: 'application/zip', name, isDownload: true }))
  })
  return api
}

/** Reading a sleeping sandbox’s files wakes it, unless the request says not to: waking is work. */
async function mayWake(context: Pick<ApiContext, 'get'>, wake: 'true' | 'false'): Promise<void> {
  if (wake === 'true') await context.get('authorize')('sandboxes.work')
}
