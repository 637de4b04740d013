import { serviceNameSchema, servicePortSchema } from '@threadbox/protocol/public'
import { z } from 'zod'
import { startOutcome } from './service-outcomes.ts'
import { defineTool } from './tool.ts'

const assignment = /^[A-Za-z_][A-Za-z0-9_]*=/

const input = z.object({
  name: serviceNameSchema.describe('Short name: lower case letters, digits and hyphens.'),
  command: z.string().min(1).max(65_536).describe('Bash command that runs in the foreground until it is stopped.'),
  port: servicePortSchema.describe('The port on which it will listen, on any address.'),
  cwd: z.string().min(1).max(4096).optional().describe('Directory it runs in. Default: /home/user.'),
  environment: z
    .array(z.string().max(65_536).regex(assignment))
    .max(100)
    .optional()
    .describe('Variables of its own, each as NAME=value. PORT is always set.'),
  ready_timeout_seconds: z
    .number()
    .int()
    .min(1)
    .max(600)
    .optional()
    .describe('How long its port may take to answer. Default 60.'),
})

/** Starts a web server, or anything else with a port, and waits until it answers. */
export const startService = defineTool({
  name: 'start_service',
  description:
    'Starts a program that listens on a port (web app, development server, API) and waits until the port answers. The ' +
    'user sees it live beside the conversation, and it goes on after your turn. Use this, not a background command, ' +
    'for everything with a port. It runs in a login shell of its own, without the state of your shell session: name ' +
    'the virtual environment or the directory in the command. Its command is stored and started again after a cold ' +
    'start. The same name or the same port replaces what was there. When it does not get ready you are given the end ' +
    'of its log.',
  input,
  recovery: 'repeat',
  isWriting: false,
  run: async (
    { ready_timeout_seconds: readyTimeoutSeconds, cwd, environment, ...rest },
    { call, services, signal },
  ) => {
    const request = {
      ...rest,
      ...(cwd === undefined ? {} : { cwd }),
      ...(environment === undefined ? {} : { environment: variablesIn(environment) }),
      ...(readyTimeoutSeconds === undefined ? {} : { readyTimeoutSeconds }),
    }
    await services.start(call.threadId, request, { key: call.id, signal })
    return startOutcome(await services.settled(call.threadId, request.name, signal))
  },
})

/** A list rather than an object: not every provider can describe an object with names of the caller's choice. */
function variablesIn(assignments: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    assignments.map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]),
  )
}
