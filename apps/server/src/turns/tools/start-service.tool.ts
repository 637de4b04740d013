import { serviceNameSchema, servicePortSchema } from '@threadbox/protocol/public'
import { z } from 'zod'
import { startOutcome } from './service-outcomes.ts'
import { defineTool } from './tool.ts'

const assignment = /^[A-Za-z_][A-Za-z0-9_]*=/

const input = z.object({
  name: serviceNameSchema.describe('Short name: lowercase letters, digits and hyphens.'),
  command: z.string().min(1).max(65_536).describe('Bash command that runs in the foreground until it is stopped.'),
  port: servicePortSchema.describe('Port it listens on, on any address.'),
  cwd: z.string().min(1).max(4096).optional().describe('Working directory. Default: /home/user.'),
  environment: z
    .array(z.string().max(65_536).regex(assignment))
    .max(100)
    .optional()
    .describe('Environment variables, each as NAME=value. PORT is always set.'),
  ready_timeout_seconds: z
    .number()
    .int()
    .min(1)
    .max(600)
    .optional()
    .describe('Seconds to wait for the port to respond. Default 60.'),
})

/** Starts a web server, or any program with a port, and waits until it responds. */
export const startService = defineTool({
  name: 'start_service',
  description:
    'Starts a program that listens on a port (web app, dev server, API) and waits until the port responds. The user ' +
    'sees it live next to the conversation, and it keeps running after your turn. Use this, not a background ' +
    'command, for anything with a port. It runs in its own login shell, without the state of your shell session: ' +
    'include the virtual environment or the directory in the command. Its command is saved, and the service is ' +
    'restarted after a cold start. A service with the same name or port replaces the existing one. If it does not ' +
    'become ready, you get the end of its log.',
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

/** A list instead of an object, because not every provider supports objects with arbitrary names. */
function variablesIn(assignments: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    assignments.map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]),
  )
}
