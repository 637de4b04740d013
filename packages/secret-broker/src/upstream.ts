import type { Socket } from 'node:net'
import {
  createSecureContext,
  getCACertificates,
  rootCertificates,
  type SecureContext,
  type TLSSocket,
  connect as tlsConnect,
} from 'node:tls'
import type { ThreadboxError } from '@threadbox/errors'
import { ciphers } from './authority.ts'
import { secretHostUnreachable, secretNotUsableHere } from './broker.errors.ts'
import { hostOf, type Target } from './target.logic.ts'

export type Protocol = 'h2' | 'http/1.1'

/** Opens verified TLS connections to hosts. */
export type Upstream = {
  /** Rejects with an error for the sandbox: unreachable, or not verified. */
  open(target: Target, options: OpenOptions): Promise<TLSSocket>
  /** Which protocol the host chose lately; undefined if unknown. */
  protocolOf(target: Target): Protocol | undefined
}

/** `sandboxId`: for whose connection. */
export type OpenOptions = { sandboxId: string; protocols: readonly Protocol[]; signal: AbortSignal }

export type UpstreamOptions = {
  connect(target: Target & { sandboxId: string }): Promise<Socket>
  /** PEM of the authorities that the machine trusts; without it, those that Node finds. */
  machineCertificates?: string | undefined
  /** PEM of further authorities. */
  extraCertificates?: string | undefined
  clock(): number
}

/** A host has so long to finish the TLS handshake. */
const handshakeTimeoutMs = 10_000
/** So long a host is expected to speak the protocol that it last chose. */
const protocolKnownMs = 10 * 60_000
const maxKnownProtocols = 1000
/** Errors of a connection that was made. Others concern the certificate. */
const connectionErrors = /^(E[A-Z]+|UND_.*|ERR_SSL_.*|ERR_SOCKET_.*|ERR_STREAM_.*)$/

export function makeUpstream(options: UpstreamOptions): Upstream {
  let context: SecureContext | undefined
  const protocols = new Map<string, { protocol: Protocol; until: number }>()
  const remember = (target: Target, protocol: Protocol) => {
    const key = hostOf(target)
    protocols.delete(key)
    protocols.set(key, { protocol, until: options.clock() + protocolKnownMs })
    if (protocols.size > maxKnownProtocols) protocols.delete(protocols.keys().next().value ?? key)
  }
  return {
    protocolOf: (target) => {
      const known = protocols.get(hostOf(target))
      return known === undefined || known.until < options.clock() ? undefined : known.protocol
    },
    open: async (target, { sandboxId, protocols: offered, signal }) => {
      context ??= createSecureContext({ ca: authoritiesOf(options), ciphers, minVersion: 'TLSv1.2' })
      const socket = await options.connect({ ...target, sandboxId }).catch((error: unknown) => {
        throw unreachable(target, error)
      })
      const secured = await handshake({ target, socket, secureContext: context, offered, signal })
      if (offered.includes('h2')) remember(target, secured.alpnProtocol === 'h2' ? 'h2' : 'http/1.1')
      return secured
    },
  }
}

async function handshake(options: {
  target: Target
  socket: Socket
  secureContext: SecureContext
  offered: readonly Protocol[]
  signal: AbortSignal
}): Promise<TLSSocket> {
  const { target, socket, signal } = options
  const made = Promise.withResolvers<TLSSocket>()
  socket.setNoDelay(true)
  socket.on('error', () => undefined)
  const secured = tlsConnect({
    socket,
    servername: target.name,
    secureContext: options.secureContext,
    ALPNProtocols: [...options.offered],
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
  })
  const end = () => secured.destroy(new Error('ended'))
  const timer = setTimeout(() => secured.destroy(new Error('it did not finish the TLS handshake')), handshakeTimeoutMs)
  if (signal.aborted) end()
  signal.addEventListener('abort', end)
  secured.once('secureConnect', () => made.resolve(secured))
  // Stays attached: later errors are those of the requests on the connection.
  secured.on('error', (error) => made.reject(failureOf(target, error)))
  secured.once('close', () => {
    made.reject(unreachable(target, new Error('it closed the connection')))
    signal.removeEventListener('abort', end)
  })
  try {
    return await made.promise
  } finally {
    clearTimeout(timer)
  }
}

/** Gate 4: what is not verified never gets a secret. */
function failureOf(target: Target, error: Error & { code?: string }): ThreadboxError {
  if (error.code === undefined || connectionErrors.test(error.code)) return unreachable(target, error)
  const condition = `the certificate of the host could not be verified (${error.code})`
  return secretNotUsableHere({ secret: null, host: hostOf(target), condition }, { cause: error })
}

/** The error for a host that doesn’t respond, or not as HTTP. Names only the code, never text of the host. */
export function unreachable(target: Target, error: unknown): ThreadboxError {
  const { code } = error as { code?: unknown }
  const reason = typeof code === 'string' ? code : 'the connection could not be made, or was closed'
  return secretHostUnreachable({ host: hostOf(target), reason }, { cause: error })
}

function authoritiesOf({ machineCertificates, extraCertificates }: UpstreamOptions): string[] {
  const system = machineCertificates === undefined ? getCACertificates('system') : [machineCertificates]
  const trusted = system.length > 0 ? system : [...rootCertificates]
  return extraCertificates === undefined ? trusted : [...trusted, extraCertificates]
}
