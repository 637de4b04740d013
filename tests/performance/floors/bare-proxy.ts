import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import process from 'node:process'

/**
 * The least that any preview in front of a sandbox does: accepts a request, forwards it over a kept connection, and
 * pipes the response back. No hostname, no pass, no sandbox that can sleep. A separate process, as the product’s are.
 */
export async function startBareProxy(service: {
  host: string
  port: number
}): Promise<AsyncDisposable & { port: number }> {
  const child = fork(import.meta.filename, [service.host, String(service.port)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const [port] = (await once(child, 'message')) as [number]
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit')
      child.kill()
      await ended
    },
  }
}

if (process.argv[1] === import.meta.filename) {
  const [host = '', port = ''] = process.argv.slice(2)
  const agent = new Agent({ keepAlive: true })
  const server = createServer((request, response) => {
    const upstream = httpRequest({ host, port, agent, method: request.method ?? 'GET', path: request.url ?? '/' })
    upstream.once('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    upstream.once('error', () => response.destroy())
    request.pipe(upstream)
  }).listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
}
