import { lookup as lookUp } from 'node:dns'
import { Readable } from 'node:stream'
import { httpStatusOf, isThreadboxError } from '@threadbox/errors'
import { type GitAnswer, gitAnswerHeader, guestPaths } from '@threadbox/protocol/guest'
import type { Logger } from '@threadbox/telemetry'
import { Agent, type Dispatcher } from 'undici'
import type { AllowedAddresses } from '../../platform/outbound/addresses.logic.ts'
import { guardedLookup } from '../../platform/outbound/guarded-fetch.ts'
import type { SecretBox } from '../../platform/secrets/secret-box.ts'
import type { HostClient } from '../host/host-client.ts'
import { asGitError, requireReachable } from './git-address.logic.ts'
import {
  gitRepositoryMissing,
  gitRepositoryNotCovered,
  gitRequestRefused,
  gitServerFailed,
  gitTokenRefused,
} from './git-credentials.errors.ts'
import { type GitPermits, makeGitPermits } from './git-permits.ts'
import { makeGitRequestLimiter } from './git-places.ts'
import {
  answerHeaders,
  type GitTarget,
  mediaTypeOf,
  redirectedTo,
  requestHeaders,
  requestTypeOf,
  serverPathOf,
  targetOf,
} from './git-target.logic.ts'
import type { GitUses } from './git-uses.ts'
import type { UsableCredential, UsableCredentials } from './usable-credentials.ts'

/** A git request inside a sandbox that git waits for. Every field in it comes from the sandbox. */
export type WaitingRequest = {
  threadId: string
  sandbox: { sandboxId: string; bootId: string }
  id: string
  method: string
  target: string
  headers: Record<string, string>
  /** Aborts when the boot of the sandbox ends. */
  signal: AbortSignal
}

/** Makes git requests at their servers, with a token that the sandbox never sees. */
export type GitRelay = AsyncDisposable & {
  /** Resolves when git has the whole response, or when either side has broken off. Rejects if git could not get one. */
  pass(waiting: WaitingRequest): Promise<void>
  /** Call it after a change to grants or credentials. Ends requests whose credential is no longer allowed. */
  recheck(): Promise<void>
}

export type GitRelayDependencies = {
  host: Pick<HostClient, 'guest'>
  usable: UsableCredentials
  /** The owner of the thread; undefined if the thread is gone. */
  ownerOf(threadId: string): Promise<string | undefined>
  secretBox: SecretBox
  allowed: AllowedAddresses
  uses: Pick<GitUses, 'record'>
  /** Marks a transfer to or from the sandbox as in progress until the result is disposed of. */
  transferring(sandboxId: string): Disposable
  connectTimeoutMs: number
  /** Longest time without data from either side. */
  silenceMs: number
  logger: Logger
  /** Resolves a name to its addresses. */
  lookUp?: typeof lookUp
}

export function makeGitRelay(dependencies: GitRelayDependencies): GitRelay {
  const { allowed, silenceMs } = dependencies
  const dispatcher = new Agent({
    connect: {
      timeout: dependencies.connectTimeoutMs,
      lookup: guardedLookup(allowed, dependencies.lookUp ?? lookUp),
    },
    // The limit is on silence of both sides together: a server can be silent while it receives a large push.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 10_000,
    keepAliveMaxTimeout: 60_000,
  })
  const places = makeGitRequestLimiter()
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
        // A refused request does not count against the limits, however long its refusal takes.
        place = places.take({ sandboxId: sandbox.sandboxId, personId })
        await relay({ ...dependencies, dispatcher, permits }, { ...waiting, signal, over, heard: silence.heard })
      } catch (error) {
        // The sandbox is gone or asleep: there is no git left to respond to.
        if (waiting.signal.aborted) return
        const inTime = { ...waiting, signal: AbortSignal.any([waiting.signal, AbortSignal.timeout(silenceMs)]) }
        const isSilent = silence.signal.aborted && !over.signal.aborted
        const cause = over.signal.aborted ? over.signal.reason : error
        await refuse(dependencies, inTime, explained(cause, { isSilent, silenceMs }))
      } finally {
        // A server that responded before git had sent everything leaves the rest unread. The abort ends that stream,
        // too.
        over.abort()
        place?.[Symbol.dispose]()
      }
    },
    recheck: permits.recheck,
    [Symbol.asyncDispose]: async () => await dispatcher.destroy(),
  }
}

