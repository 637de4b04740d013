import { guestPaths } from '@threadbox/protocol/guest'
import type { Logger } from '@threadbox/telemetry'
import { sendJson } from '../ground/http.ts'
import type { Route } from '../ground/server.ts'
import type { Contexts } from '../kernels/contexts.ts'
import type { ReadManifest } from '../manifest/manifest.ts'
import type { Rescues } from '../rescue/rescues.ts'

/**
 * Kernels that turns ended unused before no further turn starts one: a start takes more than a second of processor time,
 * and an agent that did not use Python in two turns seldom does in the third.
 */
const mostUnused = 2

/** What the server says about a thread's turns, for which the guest starts and ends what it can start again. */
export function turnRoutes(dependencies: {
  contexts: Pick<Contexts, 'get' | 'dropUnused'>
  rescues: Pick<Rescues, 'requireOpen'>
  readManifest: Pick<ReadManifest, 'warm'>
  logger: Logger
}): Route[] {
  const { contexts, rescues, readManifest, logger } = dependencies
  let unused = 0
  return [
    {
      method: 'POST',
      path: guestPaths.expectCells,
      access: 'token',
      handle: (_request, response) => {
        rescues.requireOpen()
        const context = contexts.get('')
        if (unused < mostUnused || context.hasRun()) {
          context
            .prewarm()
            .catch((error: unknown) => logger.info({ err: error }, 'no kernel was started for the cells of a turn'))
        }
        sendJson(response, { body: {} })
      },
    },
    {
      method: 'POST',
      path: guestPaths.quiet,
      access: 'token',
      handle: async (_request, response) => {
        if (await contexts.dropUnused()) unused += 1
        sendJson(response, { body: {} })
        // What the turn has installed, and all of it in a sandbox that did not start from a template.
        readManifest.warm()
      },
    },
  ]
}
