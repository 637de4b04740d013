import { makeBackground } from '@threadbox/concurrency'
import type { SandboxLimits } from '@threadbox/domain'
import { isErrorOf } from '@threadbox/errors'
import type { BootEndCause, HostSandbox } from '@threadbox/protocol/host'
import { bootNotRunning, bootUnknown, canSaveMemory } from '@threadbox/sandbox-driver'
import type { Logger } from '@threadbox/telemetry'
import { sandboxEnded } from '../../machine/errors/orders.errors.ts'
import type { HostEvents } from '../../machine/events/host-events.ts'
import type { BootsStore, StoredBoot } from '../../machine/state/boots.store.ts'
import type { StoredSandbox } from '../../machine/state/sandboxes.store.ts'
import type { ActiveBoots } from '../launch/active-boots.ts'
import { greetGuest, type LaunchPorts, launchGuest, type WaitingBoot } from '../launch/launch.ts'

export type BootsPorts = {
  launch: LaunchPorts
  boots: BootsStore
  active: ActiveBoots
  events: HostEvents
  logger: Logger
  guestDirectory: string
  /** Aborted when this process ends: boots are released and keep running. */
  signal: AbortSignal
}

type StartOptions = {
  sandbox: StoredSandbox
  diskPath: string
  bootId: string
  hostname: string
  waiting: WaitingBoot | undefined
  /** Time of the snapshot that the disk was restored from because it was lost. */
  diskRestoredFrom: number | null
}

/**
 * The life of boots on this host: starts them, follows them to their end, finds them again after a restart of the
 * daemon.
 */
export type Boots = {
  /**
   * Starts a boot over a disk; returns when its guest is ready. Adopts the waiting boot if one exists and responds. If
   * it throws, nothing of the boot is left.
   */
  start(options: StartOptions): Promise<void>
  /** Resumes a boot of an earlier daemon. Returns false if it has ended since, which is now recorded. */
  adopt(options: { sandbox: StoredSandbox; boot: StoredBoot }): Promise<boolean>
  /** Opens the gateway to a running boot and follows it to its end. */
  serve(options: { sandbox: StoredSandbox; boot: StoredBoot }): Promise<void>
  /**
   * Closes the gateway to a boot, with `reason` for open requests, and returns when no connection into it is left. Its
   * end is still followed until `unfollow`.
   */
  silence(options: { boot: StoredBoot; reason: Error }): Promise<void>
  /** Stops following a paused boot: the end of its process is not the boot's end. */
  unfollow(bootId: string): void
  /** Ends a boot; returns when its end is recorded and nothing of it runs. */
  stop(boot: StoredBoot): Promise<void>
  /** Records the end of a boot; stops what still runs of it. */
  end(boot: StoredBoot, end: { cause: BootEndCause; detail: string }): Promise<void>
  /** New limits for a running boot. */
  setLimits(options: { sandbox: StoredSandbox; boot: StoredBoot; limits: SandboxLimits }): Promise<void>
  /**
   * Gives programs that a running boot starts from now on the environment of its sandbox’s policy, if it differs from
   * that of `before`. A guest that doesn’t respond keeps the earlier one until the next wake: what it reaches is not its
   * decision.
   */
  setEnvironment(options: { sandbox: StoredSandbox; boot: StoredBoot; before: HostSandbox['egress'] }): Promise<void>
  /** Resolves when every end that is being recorded is. After the signal that the daemon ends, no other is. */
  settled(): Promise<void>
}

type End = { cause: BootEndCause; detail: string }
const nothingLeft: End = { cause: 'unknown', detail: 'The sandbox was gone when the host checked.' }

/** A guest that was ready a moment ago and does not respond within this time will not. */
const adoptTimeoutMs = 3000
/** A change of the policy waits for it. */
const environmentTimeoutMs = 2000

