import { once } from 'node:events'
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { percentile } from './figure.ts'

/** A page, as a browser asks for it. */
export type Asked = { host: string; port: number; path: string; headers: Record<string, string> }

/** Requests per second, and how long the slowest hundredth of them took. */
export type Load = { perSecond: number; p99Ms: number }

/** Asks for the same page over and over, as that many clients that each wait for their answer. */
export async function loadOf(asked: Asked, options: { requests: number; clients: number }): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: options.clients })
  const times: number[] = []
  let left = options.requests
  const client = async () => {
    while (left-- > 0) {
      const start = performance.now()
      await firstByte(asked, agent)
      times.push(performance.now() - start)
    }
  }
  const start = performance.now()
  await Promise.all(Array.from({ length: options.clients }, client))
  const seconds = (performance.now() - start) / 1000
  agent.destroy()
  return { perSecond: times.length / seconds, p99Ms: percentile(times, 0.99) }
}

/** Asks once and resolves at the end of the answer with the moment of its first byte; rejects unless it is the page. */
export async function firstByte(asked: Asked, agent: Agent | false): Promise<number> {
  const request = httpRequest({ ...asked, agent }).end()
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  const at = performance.now()
  answer.resume()
  await once(answer, 'end')
  if (answer.statusCode !== 200) throw new Error(`${asked.path} answered ${answer.statusCode}`)
  return at
}
