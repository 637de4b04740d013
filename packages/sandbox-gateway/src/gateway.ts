import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { httpStatusOf, toWireError } from '@threadbox/errors'
import { bootMismatch, type GatewayEvent, sandboxNotRunning } from '@threadbox/protocol/gateway'
import { backgroundHeader, bootHeader, errorHeader } from '@threadbox/protocol/host'
import type { Logger } from '@threadbox/telemetry'
import type { AdmittedBoots, OpenBoot } from './admitted-boots.ts'
import { forwardRequest, forwardUpgrade } from './forward.ts'
import { portClosed, routeBlocked } from './gateway.errors.ts'
import { followsChanges, isHostOnly, isInsideOnly, runsPython, type Target, targetOf } from './target.logic.ts'

/**
 * The only way to a sandbox: every byte to and from its guest and its services passes here. Adds the access token,
 * blocks clients from the guest's host-only routes, records activity, and ends open streams when a boot ends.
 */
export type Gateway = {
  /** Handles the request if it is the gateway's; returns false otherwise. */
  handle(request: IncomingMessage, response: ServerResponse): boolean
  handleUpgrade(options: { request: IncomingMessage; socket: Duplex; head: Buffer }): boolean
}

/** Shortest time between two reports of the same kind of activity of a sandbox: idle time is counted in minutes. */
const activityEveryMs = 10_000

export function makeGateway(options: {
  boots: AdmittedBoots
  onUse: (event: Extract<GatewayEvent, { type: 'activity' | 'python-used' }>) => void
  logger: Logger
  clock: () => number
}): Gateway {
  const { boots, onUse, logger, clock } = options
  const toldAt = new WeakMap<AbortSignal, Map<string, number>>()
  const withPython = new WeakSet<AbortSignal>()

  const note = (boot: OpenBoot, target: Target) => {
    const at = clock()
    const reason = target.kind === 'port' ? 'request' : 'guest'
    const told = toldAt.get(boot.ended) ?? new Map<string, number>()
    if (at - (told.get(reason) ?? Number.NEGATIVE_INFINITY) < activityEveryMs) return
    toldAt.set(boot.ended, told.set(reason, at))
    const detail = target.kind === 'port' ? { detail: String(target.port) } : {}
    onUse({ type: 'activity', sandboxId: boot.sandboxId, bootId: boot.bootId, reason, ...detail, at })
  }
  const notePython = ({ ended, sandboxId }: OpenBoot, target: Target, headers: IncomingHttpHeaders) => {
    if (withPython.has(ended) || !runsPython(target, headers)) return
    withPython.add(ended)
    onUse({ type: 'python-used', sandboxId })
  }
  const admit = (request: IncomingMessage, target: Target) => {
    const { sandboxId } = target
    if (isHostOnly(target)) throw routeBlocked({ path: target.path })
    if (isInsideOnly(target)) throw portClosed({ port: target.port, reason: 'it is reserved by the sandbox.' })
    const boot = boots.find(sandboxId)
    if (boot === undefined) throw boots.refusal(sandboxId) ?? sandboxNotRunning({ sandboxId })
    const wanted = request.headers[bootHeader]
    if (typeof wanted === 'string' && wanted !== boot.bootId) {
      throw bootMismatch({ sandboxId, bootId: wanted, currentBootId: boot.bootId })
    }
    if (request.headers[backgroundHeader] === undefined) note(boot, target)
    notePython(boot, target, request.headers)
    return boot
  }
  const forward = async (options: { request: IncomingMessage; response: ServerResponse; target: Target }) => {
    const { request, response, target } = options
    const boot = admit(request, target)
    using _use = await boot.uses.begin({ followsChanges: followsChanges(target, request.headers) })
    await forwardRequest({ request, response, boot, target })
  }
  const upgrade = async (options: { request: IncomingMessage; socket: Duplex; head: Buffer; target: Target }) => {
    const { request, target } = options
    const boot = admit(request, target)
    using _use = await boot.uses.begin({ followsChanges: false })
    await forwardUpgrade({ ...options, boot })
  }
  return {
    handle: (request, response) => {
      const target = targetOf(request.url ?? '/')
      if (target === undefined) return false
      forward({ request, response, target }).catch((error: unknown) => {
        logger.debug({ err: error, target }, 'a request to a sandbox failed')
        refuse({ request, response, error })
      })
      return true
    },
    handleUpgrade: ({ request, socket, head }) => {
      const target = targetOf(request.url ?? '/')
      if (target === undefined) return false
      // An error of the socket also ends what is piped through it; without a listener it would end the process.
      socket.on('error', () => socket.destroy())
      upgrade({ request, socket, head, target }).catch((error: unknown) => {
        logger.debug({ err: error, target }, 'an upgrade to a sandbox failed')
        refuseUpgrade(socket, error)
      })
      return true
    },
  }
}

/** A client that has part of a response sees the connection break: an error in the middle would look like content. */
function refuse({ request, response, error }: { request: IncomingMessage; response: ServerResponse; error: unknown }) {
  if (response.headersSent) return void response.destroy()
  const wire = toWireError(error)
  response.writeHead(httpStatusOf(error), { 'content-type': 'application/json', [errorHeader]: wire.error.code })
  response.end(JSON.stringify(wire))
  // A client that is still sending would take a closed connection for its own failure.
  request.resume()
}

function refuseUpgrade(socket: Duplex, error: unknown): void {
  if (socket.destroyed) return
  const wire = toWireError(error)
  const body = JSON.stringify(wire)
  const code = `${errorHeader}: ${wire.error.code}\r\n`
  const head = `HTTP/1.1 ${httpStatusOf(error)} Refused\r\ncontent-type: application/json\r\nconnection: close\r\n`
  socket.end(`${head}${code}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}
