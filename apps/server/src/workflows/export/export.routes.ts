import { z } from '@hono/zod-openapi'
import { exportFormats } from '@threadbox/protocol/public'
import type { BlobStore } from '../../platform/blobs/blob-store.ts'
import { type Api, defineRoute, makeApi, threadParams } from '../../platform/http/api.ts'
import { contentHeaders } from '../../platform/http/user-content.ts'
import type { ThreadLog, Threads } from '../../threads/public.ts'
import { fileName } from './file-name.logic.ts'
import { htmlOf } from './html.ts'
import { markdownOf } from './markdown.ts'
import { notebookOf } from './notebook.ts'
import type { PersonalExport } from './personal-export.ts'

const forms = {
  markdown: { write: markdownOf, mediaType: 'text/markdown', ending: 'md' },
  html: { write: htmlOf, mediaType: 'text/html', ending: 'html' },
  notebook: { write: notebookOf, mediaType: 'application/x-ipynb+json', ending: 'ipynb' },
} as const satisfies Record<(typeof exportFormats)[number], unknown>

const bytes = { schema: z.string().openapi({ format: 'binary' }) }
const content = {
  [forms.markdown.mediaType]: bytes,
  [forms.html.mediaType]: bytes,
  [forms.notebook.mediaType]: { schema: z.looseObject({}) },
}
const exportRoute = defineRoute({
  action: 'threads.export',
  method: 'get',
  path: '/threads/{threadId}/export',
  tags: ['threads'],
  summary: 'Export the conversation as Markdown, a single HTML page, or a runnable notebook',
  request: { params: threadParams, query: z.object({ format: z.enum(exportFormats) }) },
  responses: { 200: { description: 'The file.', content } },
})

const personalRoute = defineRoute({
  action: 'account.export',
  method: 'get',
  path: '/me/export',
  tags: ['leaving'],
  summary: 'Download everything that is yours as one zip. Sandboxes that are asleep stay asleep',
  responses: { 200: { description: 'The zip.', content: { 'application/zip': bytes } } },
})

/** Reads only recorded data and does not wake the sandbox. */
export function exportRoutes(dependencies: {
  threads: Threads
  log: ThreadLog
  blobs: BlobStore
  personal: PersonalExport
}): Api {
  const { threads, log, blobs, personal } = dependencies
  const api = makeApi()
  api.openapi(exportRoute, async (context) => {
    const { threadId } = context.req.valid('param')
    const row = await threads.open(context.get('caller').userId, threadId)
    const { write, mediaType, ending } = forms[context.req.valid('query').format]
    const title = row.title === '' ? 'Thread' : row.title
    const pieces = write({ threadId, blobs }, { title, entries: await log.entries(threadId) })
    const stream = ReadableStream.from(encoded(pieces)) as ReadableStream<Uint8Array>
    return context.newResponse(
      stream,
      200,
      contentHeaders({ mediaType, name: fileName(title, ending), isDownload: true }),
    )
  })
  api.openapi(personalRoute, async (context) => {
    const pieces = personal(context.get('caller').userId, context.req.raw.signal)
    const stream = ReadableStream.from(pieces) as ReadableStream<Uint8Array>
    const headers = contentHeaders({ mediaType: 'application/zip', name: 'threadbox.zip', isDownload: true })
    return context.newResponse(stream, 200, headers)
  })
  return api
}

async function* encoded(pieces: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  for await (const piece of pieces) yield encoder.encode(piece)
}
