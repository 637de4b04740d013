import type { SandboxLimits } from '@threadbox/domain'
import { isErrorOf, isThreadboxError } from '@threadbox/errors'
import type { BootEndCause } from '@threadbox/protocol/host'
import { bootUnknown, type SandboxDriver } from '@threadbox/sandbox-driver'
import type { Logger } from '@threadbox/telemetry'
import type { HostEvents } from '../events/host-events.ts'
import type { Attachments } from '../network/attachments.ts'
import { guestEndedEarly, guestSilent, sandboxEnded } from '../orders/orders.errors.ts'
import type { BootsStore, StoredBoot } from '../state/boots.store.ts'
import type { StoredSandbox } from '../state/sandboxes.store.ts'
import type { ActiveBoots } from './active-boots.ts'
import type { BootFiles } from './boot-files.ts'
import { initGuest } from './guest-client.ts'

export type BootsParts = {
  driver: SandboxDriver
  attachments: Attachments
  boots: BootsStore
  files: BootFiles
  active: ActiveBoots
  events: HostEvents
  logger: Logger
  clock: () => number
  randomBytes: (count: number) => Buffer
  guestDirectory: string
  /** Environment of everything that the guest starts: proxy and certificate settings. */
  guestEnvironment: Record<string, string>
  readyTimeoutMs: number
  /** Aborted when this process ends: boots are let go of, they run on. */
  signal: AbortSignal
}

/** The life of boots on this host: started, followed to their end, found again after a restart of the daemon. */
export type Boots = {
  /** Starts a boot over a disk; returns when its guest is ready. When it throws, nothing of the boot is left. */
  start(options: { sandbox: StoredSandbox; diskPath: string; bootId: string; hostname: string }): Promise<void>
  /** Takes up a boot of an earlier daemon. False: it has ended meanwhile, and that is recorded now. */
  adopt(options: { sandbox: StoredSandbox; boot: StoredBoot }): Promise<boolean>
  /** Ends a boot; returns when its end is recorded and nothing of it runs. */
  stop(options: { sandboxId: string; bootId: string }): Promise<void>
  /** New limits for a running boot. */
  setLimits(options: { sandbox: StoredSandbox; boot: StoredBoot; limits: SandboxLimits }): Promise<void>
}

type End = { cause: BootEndCause; detail: string }
const nothingLeft: End = { cause: 'unknown', detail: 'Nothing of the sandbox was left when the host looked for it.' }

export function makeBoots(parts: BootsParts): Boots {
  const { driver, boots, active, events, clock, logger } = parts
  const follows = new Map<string, Promise<void>>()

  const recordEnd = async ({ sandboxId, bootId, end }: { sandboxId: string; bootId: string; end: End }) => {
    const at = clock()
    active.remove({ sandboxId, bootId, reason: sandboxEnded({ sandboxId, bootId, ...end }) })
    if (!(await boots.markEnded(bootId, { ...end, at }))) return
    logger.info({ sandboxId, bootId, ...end }, 'boot ended')
    events.emit({ type: 'boot-ended', sandboxId, bootId, ...end, at })
  }
  const follow = ({ sandboxId, bootId }: { sandboxId: string; bootId: string }) => {
    const followed = driver.waitForEnd(bootId, parts.signal).then(
      async (status) => {
        if (status.state !== 'ended') return
        await recordEnd({ sandboxId, bootId, end: { cause: status.cause, detail: status.detail } })
        await driver.forget(bootId)
      },
      async (error: unknown) => {
        if (isErrorOf(bootUnknown, error)) return await recordEnd({ sandboxId, bootId, end: nothingLeft })
        if (!parts.signal.aborted) logger.error({ error, sandboxId, bootId }, 'a boot cannot be followed')
      },
    )
    follows.set(
      bootId,
      followed.finally(() => follows.delete(bootId)),
    )
  }
  const serve = ({ sandbox, boot }: { sandbox: StoredSandbox; boot: StoredBoot }) => {
    const { bootId, sandboxId, startedAt, accessToken } = boot
    active.add({ bootId, sandboxId, startedAt, accessToken, address: sandbox.address })
    follow({ sandboxId, bootId })
  }
  return {
    start: async ({ sandbox, diskPath, bootId, hostname }) => {
      const { sandboxId } = sandbox
      const accessToken = parts.randomBytes(32).toString('hex')
      const { guestDirectory } = parts
      await boots.insert({ bootId, sandboxId, startedAt: clock(), hostname, guestDirectory, accessToken })
      const durations = new Map<string, number>()
      try {
        await boot(parts, { sandbox, diskPath, bootId, hostname, accessToken, durations })
      } catch (error) {
        await driver.stop(bootId)
        await driver.forget(bootId)
        await boots.remove(bootId)
        throw error
      }
      await boots.markReady(bootId)
      const stored = await boots.find(bootId)
      if (stored !== undefined) serve({ sandbox, boot: stored })
      logger.info({ sandboxId, bootId, ...Object.fromEntries(durations) }, 'boot ready')
      events.emit({ type: 'boot-ready', sandboxId, bootId, at: clock() })
    },
    adopt: async ({ sandbox, boot: stored }) => {
      const { bootId, sandboxId } = stored
      const status = await driver.inspect(bootId)
      if (status?.state === 'running') {
        serve({ sandbox, boot: stored })
        return true
      }
      const end: End = status ?? nothingLeft
      await recordEnd({ sandboxId, bootId, end: { cause: end.cause, detail: end.detail } })
      await driver.forget(bootId)
      return false
    },
    stop: async ({ sandboxId, bootId }) => {
      // A boot of an earlier daemon whose sandbox is being deleted was not adopted.
      if (!follows.has(bootId)) follow({ sandboxId, bootId })
      await driver.stop(bootId)
      await follows.get(bootId)
    },
    setLimits: async ({ sandbox, boot: stored, limits }) => {
      await driver.setLimits({ bootId: stored.bootId, limits })
      await initGuest({
        address: sandbox.address,
        init: handshake(parts, { ...stored, limits }),
        signal: AbortSignal.timeout(parts.readyTimeoutMs),
      })
    },
  }
}

