import { serviceNameSchema } from '@threadbox/protocol/public'
import { z } from 'zod'
import { succeeded } from './outcomes.ts'
import { defineTool } from './tool.ts'

const input = z.object({
  name: serviceNameSchema.describe('Service name.'),
  before: z.number().int().min(1).optional().describe('Byte offset: returns the part of the log that ends there.'),
})

/** The end of a service's output. */
export const serviceLogs = defineTool({
  name: 'service_logs',
  description:
    "Returns the end of a service's output (standard output and error), or the part before an offset. Check it when " +
    'a page does not work.',
  input,
  recovery: 'repeat',
  isWriting: false,
  run: async ({ name, before }, { call, services, outputCharacters }) => {
    const log = await services.logs(call.threadId, name, before === undefined ? {} : { before })
    const text = log.text.slice(-outputCharacters)
    const from = log.offset + Buffer.byteLength(log.text.slice(0, log.text.length - text.length))
    const earlier = from > log.droppedBytes ? `[earlier lines: use before=${from}]\n` : ''
    const dropped = from <= log.droppedBytes && log.droppedBytes > 0 ? '[earlier lines are no longer kept]\n' : ''
    const shown = text === '' ? '(no output)' : `${earlier}${dropped}${text}`
    return succeeded({ kind: 'text', text, path: null }, shown)
  },
})
