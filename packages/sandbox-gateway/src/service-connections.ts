import { Agent, type ClientRequest, type ClientRequestArgs } from 'node:http'
import type { Duplex } from 'node:stream'
import type { OpenBoot } from './admitted-boots.ts'
import { connectToService } from './service-connection.ts'

/**
 * How long an unused connection to a service is kept. Below the 5 s after which Node, and many others, close theirs, so
 * that few requests meet a connection that is just being closed; a keep-alive header of the service takes precedence.
 */
const idleMs = 4000
/** A page makes six connections; this is enough for a few that load at the same time. */
const maxIdle = 32
/** How long a service can ignore a new connection before unused ones are closed. */
const yieldAfterMs = 1000

/**
 * Connections of one boot to its services, reused one request after another: a new one costs more than a small
 * response. They go to the sandbox's address or through tunnels, whichever leads to the port. All end with the boot, so
 * that none outlives a pause.
 */
export class ServiceConnections extends Agent {
  readonly #boot: OpenBoot
  readonly yieldAfterMss: number

  constructor(boot: OpenBoot, times = { idleMs, yieldAfterMs }) {
    super({ keepAlive: true, maxFreeSockets: maxIdle, timeout: times.idleMs })
    this.#boot = boot
    this.yieldAfterMss = times.yieldAfterMs
    boot.ended.addEventListener('abort', () => this.destroy(), { once: true })
  }

  override createConnection(
    options: ClientRequestArgs,
    made?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    connectToService(this.#boot, Number(options.port)).then(
      (socket) => made?.(null, socket),
      (error: Error) => made?.(error, undefined as unknown as Duplex),
    )
  }

  /**
   * A service that serves one connection at a time never accepts a new one while it waits for more on another, so
   * unused ones are closed for as long as a new one waits for its first response.
   */
  yieldTo(request: ClientRequest, port: number): void {
    const timer = setInterval(() => this.#closeUnused(port), this.yieldAfterMss)
    for (const event of ['response', 'upgrade', 'close']) request.once(event, () => clearInterval(timer))
  }

  #closeUnused(port: number): void {
    for (const socket of this.freeSockets[this.getName({ host: this.#boot.address, port })] ?? []) socket.destroy()
  }
}