async function boot(
  parts: BootsParts,
  options: {
    sandbox: StoredSandbox
    diskPath: string
    bootId: string
    hostname: string
    accessToken: string
    durations: Map<string, number>
  },
): Promise<void> {
  const { sandbox, bootId, hostname, accessToken, durations } = options
  const timed = async <Value>(name: string, work: Promise<Value>) => {
    const startedAt = performance.now()
    return await work.finally(() => durations.set(name, Math.round(performance.now() - startedAt)))
  }
  const { sandboxId, limits } = sandbox
  const attachment = await timed('networkMs', parts.attachments.obtain(sandbox))
  const mounts = await parts.files.write({ sandboxId, hostname, gatewayAddress: attachment.gatewayAddress })
  const { namespacePath } = attachment
  const request = { bootId, sandboxId, hostname, rootPath: options.diskPath, mounts, limits }
  await timed('driverMs', parts.driver.start({ ...request, networkNamespacePath: namespacePath }))
  await timed('guestMs', awaitGuest(parts, { sandbox, bootId, hostname, accessToken }))
}

async function awaitGuest(
  parts: BootsParts,
  options: { sandbox: StoredSandbox; bootId: string; hostname: string; accessToken: string },
): Promise<void> {
  const { sandbox, bootId } = options
  const { sandboxId } = sandbox
  const settled = new AbortController()
  const giveUp = new AbortController()
  const timeout = setTimeout(() => giveUp.abort(new Error('it did not answer')), parts.readyTimeoutMs)
  const ended = parts.driver.waitForEnd(bootId, settled.signal).then(
    (status) => giveUp.abort(guestEndedEarly({ sandboxId, detail: status.state === 'ended' ? status.detail : '' })),
    () => undefined,
  )
  try {
    await initGuest({
      address: sandbox.address,
      init: handshake(parts, { ...options, limits: sandbox.limits }),
      signal: giveUp.signal,
    })
  } catch (error) {
    if (isThreadboxError(giveUp.signal.reason)) throw giveUp.signal.reason
    const reason = error instanceof Error ? error.message : String(error)
    throw guestSilent({ sandboxId, waitedMs: parts.readyTimeoutMs, reason }, { cause: error })
  } finally {
    clearTimeout(timeout)
    settled.abort()
    await ended
  }
}

function handshake(
  parts: BootsParts,
  options: { bootId: string; hostname: string; accessToken: string; limits: SandboxLimits },
) {
  const { bootId, hostname, accessToken, limits } = options
  return {
    accessToken,
    timestampMs: parts.clock(),
    hostname,
    bootId,
    envVars: parts.guestEnvironment,
    limits: { memoryBytes: limits.memoryBytes, processes: limits.processes },
    entropy: parts.randomBytes(32).toString('base64'),
  }
}
