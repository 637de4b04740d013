import { Readable } from 'node:stream'
import { isId } from '@threadbox/domain'
import { hostPaths, sleepingEntryHeader, sleepingQuestionSchema } from '@threadbox/protocol/host'
import type { Hono } from 'hono'
import { z } from 'zod'
import { requestInvalid } from '../../machine/errors/orders.errors.ts'
import type { SleepingFiles } from './sleeping-files.ts'

export function addSleepingFileRoutes(app: Hono, files: SleepingFiles): void {
  app.get(hostPaths.sleepingFiles(':sandboxId'), async (context) => {
    const sandboxId = context.req.param('sandboxId') ?? ''
    if (!isId('sandbox', sandboxId)) throw requestInvalid({ problem: 'the path names no id of a sandbox' })
    const parsed = sleepingQuestionSchema.safeParse(context.req.query())
    if (!parsed.success) throw requestInvalid({ problem: z.prettifyError(parsed.error) })
    const answer = await files.answer(sandboxId, parsed.data)
    if (answer.kind === 'list') return context.json(answer.page)
    if (answer.kind === 'entry') return context.json(answer.entry)
    const entry = Buffer.from(JSON.stringify(answer.entry)).toString('base64url')
    return context.newResponse(Readable.toWeb(answer.bytes) as ReadableStream<Uint8Array>, 200, {
      'content-type': answer.kind === 'archive' ? 'application/zip' : 'application/octet-stream',
      [sleepingEntryHeader]: entry,
    })
  })
}
