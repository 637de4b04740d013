import { serviceNameSchema } from '@threadbox/protocol/public'
import { z } from 'zod'
import { succeeded } from './outcomes.ts'
import { defineTool } from './tool.ts'

const input = z.object({
  name: serviceNameSchema.describe('Name of the service.'),
  before: z.number().int().min(1).optional().describe('Byte offset: the part of the log that ends there.'),
})

/** The end of what a service has printed. */
export const serviceLogs = defineTool({
  name: 'service_logs',
  description:
    'The end of what a service has printed, standard output and errors together, or the part before an offset. Look ' +
    'here when a page does not do what it should.',
  input,
  recovery: 'repeat',
  isWriting: false,
  run: async ({ name, before }, { call, services, outputCharacters }) => {
    const log = await services.logs(call.threadId, name, before === undefined ? {} : { before })
    const text = log.text.slice(-outputCharacters)
    const from = log.offset + Buffer.byteLength(log.text.slice(0, log.text.length - text.length))
    const earlier = from > log.droppedBytes ? `[earlier lines: before=${from}]\n` : ''
    const dropped = from <= log.droppedBytes && log.droppedBytes > 0 ? '[the lines before this are not kept]\n' : ''
    const shown = text === '' ? '(it printed nothing)' : `${earlier}${dropped}${text}`
    return succeeded({ kind: 'text', text, path: null }, shown)
  },
})
