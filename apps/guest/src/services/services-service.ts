import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ServiceImpl } from '@connectrpc/connect'
import { waitAtMost } from '@threadbox/concurrency'
import type { services } from '@threadbox/protocol/guest'
import { listListeners } from './listeners.ts'
import type { OpenPort } from './open-ports.ts'
import type { KnownService, ServiceRegistry } from './service-registry.ts'

const keepAliveMs = 15_000
/**
 * How soon a port that an ordinary command opens is noticed: soon after a change, later when all is quiet, because each
 * check costs about a millisecond of the sandbox's processors.
 */
const portsPace = { firstMs: 1_000, lastMs: 5_000, growth: 1.5 }
const defaultReadyTimeoutMs = 60_000
const maxLogBytes = 1024 * 1024
/** Longest cut-off start of a UTF-8 character. */
const maxCutBytes = 3

/** The Services service of the guest protocol; `services.proto` states its contract. */
export function makeServicesService(dependencies: {
  registry: ServiceRegistry
  /** Throws `rescue.running` while memory is being discarded: from that point on nothing can be started. */
  rescues: { requireOpen(): void }
}): ServiceImpl<typeof services.Services> {
  const { registry, rescues } = dependencies
  return {
    startService: async ({ key, name, command, port, cwd, envs, readyTimeoutMs }) => {
      rescues.requireOpen()
      const timeout = readyTimeoutMs === 0 ? defaultReadyTimeoutMs : readyTimeoutMs
      const request = { key, name, command, port, cwd, envs, readyTimeoutMs: timeout }
      return { service: present(await registry.start(request)) }
    },
    stopService: async ({ name }) => {
      await registry.stop(name)
      return {}
    },
    removeService: async ({ name }) => {
      await registry.remove(name)
      return {}
    },
    watchServices: (_request, context) => watch(registry, context.signal),
    readServiceLog: ({ name, before, limit }) => {
      const part = registry.readLog({
        name,
        before: Number(before),
        limit: Math.min(limit || maxLogBytes, maxLogBytes),
      })
      const cut = part.offset > part.dropped ? cutBytes(part.data) : 0
      return {
        data: part.data.subarray(cut),
        offset: BigInt(part.offset + cut),
        size: BigInt(part.size),
        dropped: BigInt(part.dropped),
      }
    },
  }
}

/** Number of leading bytes that belong to a character that began before. */
function cutBytes(data: Buffer): number {
  let cut = 0
  while (cut < maxCutBytes && ((data[cut] ?? 0) & 0xc0) === 0x80) cut += 1
  return cut
}

type WatchEvent = Exclude<MessageInitShape<typeof services.WatchServicesResponseSchema>['event'], undefined>

async function* watch(registry: ServiceRegistry, signal: AbortSignal): AsyncGenerator<{ event: WatchEvent }> {
  let changed = Promise.withResolvers<void>()
  const stopListening = registry.onChange(() => changed.resolve())
  const ports = followOpenPorts(registry)
  let openPorts = ports.check() ?? []
  try {
    let told = performance.now()
    let waitMs = portsPace.firstMs
    yield snapshotOf(registry, openPorts)
    while (!signal.aborted) {
      const hasChanged = (await waitAtMost(waitMs, { work: changed.promise, signal })) !== 'late'
      if (hasChanged) changed = Promise.withResolvers<void>()
      const found = ports.check()
      const isQuiet = !hasChanged && found === undefined
      waitMs = isQuiet ? Math.min(portsPace.lastMs, waitMs * portsPace.growth) : portsPace.firstMs
      const isDue = performance.now() - told >= keepAliveMs
      openPorts = found ?? openPorts
      if (signal.aborted || (isQuiet && !isDue)) continue
      told = performance.now()
      yield isQuiet ? { event: { case: 'keepalive', value: {} } } : snapshotOf(registry, openPorts)
    }
  } finally {
    stopListening()
  }
}

/** Holders are looked up only if the open ports have changed. */
function followOpenPorts(registry: ServiceRegistry): { check(): OpenPort[] | undefined } {
  let seen: string | undefined
  return {
    check: () => {
      const now = listListeners()
        .map(({ port, inode }) => `${port} ${inode}`)
        .sort()
        .join('\n')
      if (now === seen) return undefined
      seen = now
      return registry.openPorts()
    },
  }
}

function snapshotOf(registry: ServiceRegistry, openPorts: OpenPort[]): { event: WatchEvent } {
  return { event: { case: 'snapshot', value: { services: registry.list().map(present), openPorts } } }
}

function present({ start, status, pid, lastLines }: KnownService) {
  const { key, name, port } = start
  return { key, name, port, pid, lastLines, ...status }
}
