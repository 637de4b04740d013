import { rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import type { LiveFacts } from '@threadbox/protocol/support'
import type { Logger } from '@threadbox/telemetry'

/** In the server’s folder, which only its user and root can open. */
export function supportSocketOf(serverDirectory: string): string {
  return join(serverDirectory, 'support.sock')
}

/**
 * Serves what only the running server knows to the program that collects facts for a support bundle. Who can open the
 * folder needs no sign-in.
 */
export async function serveSupport(options: {
  socketPath: string
  facts(): Promise<LiveFacts>
  logger: Logger
}): Promise<Server> {
  const { facts, logger } = options
  // A server that was killed leaves it.
  await rm(options.socketPath, { force: true })
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/facts') {
      response.writeHead(404).end()
      return
    }
    facts().then(
      (found) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(found)),
      (error: unknown) => {
        logger.error({ err: error }, 'facts for a support bundle could not be read')
        response.writeHead(500).end()
      },
    )
  })
  server.on('error', (error) => logger.warn({ err: error }, 'facts for a support bundle are not served'))
  server.listen(options.socketPath)
  return server
}
