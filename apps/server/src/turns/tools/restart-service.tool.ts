import { serviceNameSchema } from '@threadbox/protocol/public'
import { z } from 'zod'
import { startOutcome } from './service-outcomes.ts'
import { defineTool } from './tool.ts'

const input = z.object({ name: serviceNameSchema.describe('Name of the service.') })

/** Ends a service and starts it again as it is stored. */
export const restartService = defineTool({
  name: 'restart_service',
  description:
    'Ends a service and starts it again with its stored command, directory and environment, and waits until it answers. ' +
    'For a changed command use start_service with the same name. A development server that reloads by itself needs none.',
  input,
  recovery: 'repeat',
  isWriting: false,
  run: async ({ name }, { call, services, signal }) => {
    await services.restart(call.threadId, name, { key: call.id, signal })
    return startOutcome(await services.settled(call.threadId, name, signal))
  },
})
