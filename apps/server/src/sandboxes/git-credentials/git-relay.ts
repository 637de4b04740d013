import { lookup as lookUp } from 'node:dns'
import { Readable } from 'node:stream'
import { httpStatusOf, isThreadboxError } from '@threadbox/errors'
import { type GitAnswer, gitAnswerHeader, guestPaths } from '@threadbox/protocol/guest'
import type { Logger } from '@threadbox/telemetry'
import { Agent, type Dispatcher } from 'undici'
import type { AllowedAddresses } from '../../platform/outbound/addresses.models.ts'
import { guardedLookup } from '../../platform/outbound/guarded-fetch.ts'
import type { SecretBox } from '../../platform/secrets/secret-box.ts'
import type { HostClient } from '../host/host-client.ts'
import { asGitError, requireReachable } from './git-address.models.ts'
import {
  gitRepositoryMissing,
  gitRepositoryNotCovered,
  gitRequestRefused,
  gitServerFailed,
  gitTokenRefused,
} from './git-credentials.errors.ts'
import { type GitPermits, makeGitPermits } from './git-permits.ts'
import { makeGitPlaces } from './git-places.ts'
import {
  answerHeaders,
  type GitTarget,
  mediaTypeOf,
  redirectedTo,
  requestHeaders,
  requestTypeOf,
  serverPathOf,
  targetOf,
} from './git-target.models.ts'
import type { GitUses } from './git-uses.ts'
import type { UsableCredential, UsableCredentials } from './usable-credentials.ts'

/** A request of git inside a sandbox, whose answer git waits for. Every word of it is the sandbox's. */
export type WaitingRequest = {
  threadId: string
  sandbox: { sandboxId: string; bootId: string }
  id: string
  method: string
  target: string
  headers: Record<string, string>
  /** Ends with the boot of the sandbox. */
  signal: AbortSignal
}

/** Makes requests of git at their servers, with a token that the sandbox never sees. */
export type GitRelay = AsyncDisposable & {
  /** Resolves when git has its whole answer, or when either side has broken off. Rejects when git could not be told. */
  pass(waiting: WaitingRequest): Promise<void>
  /** What threads may use is another thing: ends what is under way with a credential that was taken back. */
  judgeAgain(): Promise<void>
}

export type GitRelayDependencies = {
  host: Pick<HostClient, 'guest'>
  usable: UsableCredentials
  /** Whose thread it is; undefined when it is gone. */
  ownerOf(threadId: string): Promise<string | undefined>
  secretBox: SecretBox
  allowed: AllowedAddresses
  uses: Pick<GitUses, 'record'>
  /** Something flows to or from the sandbox until the result is disposed of. */
  transferring(sandboxId: string): Disposable
  connectTimeoutMs: number
  /** How long neither side may send anything. */
  silenceMs: number
  logger: Logger
  /** Asks for the addresses of a name. */
  lookUp?: typeof lookUp
}

export function makeGitRelay(dependencies: GitRelayDependencies): GitRelay {
  const { allowed, silenceMs } = dependencies
  const dispatcher = new Agent({
    connect: {
      timeout: dependencies.connectTimeoutMs,
      lookup: guardedLookup(allowed, dependencies.lookUp ?? lookUp),
    },
    // Silence of both sides together is what is limited: a server may be silent while it is sent a large push.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 10_000,
    keepAliveMaxTimeout: 60_000,
  })
  const places = makeGitPlaces()
  const permits = makeGitPermits(dependencies.usable)
  return {
    pass: async (waiting) => {
      const { threadId, sandbox } = waiting
      using silence = makeSilence(silenceMs)
      const over = new AbortController()
      const signal = AbortSignal.any([waiting.signal, silence.signal, over.signal])
      let place: Disposable | undefined
      try {
        using _transfer = dependencies.transferring(sandbox.sandboxId)
        const personId = (await dependencies.ownerOf(threadId)) ?? ''
        // One that is refused takes nobody's place, however long its refusal is under way.
        place = places.take({ sandboxId: sandbox.sandboxId, personId })
        await relay({ ...dependencies, dispatcher, permits }, { ...waiting, signal, over, heard: silence.heard })
      } catch (error) {
        // The sandbox is gone, or went to sleep: nobody is there to be told.
        if (waiting.signal.aborted) return
        const inTime = { ...waiting, signal: AbortSignal.any([waiting.signal, AbortSignal.timeout(silenceMs)]) }
        const isSilent = silence.signal.aborted && !over.signal.aborted
        const cause = over.signal.aborted ? over.signal.reason : error
        await refuse(dependencies, inTime, explained(cause, { isSilent, silenceMs }))
      } finally {
        // A server that answered before git had sent all leaves the rest unread, and whoever reads it waiting for it.
        over.abort()
        place?.[Symbol.dispose]()
      }
    },
    judgeAgain: permits.judgeAgain,
    [Symbol.asyncDispose]: async () => await dispatcher.destroy(),
  }
}

