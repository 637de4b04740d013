import { guestPaths, rescueRequestSchema } from '@threadbox/protocol/guest'
import { z } from 'zod'
import { readJson, sendJson } from '../ground/http.ts'
import { pathOf, type Route } from '../ground/server.ts'
import { rescueInvalid } from './rescue.ts'
import type { Rescues } from './rescues.ts'

/**
 * Saves what can be kept before memory is discarded, reports what was restored after a cold start, starts a process
 * again.
 */
export function rescueRoutes({ rescues }: { rescues: Rescues }): Route[] {
  return [
    {
      method: 'POST',
      path: guestPaths.rescue,
      access: 'token',
      handle: async (request, response) => {
        const parsed = rescueRequestSchema.safeParse(await readJson(request))
        if (!parsed.success) throw rescueInvalid({ problem: z.prettifyError(parsed.error) })
        sendJson(response, { body: await rescues.make(parsed.data) })
      },
    },
    {
      method: 'GET',
      path: guestPaths.rescue,
      access: 'token',
      handle: (_request, response) => sendJson(response, { body: rescues.report() }),
    },
    {
      method: 'POST',
      path: /^\/rescue\/processes\/[^/]+\/start$/,
      access: 'token',
      handle: async (request, response) => {
        const id = decodeURIComponent(pathOf(request).split('/')[3] ?? '')
        sendJson(response, { body: await rescues.startProcess(id) })
      },
    },
  ]
}
