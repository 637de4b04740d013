import type { SandboxLimits } from '@threadbox/domain'
import { isThreadboxError } from '@threadbox/errors'
import type { GatewayApi } from '@threadbox/protocol/gateway'
import { type DiskDirectory, type GuestInit, guestInitSchema } from '@threadbox/protocol/guest'
import type { HostSandbox } from '@threadbox/protocol/host'
import type { BootRequest, SandboxDriver } from '@threadbox/sandbox-driver'
import { guestEndedEarly, guestSilent } from '../../machine/errors/orders.errors.ts'
import type { Attachments } from '../../machine/network/attachments.ts'
import type { BootFiles } from './boot-files.ts'
import type { GuestEnvironment } from './guest-environment.ts'
import { readTemplateDirectories } from './template-directories.ts'

export type LaunchPorts = {
  driver: SandboxDriver
  gateway: GatewayApi
  attachments: Attachments
  files: BootFiles
  clock: () => number
  randomBytes: (count: number) => Buffer
  /** Proxy and certificate settings. */
  guestEnvironment: GuestEnvironment
  readyTimeoutMs: number
  /** Returns where the guest came from; a template whose clone does not respond is discarded. */
  templates: { begin(request: BootRequest): Promise<GuestOrigin>; discard(limits: SandboxLimits): Promise<void> }
  /**
   * Starts of sandboxes, fresh and from memory. Each keeps a processor busy: many at the same time are all as slow as
   * the last. Waiting for a guest's response is not part of a turn.
   */
  inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>
}

/** Disk, network and files of a boot; they belong to a sandbox or to a spare. */
export type Allocation = { placeId: string; address: string; limits: SandboxLimits; egress: HostSandbox['egress'] }

/** A guest cloned from a template already listens: it responds within half a second on a busy machine. */
const clonedTimeoutMs = 10_000

export type GuestOrigin = NonNullable<GuestInit['origin']>

/** A boot that already runs on a sandbox's allocation and that no sandbox owns yet. */
export type WaitingBoot = { driverBootId: string; hostname: string; accessToken: string }

export type Launch = { driverBootId: string; bootId: string; hostname: string; accessToken: string }

/**
 * Starts a boot and waits until its guest has responded. Returns how long the parts took. If it throws, the driver can
 * still know the boot: the caller stops and forgets it.
 */
export async function launchGuest(
  ports: LaunchPorts,
  options: Launch & { allocation: Allocation; diskPath: string },
): Promise<Record<string, number>> {
  const { allocation, hostname, driverBootId } = options
  const { placeId, limits } = allocation
  const durations: Record<string, number> = {}
  const timed = async <Value>(name: string, work: Promise<Value>) => {
    const startedAt = performance.now()
    const value = await work
    durations[name] = Math.round(performance.now() - startedAt)
    return value
  }
  const { namespacePath, gatewayAddress } = await timed('networkMs', ports.attachments.obtain(allocation))
  const mounts = await ports.files.write({ sandboxId: placeId, hostname, gatewayAddress })
  const request = { bootId: driverBootId, sandboxId: placeId, hostname, rootPath: options.diskPath, mounts, limits }
  const begin = () => ports.templates.begin({ ...request, networkNamespacePath: namespacePath })
  const origin = await timed('driverMs', ports.inTurn(begin))
  try {
    const directories = origin === 'cloned' ? await readTemplateDirectories(options.diskPath) : []
    await timed('guestMs', awaitGuest(ports, { ...options, origin, directories }))
    return durations
  } catch (error) {
    if (origin !== 'cloned') throw error
    await ports.templates.discard(limits)
  }
  await ports.driver.stop(driverBootId)
  await ports.driver.forget(driverBootId)
  return await launchGuest(ports, options)
}

/** The handshake with a guest that already runs. */
export async function greetGuest(
  ports: LaunchPorts,
  options: Omit<Launch, 'driverBootId'> & {
    allocation: Pick<Allocation, 'address' | 'limits' | 'egress'>
    signal: AbortSignal
    origin?: GuestOrigin
    directories?: DiskDirectory[]
    presentedToken?: string | undefined
  },
): Promise<void> {
  const { allocation, bootId, hostname, accessToken, signal } = options
  const { memoryBytes, processes } = allocation.limits
  const init = guestInitSchema.parse({
    accessToken,
    timestampMs: ports.clock(),
    hostname,
    bootId,
    envVars: ports.guestEnvironment(allocation.egress),
    limits: { memoryBytes, processes },
    entropy: ports.randomBytes(32).toString('base64'),
    origin: options.origin ?? 'booted',
    directories: options.directories ?? [],
  })
  const { address } = allocation
  const { presentedToken } = options
  await ports.gateway.greet({ address, init, ...(presentedToken !== undefined && { presentedToken }) }, signal)
}

/** The handshake with a guest that is about to respond; stops as soon as its boot has ended. */
export async function awaitGuest(
  ports: LaunchPorts,
  options: Launch & {
    allocation: Allocation
    origin?: GuestOrigin
    directories?: DiskDirectory[]
    presentedToken?: string | undefined
  },
): Promise<void> {
  const { driverBootId, allocation } = options
  const sandboxId = allocation.placeId
  const settled = new AbortController()
  const attempt = new AbortController()
  const waitMs = options.origin === 'cloned' ? Math.min(clonedTimeoutMs, ports.readyTimeoutMs) : ports.readyTimeoutMs
  const timeout = setTimeout(() => attempt.abort(new Error('it did not answer')), waitMs)
  const ended = ports.driver.waitForEnd(driverBootId, settled.signal).then(
    (status) => attempt.abort(guestEndedEarly({ sandboxId, detail: status.state === 'ended' ? status.detail : '' })),
    () => undefined,
  )
  try {
    await greetGuest(ports, { ...options, signal: attempt.signal })
  } catch (error) {
    if (isThreadboxError(attempt.signal.reason)) throw attempt.signal.reason
    const reason = error instanceof Error ? error.message : String(error)
    throw guestSilent({ sandboxId, waitedMs: waitMs, reason }, { cause: error })
  } finally {
    clearTimeout(timeout)
    settled.abort()
    await ended
  }
}
