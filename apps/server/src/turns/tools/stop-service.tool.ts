import { serviceNameSchema } from '@threadbox/protocol/public'
import { z } from 'zod'
import { succeeded } from './outcomes.ts'
import { defineTool } from './tool.ts'

const input = z.object({ name: serviceNameSchema.describe('Service name.') })

/** Stops a service; it stays in the list. */
export const stopService = defineTool({
  name: 'stop_service',
  description: 'Stops a service and everything it started. It stays in the list and can be started again.',
  input,
  recovery: 'repeat',
  isWriting: false,
  run: async ({ name }, { call, services }) => {
    const service = await services.stop(call.threadId, name)
    return succeeded({ kind: 'service', service }, `Stopped the service "${name}".`)
  },
})
