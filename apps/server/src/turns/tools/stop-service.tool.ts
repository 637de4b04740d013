import { serviceNameSchema } from '@threadbox/protocol/public'
import { z } from 'zod'
import { succeeded } from './outcomes.ts'
import { defineTool } from './tool.ts'

const input = z.object({ name: serviceNameSchema.describe('Name of the service.') })

/** Ends a service; it stays in the list. */
export const stopService = defineTool({
  name: 'stop_service',
  description: 'Ends a service and everything that it started. It stays stored, so that it can be started again.',
  input,
  recovery: 'repeat',
  isWriting: false,
  run: async ({ name }, { call, services }) => {
    const service = await services.stop(call.threadId, name)
    return succeeded({ kind: 'service', service }, `The service "${name}" is stopped.`)
  },
})