type Relaying = WaitingRequest & { heard: () => void; over: AbortController }
type RelayDependencies = GitRelayDependencies & { dispatcher: Agent; permits: GitPermits }

async function relay(dependencies: RelayDependencies, waiting: Relaying): Promise<void> {
  const { threadId, over } = waiting
  const target = targetOf(waiting.method, waiting.target)
  if (target === undefined) throw gitRequestRefused({ problem: 'it is not a git request.' })
  if (!target.isAdvertisement && mediaType(waiting.headers['content-type']) !== requestTypeOf(target)) {
    throw gitRequestRefused({ problem: 'its content type is not one that git sends.' })
  }
  using permit = await dependencies.permits.acquire({ threadId, target, over })
  const { credential, address } = permit
  if (credential === undefined) return await leaveToGit(dependencies, waiting, { target, address })
  requireReachable(credential.address, dependencies.allowed)
  const isPush = target.service === 'receive-pack'
  const use = { credential, target, threadId }
  if (isPush) await dependencies.uses.record(use)
  const response = await ask(dependencies, waiting, { target, credential })
  try {
    const answer = answerTo(response, { target, credential })
    if (!isPush && answer.status === 200) await dependencies.uses.record(use)
    await answerGit(dependencies, waiting, answer)
  } finally {
    response.body.on('error', () => undefined).destroy()
  }
}

/**
 * No credential covers this repository: redirects git to the server itself, as if there were no credentials. Only git’s
 * first request can be redirected.
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
  // A stream that breaks when it is no longer read must not raise an unhandled error.
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

/** Throws the error that git gets instead. */
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

/** Streams the response to the guest. If it breaks off here, it breaks off at the guest. */
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

/** Sends the error as plain text, which git prints. Does nothing if git has ended or already has a response. */
async function refuse(
  dependencies: Pick<GitRelayDependencies, 'host' | 'logger'>,
  waiting: WaitingRequest,
  error: unknown,
): Promise<void> {
  const { logger } = dependencies
  const isKnownError = isThreadboxError(error)
  if (!isKnownError) logger.warn({ err: error, threadId: waiting.threadId }, 'a git request failed')
  const text = isKnownError
    ? `${error.message}\n${error.remedy}\n(${error.code})\n`
    : 'threadbox had an internal error.\n'
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'content-length': String(Buffer.byteLength(text)) }
  const status = httpStatusOf(error)
  const body = Readable.from([Buffer.from(text)])
  // With 401, git would ask for a name and a password.
  await answerGit(dependencies, waiting, { status: status === 401 ? 403 : status, headers, body })
}

function explained(error: unknown, { isSilent, silenceMs }: { isSilent: boolean; silenceMs: number }): unknown {
  if (!isSilent) return asGitError(error)
  const problem = `no data for ${Math.round(silenceMs / 1000)} seconds.`
  return gitServerFailed({ host: 'the Git server', problem }, { cause: error })
}

/** Aborts after `silenceMs` without a call of `heard`. */
function makeSilence(silenceMs: number): Disposable & { signal: AbortSignal; heard: () => void } {
  const silent = new AbortController()
  const timer = setTimeout(() => silent.abort(), silenceMs)
  return { signal: silent.signal, heard: () => void timer.refresh(), [Symbol.dispose]: () => clearTimeout(timer) }
}

/** Passes the body on piece by piece, each when the reader wants it. */
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
