import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { ThreadboxError } from '@threadbox/errors'
import type { Grant, GrantsEvent } from '@threadbox/protocol/egress'
import type { Logger } from '@threadbox/telemetry'
import type { Authority } from './authority.ts'
import { secretNotReady, secretNotUsableHere, secretWrongHost } from './broker.errors.ts'
import { type Exchange, type Exchanges, isAmong } from './exchanges.ts'
import { type InsertedHead, insertIntoHead } from './insertion.logic.ts'
import type { RequestHead } from './request-head.logic.ts'
import { echoReplacements } from './secret-forms.logic.ts'
import type { PreparedReplacements } from './stream-replacer.logic.ts'
import { hostOf, isKnownTo, type Target } from './target.logic.ts'
import type { Protocol, Upstream } from './upstream.ts'

/**
 * A request, with one secret that it used or was refused; without one, `secretId` is null. Never has a value, nor the
 * query of a path. `refused`: the code of the refusal.
 */
export type SecretUse = Omit<Extract<GrantsEvent, { type: 'used' }>, 'type'>

export type BrokerOptions = {
  authority: Authority
  /** Opens a TCP connection to the host for a sandbox; it decides which addresses are allowed. */
  connect(target: Target & { sandboxId: string }): Promise<Socket>
  /** PEM of the authorities that the machine trusts; without it, those that Node finds. */
  machineCertificates?: string
  /** PEM of further authorities. */
  extraCertificates?: string
  onUsed(use: SecretUse): void
  logger: Logger
  clock(): number
}

/** A connection of a sandbox to a name that has a secret. */
export type BrokeredConnection = Target & {
  /** Nothing was read from it, or what was read was put back. */
  socket: Socket
  sandboxId: string
  /** The grants of the sandbox as they are now; undefined while they are unknown. */
  grants(): readonly Grant[] | undefined
  /** Ends the connection. */
  signal: AbortSignal
}

/** What the requests of one connection share. */
export type Session = {
  target: Target
  connection: BrokeredConnection
  /** The sandbox’s side. */
  client: TLSSocket
  /** The TLS server name, which has to be the host’s. */
  serverName: string | undefined
  upstream: Upstream
  /** A connection to the host that was already opened, to find out its protocol; for one taker. */
  takeOpened(protocol: Protocol): Promise<TLSSocket> | undefined
  exchanges: Exchanges
  /** Many connections are open. */
  isCrowded(): boolean
  options: BrokerOptions
  /** Aborts with the connection. */
  ended: AbortSignal
}

/** A request that passed the gates which its head decides. */
export type OpenExchange = Exchange & {
  inserted: InsertedHead
  /** All grants of the sandbox when it began. */
  known: readonly Grant[]
  /** What is replaced in the response. `keepsLength`: with texts of the same length. */
  echo(options: { keepsLength: boolean }): PreparedReplacements
  /** It has to end: a grant was removed. */
  readonly isEnded: boolean
  /** Calls back when it has to end. */
  onEnd(callback: () => void): void
  /** Adds grants that the body uses. Throws if one was removed since the head was read. */
  use(grants: readonly Grant[]): void
  /** Reports the request, once. */
  report(result: { status: number } | { refused: ThreadboxError }): void
  /** Call when both sides are done. */
  close(): void
}

/** Decides a request by its head, and inserts values there. Throws the refusal. */
export function beginExchange(session: Session, head: RequestHead): OpenExchange {
  const { target, connection } = session
  if (session.serverName !== target.name) {
    throw secretWrongHost({ host: hostOf(target), asked: session.serverName ?? '' })
  }
  const known = connection.grants()
  if (known === undefined) throw secretNotReady({ host: hostOf(target) })
  const used = new Set<Grant>()
  let isReported = false
  const inserted = insertIntoHead(head, known, target)
  for (const grant of inserted.used) used.add(grant)
  const endings: (() => void)[] = []
  let isEnded = false
  const exchange: OpenExchange = {
    sandboxId: connection.sandboxId,
    get grants() {
      return [...used]
    },
    inserted,
    known,
    echo: ({ keepsLength }) => echoOf(session, known)[keepsLength ? 'sameLength' : 'exact'],
    get isEnded() {
      return isEnded
    },
    onEnd: (callback) => void endings.push(callback),
    use: (grants) => {
      const now = connection.grants() ?? []
      const gone = grants.find((grant) => !isAmong(grant, now))
      if (gone !== undefined) {
        const condition = 'the secret was removed while the body arrived'
        throw secretNotUsableHere({ secret: gone.name, host: hostOf(target), condition })
      }
      for (const grant of grants) used.add(grant)
    },
    report: (result) => {
      if (isReported) return
      isReported = true
      const isRefused = 'refused' in result
      const named = isRefused ? known.find(({ name }) => name === result.refused.details.secret) : undefined
      if (named !== undefined) used.add(named)
      const outcome = isRefused
        ? { status: null, refused: result.refused.code }
        : { status: result.status, refused: null }
      for (const grant of used.size > 0 ? used : [undefined]) reportUse(session, { grant, head, ...outcome })
    },
    end: () => {
      isEnded = true
      for (const callback of endings) callback()
    },
    close: () => session.exchanges.remove(exchange),
  }
  session.exchanges.add(exchange)
  return exchange
}

type Echo = { exact: PreparedReplacements; sameLength: PreparedReplacements }
const echoes = new WeakMap<readonly Grant[], Map<string, Echo>>()

/** What is replaced in responses of the host, kept for as long as the list of grants is: until they change. */
function echoOf({ target }: Session, known: readonly Grant[]): Echo {
  const ofHosts = echoes.get(known) ?? new Map<string, Echo>()
  echoes.set(known, ofHosts)
  const kept = ofHosts.get(target.name)
  if (kept !== undefined) return kept
  const subjects = known.filter((grant) => isKnownTo(grant, target))
  const echo = {
    exact: echoReplacements(subjects, { keepsLength: false }),
    sameLength: echoReplacements(subjects, { keepsLength: true }),
  }
  ofHosts.set(target.name, echo)
  return echo
}

/** Reports a request that was refused before any secret was used. */
export function reportRefusal(session: Session, { error, head }: { error: ThreadboxError; head: RequestHead }): void {
  const named = session.connection.grants()?.find(({ name }) => name === error.details.secret)
  reportUse(session, { grant: named, head, status: null, refused: error.code })
}

function reportUse(
  session: Session,
  use: { grant: Grant | undefined; head: RequestHead; status: number | null; refused: string | null },
): void {
  const { connection, target, options } = session
  options.onUsed({
    sandboxId: connection.sandboxId,
    secretId: use.grant?.secretId ?? null,
    host: hostOf(target),
    method: use.head.method,
    path: (use.head.path.split('?')[0] ?? '').slice(0, 2000),
    status: use.status,
    refused: use.refused,
    at: options.clock(),
  })
}
