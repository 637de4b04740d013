import { serviceNameSchema } from '@threadbox/protocol/public'
import { z } from 'zod'
import { startOutcome } from './service-outcomes.ts'
import { defineTool } from './tool.ts'

const input = z.object({ name: serviceNameSchema.describe('Service name.') })

/** Stops a service and starts it as it is stored. */
export const restartService = defineTool({
  name: 'restart_service',
  description:
    'Stops a service, starts it again with its saved command, directory and environment, and waits until it ' +
    'responds. To change the command, use start_service with the same name. Dev servers that reload automatically do ' +
    'not need a restart.',
  input,
  recovery: 'repeat',
  isWriting: false,
  run: async ({ name }, { call, services, signal }) => {
    await services.restart(call.threadId, name, { key: call.id, signal })
    return startOutcome(await services.settled(call.threadId, name, signal))
  },
})
