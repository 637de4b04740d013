import { once } from 'node:events'
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { percentile } from './figure.ts'

/** A page, as a browser requests it. */
export type RequestTarget = { host: string; port: number; path: string; headers: Record<string, string> }

/** Requests per second, and the 99th percentile of their duration. */
export type Load = { perSecond: number; p99Ms: number }

/** Requests the same page repeatedly, with this many clients that each wait for their response. */
export async function loadOf(target: RequestTarget, options: { requests: number; clients: number }): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: options.clients })
  const times: number[] = []
  let left = options.requests
  const client = async () => {
    while (left-- > 0) {
      const start = performance.now()
      await firstByte(target, agent)
      times.push(performance.now() - start)
    }
  }
  const start = performance.now()
  await Promise.all(Array.from({ length: options.clients }, client))
  const seconds = (performance.now() - start) / 1000
  agent.destroy()
  return { perSecond: times.length / seconds, p99Ms: percentile(times, 0.99) }
}

/**
 * Sends one request and resolves at the end of the response with the time of its first byte; rejects unless it is the
 * page.
 */
export async function firstByte(target: RequestTarget, agent: Agent | false): Promise<number> {
  const request = httpRequest({ ...target, agent }).end()
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  const at = performance.now()
  answer.resume()
  await once(answer, 'end')
  if (answer.statusCode !== 200) throw new Error(`${target.path} answered ${answer.statusCode}`)
  return at
}