type Relaying = WaitingRequest & { heard: () => void; over: AbortController }
type RelayParts = GitRelayDependencies & { dispatcher: Agent; permits: GitPermits }

async function relay(parts: RelayParts, waiting: Relaying): Promise<void> {
  const { threadId, over } = waiting
  const target = targetOf(waiting.method, waiting.target)
  if (target === undefined) throw gitRequestRefused({ problem: 'it is not a git request.' })
  if (!target.isAdvertisement && mediaType(waiting.headers['content-type']) !== requestTypeOf(target)) {
    throw gitRequestRefused({ problem: 'its content type is not one that git sends.' })
  }
  using permit = await parts.permits.judge({ threadId, target, over })
  const { credential, address } = permit
  if (credential === undefined) return await leaveToGit(parts, waiting, { target, address })
  requireReachable(credential.address, parts.allowed)
  const isPush = target.service === 'receive-pack'
  const use = { credential, target, threadId }
  if (isPush) await parts.uses.record(use)
  const response = await ask(parts, waiting, { target, credential })
  try {
    const answer = answerTo(response, { target, credential })
    if (!isPush && answer.status === 200) await parts.uses.record(use)
    await answerGit(parts, waiting, answer)
  } finally {
    response.body.on('error', () => undefined).destroy()
  }
}

/**
 * No credential is for this repository: git goes to its server by itself, as if there were none. Only the first request can
 * be sent elsewhere.
 */
async function leaveToGit(
  dependencies: Pick<GitRelayDependencies, 'host'>,
  waiting: WaitingRequest,
  { target, address }: { target: GitTarget; address: string | undefined },
): Promise<void> {
  if (address === undefined || !target.isAdvertisement) {
    throw gitRepositoryNotCovered({ repository: target.repository, host: target.site })
  }
  const location = `${address}${serverPathOf(target)}`
  await answerGit(dependencies, waiting, { status: 302, headers: { location, 'content-length': '0' } })
}

async function ask(
  { host, dispatcher, secretBox }: GitRelayDependencies & { dispatcher: Agent },
  waiting: Relaying,
  { target, credential }: { target: GitTarget; credential: UsableCredential },
): Promise<Dispatcher.ResponseData> {
  const { signal, heard } = waiting
  const login = Buffer.from(`${credential.username}:${secretBox.open(credential.sealedToken)}`).toString('base64')
  const { 'content-length': length, ...headers } = requestHeaders(waiting.headers)
  const sent = target.isAdvertisement
    ? undefined
    : await host.guest(waiting.sandbox, { method: 'GET', path: guestPaths.gitBody(waiting.id), signal })
  // It ends with the whole, also when nobody reads it any more.
  sent?.body.on('error', () => undefined)
  if (sent !== undefined && sent.statusCode !== 200) {
    throw new Error(`the guest answered with status ${sent.statusCode}`)
  }
  try {
    return await dispatcher.request({
      origin: credential.address,
      path: serverPathOf(target),
      method: target.isAdvertisement ? 'GET' : 'POST',
      headers: {
        ...headers,
        ...(sent === undefined || length === undefined ? {} : { 'content-length': length }),
        authorization: `Basic ${login}`,
      },
      ...(sent === undefined ? {} : { body: streamed(sent.body, heard) }),
      signal,
    })
  } catch (error) {
    if (isThreadboxError(error) || signal.aborted) throw error
    const problem = error instanceof Error ? withoutSecret(error.message, [login]) : 'it could not be reached.'
    throw gitServerFailed({ host: target.site, problem }, { cause: error })
  }
}

