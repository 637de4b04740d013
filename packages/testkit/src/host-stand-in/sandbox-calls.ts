import { mkdir, rm } from 'node:fs/promises'
import type { Manifest, RescueReport } from '@threadbox/protocol/guest'
import type {
  BootEndCause,
  FileChanges,
  HostApi,
  HostEvent,
  HostInfo,
  HostMachine,
  HostSandbox,
} from '@threadbox/protocol/host'
import { errorOf, type Failure, stopped } from './answers.ts'
import { standInKey } from './sealing.ts'

/** Sandboxes as on a host, with plain directories as disks and nothing running. */
export type SandboxesStandIn = {
  sandboxes: Map<string, HostSandbox>
  starts: { sandboxId: string; bootId: string; hostname: string }[]
  deleted: string[]
  /** All orders about memory, in the order of arrival. */
  orders: { order: 'pause' | 'wake' | 'demote' | 'stop'; sandboxId: string; bootId: string }[]
  /** Boots whose pause was to be canceled. */
  abandoned: string[]
  /** What a wake resumes from. */
  wakesFrom: 'frozen' | 'memory'
  /** How many sandboxes can be awake: waking one more fails. */
  places: number
  /** What the pool holds besides what the stand-in knows of. */
  otherDiskBytes: number
  /** The guest’s manifest; changed between pause and wake to lose something. */
  manifest: Manifest
  /** What a demotion saves, and what the guest reports of it afterwards. */
  rescue: RescueReport
  fileChanges: FileChanges
  /** The key of the last manifest requested from the guest, by purpose. */
  hashKeys: { pause: string | undefined; look: string | undefined }
  /** The bytes of every archive of a sleeping sandbox. */
  archive(path: string, only: string): string | Uint8Array<ArrayBuffer>
  /** The path on this machine of a path in a sandbox. */
  pathOf(sandboxId: string, path: string): string
  emit(event: HostEvent): void
  endBoot(sandboxId: string, cause: BootEndCause): void
}

/** Throws `sandbox.not-found`. */
export function known(host: Pick<SandboxesStandIn, 'sandboxes'>, sandboxId: string): HostSandbox {
  const sandbox = host.sandboxes.get(sandboxId)
  if (sandbox === undefined) throw errorOf({ code: 'sandbox.not-found', kind: 'not-found', details: { sandboxId } })
  return sandbox
}

/** Returns the sandbox if this is its boot. Throws `sandbox.not-running`, `sandbox.other-boot`. */
function withBoot(host: SandboxesStandIn, { sandboxId, bootId }: { sandboxId: string; bootId: string }): HostSandbox {
  const sandbox = known(host, sandboxId)
  if (sandbox.bootId === null) throw errorOf({ code: 'sandbox.not-running', kind: 'conflict' })
  if (sandbox.bootId !== bootId) throw errorOf({ code: 'sandbox.other-boot', kind: 'conflict' })
  return sandbox
}

type SandboxCalls = Pick<
  HostApi,
  'info' | 'machine' | 'doctor' | 'shutdown' | 'list' | 'get' | 'ensure' | 'change' | 'delete' | 'start' | 'stop'
>

export function sandboxCalls(host: SandboxesStandIn): SandboxCalls {
  const keep = (sandbox: HostSandbox) => {
    host.sandboxes.set(sandbox.sandboxId, sandbox)
    return sandbox
  }
  return {
    info: async () => infoOf(host),
    machine: async ({ sandboxes: withSandboxes = false } = {}) => machineOf(host, withSandboxes),
    doctor: async () => ({ checks: [] }),
    shutdown: async () => {
      const running = [...host.sandboxes.values()].filter(({ bootId }) => bootId !== null)
      for (const { sandboxId } of running) host.endBoot(sandboxId, 'stopped')
      return { stopped: running.map(({ sandboxId }) => sandboxId), failed: [] }
    },
    list: async () => [...host.sandboxes.values()],
    get: async (sandboxId) => known(host, sandboxId),
    ensure: async (sandboxId, { limits, egress }) => {
      await mkdir(host.pathOf(sandboxId, '/home/user'), { recursive: true })
      return keep({ ...(host.sandboxes.get(sandboxId) ?? stopped(sandboxId)), limits, egress })
    },
    change: async (sandboxId, wanted) => {
      const sandbox = known(host, sandboxId)
      return keep({ ...sandbox, limits: wanted.limits ?? sandbox.limits, egress: wanted.egress ?? sandbox.egress })
    },
    delete: async (sandboxId) => {
      if (!host.sandboxes.delete(sandboxId)) return
      host.deleted.push(sandboxId)
      await rm(host.pathOf(sandboxId, '/'), { recursive: true, force: true })
    },
    start: async (sandboxId, { bootId }) => {
      const sandbox = known(host, sandboxId)
      if (sandbox.isArchived === true) throw errorOf({ code: 'sandbox.archived', kind: 'conflict' })
      if (sandbox.bootId === bootId && sandbox.actual === 'ready') return sandbox
      if (sandbox.bootId === bootId) throw errorOf({ code: 'sandbox.paused', kind: 'conflict' })
      if (sandbox.bootId !== null) throw errorOf({ code: 'sandbox.other-boot', kind: 'conflict' })
      refuseIfFull(host, sandbox)
      const at = Date.now()
      const ready = keep({ ...sandbox, actual: 'ready', bootId, bootStartedAt: at })
      host.emit({ type: 'boot-ready', sandboxId, bootId, at })
      return ready
    },
    stop: async (sandboxId, { bootId }) => {
      const sandbox = known(host, sandboxId)
      if (sandbox.bootId === null) return sandbox
      withBoot(host, { sandboxId, bootId })
      host.endBoot(sandboxId, 'stopped')
      return known(host, sandboxId)
    },
  }
}

