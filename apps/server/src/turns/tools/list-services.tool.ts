import { z } from 'zod'
import { succeeded } from './outcomes.ts'
import { serviceLine } from './service-outcomes.ts'
import { defineTool } from './tool.ts'

/** Services with their status, and ports that other programs have opened. */
export const listServices = defineTool({
  name: 'list_services',
  description: "Lists this conversation's services with port and status, and ports opened by other programs.",
  input: z.object({}),
  recovery: 'repeat',
  isWriting: false,
  run: async (_input, { call, services }) => {
    const view = await services.list(call.threadId)
    const ports = view.openPorts.map(({ port, command }) => `port ${port}  no service  (${command})`)
    const lines = [...view.services.map(serviceLine), ...ports]
    const text = lines.length === 0 ? '(none)' : lines.join('\n')
    return succeeded({ kind: 'text', text, path: null }, text)
  },
})
