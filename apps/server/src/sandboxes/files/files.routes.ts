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
import { mediaTypeOf } from '../../platform/texts/media-type.models.ts'
import type { Threads } from '../../threads/public.ts'
import { copyFiles } from './copy-files.ts'
import type { Files } from './files.usecases.ts'
import type { FilesWatch } from './files-watch.ts'

const tags = ['files']
const pathQuery = z.object({ path: sandboxPathSchema })
/** `false`: nothing wakes a sandbox that sleeps; its disk is read, or the answer is `sandbox.not-awake`. */
const readQuery = pathQuery.extend({ wake: z.enum(['true', 'false']).default('true') })
const listQuery = readQuery.extend({
  /** Where the part before this one ended (`next`). */
  after: z.string().max(1000).default(''),
  limit: countQuery({ default: maxFilesPerPage, max: maxFilesPerPage }),
})
const downloadQuery = readQuery.extend({
  download: z.enum(['true', 'false']).default('false'),
  /** Makes another address of another version of the file; it is not read. */
  version: z.string().max(200).optional(),
})
const archiveQuery = pathQuery.extend({
  /** A JSON list of paths below the folder; without it everything in it. */
  only: z
    .string()
    .max(8000)
    .default('[]')
    .transform((text, context) => {
      const paths = pathsBelowSchema.safeParse(parseJson(text))
      if (paths.success) return paths.data
      context.addIssue('It has to be a JSON list of paths below the folder.')
      return z.NEVER
    }),
})
const bytes = { 'application/octet-stream': { schema: z.string().meta({ format: 'binary' }) } }

const listRoute = defineRoute({
  method: 'get',
  path: '/threads/{threadId}/files',
  tags,
  summary: 'List a folder of the sandbox, or a part of it, in the order of names',
  request: { params: threadParams, query: listQuery },
  responses: { 200: jsonAnswer(filesPageSchema, 'What is in the folder.') },
})
const entryRoute = defineRoute({
  method: 'get',
  path: '/threads/{threadId}/files/entry',
  tags,
  summary: 'Describe one file or folder',
  request: { params: threadParams, query: readQuery },
  responses: { 200: jsonAnswer(fileEntrySchema, 'What is there.') },
})
const watchRoute = defineRoute({
  method: 'put',
  path: '/threads/{threadId}/files/watch',
  tags,
  summary: 'Have folders watched for a minute: changes come as `files-changed` over `GET /events`; wakes nothing',
  request: { params: threadParams, body: jsonBody(watchFilesSchema) },
  responses: { 204: { description: 'They are watched while the sandbox is awake.' } },
})
const readRoute = defineRoute({
  method: 'get',
  path: '/threads/{threadId}/files/content',
  tags,
  summary: 'Read a file; ranges are supported',
  request: { params: threadParams, query: downloadQuery },
  responses: {
    200: { description: 'The file.', content: bytes },
    206: { description: 'Part of the file.', content: bytes },
  },
})
const writeRoute = defineRoute({
  method: 'put',
  path: '/threads/{threadId}/files/content',
  tags,
  summary: 'Write a file; `if-match` with its etag protects what somebody else wrote',
  request: {
    params: threadParams,
    query: pathQuery,
    headers: z.object({ 'if-match': z.string().max(200).optional(), 'if-none-match': z.literal('*').optional() }),
  },
  responses: { 200: jsonAnswer(fileEntrySchema, 'The file as it is now; its etag is in the header.') },
})
const removeRoute = defineRoute({
  method: 'delete',
  path: '/threads/{threadId}/files',
  tags,
  summary: 'Remove a file, or a folder with everything in it',
  request: { params: threadParams, query: pathQuery },
  responses: { 200: jsonAnswer(fileEntrySchema, 'What was removed.') },
})
const moveRoute = defineRoute({
  method: 'post',
  path: '/threads/{threadId}/files/move',
  tags,
  summary: 'Move or rename; nothing is overwritten',
  request: { params: threadParams, body: jsonBody(moveFileSchema) },
  responses: { 200: jsonAnswer(fileEntrySchema, 'Where it is now.') },
})
const folderRoute = defineRoute({
  method: 'post',
  path: '/threads/{threadId}/files/folders',
  tags,
  summary: 'Make a folder',
  request: { params: threadParams, body: jsonBody(makeFolderSchema) },
  responses: { 201: jsonAnswer(fileEntrySchema, 'The folder.') },
})
const copyRoute = defineRoute({
  method: 'post',
  path: '/threads/{threadId}/files/copies',
  tags,
  summary: 'Copy files and folders out of the sandbox of another thread; nothing is overwritten',
  request: { params: threadParams, body: jsonBody(copyFilesSchema) },
  responses: { 200: jsonAnswer(copiedFilesSchema, 'What was copied.') },
})
const archiveRoute = defineRoute({
  method: 'get',
  path: '/threads/{threadId}/files/archive',
  tags,
  summary: 'Download a folder, or some of what is in it, as a zip',
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
    return context.json(await files.list(threadId, path, { after, limit, signal, mayWake: wake === 'true' }), 200)
  })
  api.openapi(entryRoute, async (context) => {
    const { threadId, signal } = await open(context, context.req.valid('param').threadId)
    const { path, wake } = context.req.valid('query')
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
    const onProgress = (sofar: { files: number; bytes: number }) => {
      const { files, bytes } = sofar
      if (copyId !== undefined) publish(userId, { type: 'files-copying', threadId, copyId, files, bytes })
    }
    return context.json(await copyFiles(files, { ...what, toThreadId: threadId, signal, onProgress }), 200)
  })
  api.openapi(archiveRoute, async (context) => {
    const { threadId, signal } = await open(context, context.req.valid('param').threadId)
    const { path, only } = context.req.valid('query')
    const stream = await files.archive(threadId, path, { only, signal })
    const name = `${posix.basename(path) || 'root'}.zip`
    return context.newResponse(stream, 200, contentHeaders({ mediaType: 'application/zip', name, isDownload: true }))
  })
  return api
}