/** Throws what git is told instead. */
function answerTo(
  response: Dispatcher.ResponseData,
  { target, credential }: { target: GitTarget; credential: UsableCredential },
): GitAnswer & { body?: Readable } {
  const { statusCode: status, headers } = response
  const { site: host, repository } = target
  if (status === 200) {
    if (mediaType(headers['content-type']) !== mediaTypeOf(target)) {
      throw gitServerFailed({ host, problem: 'its response is not from a Git server.' })
    }
    return { status, headers: answerHeaders(headers), body: response.body }
  }
  if (status === 401 || status === 403) throw gitTokenRefused({ host, status })
  if (status === 404 || status === 410) throw gitRepositoryMissing({ host, repository })
  if (status >= 300 && status < 400) {
    const location = redirectedTo(target, { location: String(headers.location ?? ''), address: credential.address })
    if (location !== undefined) return { status: 302, headers: { location, 'content-length': '0' } }
    throw gitServerFailed({ host, problem: 'it redirects git to a different server, which this token isn’t for.' })
  }
  throw gitServerFailed({ host, problem: `it responded with HTTP status ${status}.` })
}

/** The whole answer, as it comes. Broken off here, it is broken off there. */
async function answerGit(
  { host }: Pick<GitRelayDependencies, 'host'>,
  waiting: WaitingRequest & { heard?: () => void },
  answer: GitAnswer & { body?: Readable },
): Promise<void> {
  const { status, headers, body } = answer
  const taken = await host.guest(waiting.sandbox, {
    method: 'POST',
    path: guestPaths.gitAnswer(waiting.id),
    headers: { [gitAnswerHeader]: JSON.stringify({ status, headers }) },
    ...(body === undefined ? {} : { body: streamed(body, waiting.heard ?? (() => undefined)) }),
    signal: waiting.signal,
  })
  await taken.body.dump()
}

/** git prints plain text that comes with a refusal. Nothing happens where it has given up, or has its answer already. */
async function refuse(
  dependencies: Pick<GitRelayDependencies, 'host' | 'logger'>,
  waiting: WaitingRequest,
  error: unknown,
): Promise<void> {
  const { logger } = dependencies
  const isOurs = isThreadboxError(error)
  if (!isOurs) logger.warn({ err: error, threadId: waiting.threadId }, 'request of git came to nothing')
  const text = isOurs ? `${error.message}\n${error.remedy}\n(${error.code})\n` : 'threadbox had an internal error.\n'
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'content-length': String(Buffer.byteLength(text)) }
  const status = httpStatusOf(error)
  const body = Readable.from([Buffer.from(text)])
  // With 401 git would ask its user for a name and a password.
  await answerGit(dependencies, waiting, { status: status === 401 ? 403 : status, headers, body })
}

function explained(error: unknown, { isSilent, silenceMs }: { isSilent: boolean; silenceMs: number }): unknown {
  if (!isSilent) return asGitError(error)
  const problem = `no data for ${Math.round(silenceMs / 1000)} seconds.`
  return gitServerFailed({ host: 'the Git server', problem }, { cause: error })
}

/** Aborts when nothing was heard for so long. */
function makeSilence(silenceMs: number): Disposable & { signal: AbortSignal; heard: () => void } {
  const silent = new AbortController()
  const timer = setTimeout(() => silent.abort(), silenceMs)
  return { signal: silent.signal, heard: () => void timer.refresh(), [Symbol.dispose]: () => clearTimeout(timer) }
}

/** Piece by piece, each when it is wanted. */
function streamed(body: Readable, heard: () => void): Readable {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for await (const piece of body) {
      heard()
      yield piece as Uint8Array
    }
  }
  return Readable.from(pieces(), { highWaterMark: 2 })
}

function mediaType(header: string | string[] | undefined): string {
  return (typeof header === 'string' ? (header.split(';')[0] ?? '') : '').trim().toLowerCase()
}

function withoutSecret(text: string, secrets: readonly string[]): string {
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, '[secret]'), text)
}