export function makeBoots(ports: BootsPorts): Boots {
  const { boots, active, events, logger } = ports
  const { driver, clock } = ports.launch
  const follows = new Map<string, { done: Promise<void>; release: AbortController }>()

  // Each caller gets its own failure.
  const recordings = makeBackground<string>(() => undefined)
  const recordEnd = (boot: StoredBoot, end: End, options: { isAsleep?: boolean } = {}) => {
    const recording = writeEnd(boot, end, options)
    void recordings.keep(recording, boot.bootId)
    return recording
  }
  const writeEnd = async (boot: StoredBoot, { cause, detail }: End, { isAsleep = false }: { isAsleep?: boolean }) => {
    const { sandboxId, bootId } = boot
    const at = clock()
    await active.remove({ sandboxId, bootId, reason: sandboxEnded({ sandboxId, bootId, cause, detail }) })
    const end = { cause, detail, at }
    if (!(await (isAsleep ? boots.markEnded(bootId, end) : boots.markRunningEnded(boot, end)))) return
    await active.setRefusal(sandboxId, undefined)
    logger.info({ sandboxId, bootId, cause, detail }, 'boot ended')
    events.emit({ type: 'boot-ended', sandboxId, bootId, cause, detail, at })
  }
  const follow = (boot: StoredBoot) => {
    const { bootId, driverBootId } = boot
    const release = new AbortController()
    const signal = AbortSignal.any([ports.signal, release.signal])
    const followed = driver.waitForEnd(driverBootId, signal).then(
      async (status) => {
        // The next daemon finds it.
        if (status.state !== 'ended' || ports.signal.aborted) return
        await recordEnd(boot, status)
        await driver.forget(driverBootId)
      },
      async (error: unknown) => {
        if (isErrorOf(bootUnknown, error) && !ports.signal.aborted) return await recordEnd(boot, nothingLeft)
        if (!signal.aborted) logger.error({ err: error, bootId }, 'a boot cannot be followed')
      },
    )
    const entry = { release, done: followed.finally(() => follows.get(bootId) === entry && follows.delete(bootId)) }
    follows.set(bootId, entry)
  }
  const serve = async ({ sandbox, boot }: { sandbox: StoredSandbox; boot: StoredBoot }) => {
    const { bootId, sandboxId, startedAt, accessToken } = boot
    if (!follows.has(bootId)) follow(boot)
    await active.add({ bootId, sandboxId, startedAt, accessToken, address: sandbox.address })
  }
  return {
    start: async (options) => {
      const { sandbox, bootId } = options
      const { sandboxId } = sandbox
      const durations = (await adoptSpare(ports, options)) ?? (await startFresh(ports, options))
      const stored = await boots.find(bootId)
      if (stored !== undefined) await serve({ sandbox, boot: stored })
      logger.info({ sandboxId, bootId, ...durations }, 'boot ready')
      events.emit({ type: 'boot-ready', sandboxId, bootId, at: clock() })
    },
    adopt: async ({ sandbox, boot }) => {
      await thawRested(driver, boot)
      const status = await driver.inspect(boot.driverBootId)
      if (status?.state === 'running') {
        await serve({ sandbox, boot })
        return true
      }
      await recordEnd(boot, status ?? nothingLeft)
      await driver.forget(boot.driverBootId)
      return false
    },
    serve,
    silence: async ({ boot, reason }) => {
      await active.suspend({ sandboxId: boot.sandboxId, bootId: boot.bootId, reason })
    },
    unfollow: (bootId) => {
      follows.get(bootId)?.release.abort(new Error('the boot is paused'))
      follows.delete(bootId)
    },
    stop: async (boot) => {
      // A boot of an earlier daemon whose sandbox is being deleted was not adopted.
      if (!follows.has(boot.bootId)) follow(boot)
      await driver.stop(boot.driverBootId)
      await follows.get(boot.bootId)?.done
    },
    end: async (boot, end) => {
      await driver.stop(boot.driverBootId)
      await driver.forget(boot.driverBootId)
      await recordEnd(boot, end, { isAsleep: true })
    },
    setLimits: async ({ sandbox, boot, limits }) => {
      await driver.setLimits({ bootId: boot.driverBootId, limits })
      const signal = AbortSignal.timeout(ports.launch.readyTimeoutMs)
      await greetGuest(ports.launch, { ...boot, allocation: { ...sandbox, limits }, signal })
    },
    setEnvironment: (options) => setEnvironment(ports, options),
    settled: recordings.settled,
  }
}

