import type { IncomingMessage } from 'node:http'
import { json, text } from 'node:stream/consumers'
import type { RescueReport } from '@threadbox/protocol/guest'
import type { CleanedSandbox, HostSandbox, PreservedMemory } from '@threadbox/protocol/host'
import { stopped, wireError } from './host-answers.test-utils.ts'

export type Failure = { status: number; code: string; kind: string; details?: Record<string, string> }

/** Copies of sandboxes as a host makes them, without disks. */
export type EnvironmentsStandIn = {
  failForks: Failure[]
  /** Orders to clean, answers of the next ones, and what is answered otherwise. */
  cleans: { secrets?: string[]; redact?: { path: string; rule: string }[] }[]
  failCleans: Failure[]
  /** Cleaning lasts until this is resolved. */
  cleaning: Promise<void>
  cleaned: CleanedSandbox
  /** What disks that are sent are; what was received, by sandbox; answers of the next orders to receive. */
  disk: string
  received: Map<string, string>
  failReceives: Failure[]
  /** Orders to keep memory, failures of the next ones, and what becomes of memory. */
  preserves: { bootId: string; secrets?: string[]; redact?: { path: string; rule: string }[] }[]
  failPreserves: Failure[]
  preserved: PreservedMemory
}

type ForkedStandIn = { sandboxes: Map<string, HostSandbox>; loseAnswer: (order: string) => boolean }

export function noEnvironmentsYet(): EnvironmentsStandIn {
  const preserving = { preserves: [], failPreserves: [], preserved: { kept: true, bytes: 4096 } as const }
  const cleaning = { cleans: [], failCleans: [], cleaning: Promise.resolve(), cleaned: nothingCleaned() }
  const moving = { disk: 'the disk', received: new Map<string, string>(), failReceives: [] }
  return { failForks: [], ...cleaning, ...preserving, ...moving }
}

/** A disk on which nothing had to be taken away. */
export function nothingCleaned(): CleanedSandbox {
  const none = { files: 0, bytes: 0 }
  return {
    removed: [],
    redacted: [],
    findings: [],
    furtherFindings: 0,
    amounts: { home: none, packages: none, variables: none, system: none },
  }
}

/** A copy of a sandbox with memory runs; one of a sandbox at rest does not. */
export async function answerFork(
  host: EnvironmentsStandIn & ForkedStandIn,
  exchange: { request: IncomingMessage; sandboxId: string; sendJson: (body: unknown, status?: number) => void },
): Promise<void> {
  const { sandboxId, sendJson } = exchange
  const { bootId, limits, source } = (await json(exchange.request)) as {
    bootId: string
    limits: HostSandbox['limits']
    source: { sandboxId: string }
  }
  const failure = host.failForks.shift()
  if (failure !== undefined) return sendJson(wireError(failure.code, failure.kind), failure.status)
  const from = host.sandboxes.get(source.sandboxId)
  if (from === undefined) return sendJson(wireError('sandbox.not-found', 'not-found'), 404)
  const made = { ...stopped(sandboxId), limits }
  const running = { ...made, actual: 'ready' as const, bootId, bootStartedAt: Date.now() }
  const sandbox = from.bootId === null ? made : running
  host.sandboxes.set(sandboxId, sandbox)
  if (host.loseAnswer('fork')) return sendJson(wireError('host.busy', 'unavailable'), 503)
  sendJson({ sandbox, from: from.bootId === null ? 'disk' : 'memory', problem: '', stallMs: 1, durationMs: 2 })
}

/** Takes a disk as it is. One that breaks off leaves nothing. */
export async function receiveDisk(
  host: EnvironmentsStandIn & ForkedStandIn,
  exchange: {
    request: IncomingMessage
    sandboxId: string
    url: URL
    sendJson: (body: unknown, status?: number) => void
  },
): Promise<void> {
  const { request, sandboxId, url, sendJson } = exchange
  const { limits } = JSON.parse(url.searchParams.get('order') ?? '') as { limits: HostSandbox['limits'] }
  const bytes = await text(request).catch(() => undefined)
  if (bytes === undefined) return
  const failure = host.failReceives.shift()
  if (failure !== undefined) return sendJson(wireError(failure.code, failure.kind, failure.details), failure.status)
  host.received.set(sandboxId, bytes)
  host.sandboxes.set(sandboxId, { ...stopped(sandboxId), limits })
  if (host.loseAnswer('receive')) return sendJson(wireError('host.busy', 'unavailable'), 503)
  sendJson(host.sandboxes.get(sandboxId))
}

/** Only a disk in which nothing runs is cleaned. */
export async function answerClean(
  host: EnvironmentsStandIn,
  order: { request: IncomingMessage; sandbox: HostSandbox; sendJson: (body: unknown, status?: number) => void },
): Promise<void> {
  host.cleans.push((await json(order.request)) as EnvironmentsStandIn['cleans'][number])
  await host.cleaning
  const failure = order.sandbox.bootId === null ? host.failCleans.shift() : environmentInUse
  if (failure !== undefined) return order.sendJson(wireError(failure.code, failure.kind), failure.status)
  order.sendJson(host.cleaned)
}

/** Memory that is kept is that of a sandbox that sleeps; otherwise nothing of it is left. */
export async function answerPreserve(
  host: EnvironmentsStandIn & ForkedStandIn & { rescue: RescueReport },
  order: { request: IncomingMessage; sandbox: HostSandbox; sendJson: (body: unknown, status?: number) => void },
): Promise<void> {
  const { sandbox, sendJson } = order
  host.preserves.push((await json(order.request)) as EnvironmentsStandIn['preserves'][number])
  const failure = sandbox.bootId === null ? environmentInUse : host.failPreserves.shift()
  if (failure !== undefined) return sendJson(wireError(failure.code, failure.kind), failure.status)
  const { preserved: memory, cleaned, rescue } = host
  const asleep = { ...sandbox, actual: 'paused' as const, paused: { at: 1, imageBytes: 4096, isFrozen: false } }
  const { sandboxId, limits } = sandbox
  host.sandboxes.set(sandboxId, memory.kept ? asleep : { ...stopped(sandboxId), limits })
  sendJson({ cleaned, rescue: sandbox.actual === 'paused' ? null : rescue, memory })
}

const environmentInUse: Failure = { status: 409, code: 'environment.in-use', kind: 'conflict' }