type MemoryCalls = Pick<HostApi, 'pause' | 'abandonPause' | 'wake' | 'demote' | 'fileChanges'>

export function memoryCalls(host: SandboxesStandIn): MemoryCalls {
  const keep = (sandbox: HostSandbox) => {
    host.sandboxes.set(sandbox.sandboxId, sandbox)
    return sandbox
  }
  return {
    pause: async (sandboxId, { bootId, hashKey }) => {
      const sandbox = withBoot(host, { sandboxId, bootId })
      host.hashKeys.pause = hashKey
      const isFrozen = host.wakesFrom === 'frozen'
      const paused = sandbox.paused ?? { at: Date.now(), imageBytes: 64 * 1024 * 1024, isFrozen }
      const answer = { manifest: host.manifest, manifestProblem: '', stallMs: 5, durationMs: 10 }
      return { sandbox: keep({ ...sandbox, actual: 'paused', paused }), ...answer }
    },
    abandonPause: async (sandboxId, { bootId }) => {
      const sandbox = known(host, sandboxId)
      host.abandoned.push(bootId)
      return { wasUnderWay: sandbox.actual === 'ready' && sandbox.bootId === bootId }
    },
    wake: async (sandboxId, { bootId }) => {
      const sandbox = withBoot(host, { sandboxId, bootId })
      refuseIfFull(host, sandbox)
      const from = sandbox.actual === 'ready' ? ('awake' as const) : host.wakesFrom
      return { sandbox: keep({ ...sandbox, actual: 'ready', paused: null }), from, durationMs: 3 }
    },
    demote: async (sandboxId, { bootId }) => {
      const now = known(host, sandboxId)
      if (now.bootId === null && now.lastBootEnd?.bootId === bootId) {
        return { sandbox: now, rescue: null, problem: 'Its memory was already discarded.' }
      }
      const { actual } = withBoot(host, { sandboxId, bootId })
      if (actual !== 'paused') throw errorOf({ code: 'sandbox.not-paused', kind: 'conflict' })
      host.endBoot(sandboxId, 'stopped')
      return { sandbox: known(host, sandboxId), rescue: host.rescue, problem: '' }
    },
    fileChanges: async (sandboxId) => {
      known(host, sandboxId)
      return host.fileChanges
    },
  }
}

/** Unusable memory is discarded by the order that reports it. */
export function dropUnusable(host: SandboxesStandIn, options: { sandboxId: string; error: Failure }): void {
  if (options.error.code === 'sandbox.memory-unusable') host.endBoot(options.sandboxId, 'stopped')
}

function awakeIn({ sandboxes }: SandboxesStandIn): HostSandbox[] {
  return [...sandboxes.values()].filter(({ actual }) => actual === 'ready')
}

function refuseIfFull(host: SandboxesStandIn, { actual }: HostSandbox): void {
  if (actual === 'ready' || awakeIn(host).length < host.places) return
  throw errorOf({ code: 'host.no-memory', kind: 'exhausted' })
}

const GiB = 1024 ** 3

/** Each sandbox takes the same, so that a test can tell the sums. */
function machineOf(host: SandboxesStandIn, withSandboxes: boolean): HostMachine {
  const awake = awakeIn(host).length
  const sizes = [...host.sandboxes.values()].map(({ sandboxId, actual }) => ({
    sandboxId,
    memoryBytes: actual === 'ready' ? GiB / 4 : null,
    diskBytes: GiB / 2,
  }))
  const disksBytes = (sizes.length * GiB) / 2
  return {
    memory: {
      totalBytes: 24 * GiB,
      availableBytes: 20 * GiB - (awake * GiB) / 4,
      sandboxesBytes: (awake * GiB) / 4,
      frozenBytes: GiB,
      sparesBytes: GiB / 8,
      roomForBoots: Math.max(0, host.places - awake),
    },
    disk: {
      totalBytes: 100 * GiB,
      usedBytes: 9 * GiB + disksBytes + host.otherDiskBytes,
      disksBytes,
      snapshotsBytes: 0,
      memoryImagesBytes: 2 * GiB,
      imagesBytes: 6 * GiB,
      tablesBytes: GiB,
    },
    processor: { count: 4, busySeconds: Date.now() / 1000, sandboxSeconds: 10 },
    network: { receivedBytes: 3_000_000, sentBytes: 1_000_000 },
    versions: { driver: 'runsc release-20261110.0', guests: [{ name: 'guest', boots: awake }] },
    ...(withSandboxes ? { sandboxes: sizes } : {}),
  }
}

function infoOf(host: SandboxesStandIn): HostInfo {
  return {
    protocolVersion: 1,
    version: 'test',
    hostId: 'h-test',
    preparing: [],
    memoryTotalBytes: 1,
    memoryAvailableBytes: 1,
    poolTotalBytes: 1,
    poolUsedBytes: 1,
    awakeSandboxes: awakeIn(host).length,
    sealingKey: standInKey.publicKey,
  }
}