async function setEnvironment(
  { launch, logger }: Pick<BootsPorts, 'launch' | 'logger'>,
  { sandbox, boot, before }: Parameters<Boots['setEnvironment']>[0],
): Promise<void> {
  const textFor = (egress: HostSandbox['egress']) => JSON.stringify(launch.guestEnvironment(egress))
  if (textFor(before) === textFor(sandbox.egress)) return
  const signal = AbortSignal.timeout(environmentTimeoutMs)
  await greetGuest(launch, { ...boot, allocation: sandbox, signal }).catch((error: unknown) =>
    logger.warn({ err: error, sandboxId: sandbox.sandboxId }, 'a sandbox keeps the environment of its earlier policy'),
  )
}

/** One that rested when its daemon ended continues. If it can’t, the driver has ended it. */
async function thawRested(driver: LaunchPorts['driver'], { driverBootId }: StoredBoot): Promise<void> {
  if (!canSaveMemory(driver) || !(await driver.mayBeFrozen(driverBootId))) return
  await driver.thaw(driverBootId).catch((error: unknown) => {
    if (!isErrorOf(bootNotRunning, error)) throw error
  })
}

async function startFresh(ports: BootsPorts, options: StartOptions): Promise<Record<string, number>> {
  const { sandbox, bootId, hostname, diskPath, diskRestoredFrom } = options
  const accessToken = ports.launch.randomBytes(32).toString('hex')
  const boot = { driverBootId: bootId, bootId, hostname, accessToken }
  await record(ports, { ...boot, sandboxId: sandbox.sandboxId, state: 'starting', diskRestoredFrom })
  try {
    const durations = await launchGuest(ports.launch, { ...boot, allocation: sandbox, diskPath })
    await ports.boots.markReady(bootId)
    return durations
  } catch (error) {
    await discard(ports, boot)
    throw error
  }
}

/** Returns undefined if no waiting boot exists, or it does not respond: then a fresh boot is started. */
async function adoptSpare(ports: BootsPorts, options: StartOptions): Promise<Record<string, number> | undefined> {
  const { sandbox, bootId, waiting } = options
  if (waiting === undefined) return undefined
  const startedAt = performance.now()
  const boot = { ...waiting, bootId }
  try {
    const signal = AbortSignal.timeout(adoptTimeoutMs)
    await greetGuest(ports.launch, { ...boot, allocation: sandbox, signal })
  } catch (error) {
    ports.logger.warn({ err: error, bootId }, 'a waiting sandbox did not answer; one is started instead')
    await ports.launch.driver.stop(waiting.driverBootId)
    await ports.launch.driver.forget(waiting.driverBootId)
    return undefined
  }
  // Recorded only now, in one write: if the daemon is killed before, the boot is in no record, and the next daemon
  // removes it.
  await record(ports, { ...boot, sandboxId: sandbox.sandboxId, state: 'ready', diskRestoredFrom: null })
  return { takenOverMs: Math.round(performance.now() - startedAt) }
}

async function record(ports: BootsPorts, boot: Omit<StoredBoot, `end${string}` | 'startedAt' | 'guestDirectory'>) {
  await ports.boots.insert({ ...boot, startedAt: ports.launch.clock(), guestDirectory: ports.guestDirectory })
}

async function discard(ports: BootsPorts, { driverBootId, bootId }: { driverBootId: string; bootId: string }) {
  await ports.launch.driver.stop(driverBootId)
  await ports.launch.driver.forget(driverBootId)
  await ports.boots.remove(bootId)
}
