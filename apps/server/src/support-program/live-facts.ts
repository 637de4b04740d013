import { request } from 'node:http'
import { json } from 'node:stream/consumers'
import { type LiveFacts, liveFactsSchema } from '@threadbox/protocol/support'

const timeoutMs = 10_000

/** Asks the running server. Rejects with the code of the connection if there is none. */
export async function readLiveFacts(socketPath: string): Promise<LiveFacts> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const sent = request({ socketPath, path: '/facts', timeout: timeoutMs }, (response) => {
    json(response).then(resolve, reject)
  })
  sent.once('timeout', () => sent.destroy(Object.assign(new Error('no response in time'), { code: 'ETIMEDOUT' })))
  sent.once('error', reject)
  sent.end()
  return liveFactsSchema.parse(await promise)
}
