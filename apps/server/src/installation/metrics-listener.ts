import { createServer, type Server } from 'node:http'
import type { Logger } from '@threadbox/telemetry'
import type { Metrics } from './metrics.ts'

/** Serves the metrics without a sign-in, for a scraper on this machine. The address is a loopback one. */
export function makeMetricsListener({
  metrics,
  logger,
}: {
  metrics: Pick<Metrics, 'text' | 'contentType'>
  logger: Logger
}): Server {
  return createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    metrics.text().then(
      (text) => response.writeHead(200, { 'content-type': metrics.contentType }).end(text),
      (error: unknown) => {
        logger.error({ err: error }, 'metrics could not be read')
        response.writeHead(500).end()
      },
    )
  })
}
