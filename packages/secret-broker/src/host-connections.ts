import { Agent, type ClientRequestArgs } from 'node:http'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import type { Session } from './session.ts'

/** Among many connections, an idle one to a host is kept so long: each takes some 70 KiB. */
const idleWhenCrowdedMs = 1000

/**
 * The HTTP/1 connection to the host that belongs to one connection of the sandbox: one at a time, so that each client
 * sees what the host does with its connection. When the host closes it, the sandbox’s is closed too.
 */
export class HostConnections extends Agent {
  readonly #session: Session
  #active = 0
  #idle: NodeJS.Timeout | undefined

  constructor(session: Session) {
    super({ keepAlive: true, maxSockets: 1, maxFreeSockets: 1 })
    this.#session = session
    this.on('free', (socket: Duplex) => {
      if (session.isCrowded()) this.#idle = setTimeout(() => this.#closeIdle(socket), idleWhenCrowdedMs)
    })
  }

  /** Call for each request of the sandbox, and {@link end} after it. */
  begin(): void {
    clearTimeout(this.#idle)
    this.#active++
  }

  end(): void {
    this.#active--
  }

  override destroy(): void {
    clearTimeout(this.#idle)
    super.destroy()
  }

  override createConnection(
    _: ClientRequestArgs,
    made: (error: Error | null, socket: Duplex) => void,
  ): Duplex | null | undefined {
    const { target, connection, upstream, ended } = this.#session
    const { sandboxId } = connection
    const opening =
      this.#session.takeOpened('http/1.1') ??
      upstream.open(target, { sandboxId, protocols: ['http/1.1'], signal: ended })
    opening.then(
      (socket: TLSSocket) => {
        socket.once('close', this.#onClose)
        made(null, socket)
      },
      (error: Error) => (made as (error: Error) => void)(error),
    )
    return undefined
  }

  readonly #onClose = () => {
    if (this.#active === 0) this.#session.client.end()
  }

  /** The next request opens another. */
  #closeIdle(socket: Duplex): void {
    if (this.#active > 0) return
    socket.off('close', this.#onClose)
    socket.destroy()
  }
}
