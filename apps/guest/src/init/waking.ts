import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '@threadbox/telemetry'
import type { GuestSettings } from '../ground/guest-state.ts'
import { freshRandom, mixEntropy } from '../ground/random.ts'
import type { Context } from '../kernels/context.ts'
import type { Kernel } from '../kernels/kernel.ts'
import { correctDirectories } from './directories.ts'

/** A wake waits this long for a kernel; one that computes without a break is asked again until it responds. */
const reseedMs = 1_000
const entropyBytes = 32

export type Handshake = { settings: GuestSettings; isFirst: boolean; connection: Socket }

/**
 * Puts things right after each handshake, depending on how this incarnation came to be: closes connections of a host
 * that has gone, reseeds generators that others have copies of, and reads a disk that is new to this process.
 */
export function makeWaking(dependencies: {
  contexts(): Context[]
  /** The disk is not the one that this process knew. */
  diskChanged(options: { isFirst: boolean }): void
  /** Allows starts (again). */
  reopen(): void
  closeConnectionsExcept(connection: Socket): void
  /** Those that another sandbox was given. */
  forgetVariables(): void
  logger: Logger
}): (handshake: Handshake) => Promise<void> {
  return async ({ settings, isFirst, connection }) => {
    const { origin } = settings
    mixEntropy(settings.entropy)
    dependencies.reopen()
    if (origin === 'cloned' || origin === 'forked') dependencies.forgetVariables()
    if (isFirst || origin === 'cloned') dependencies.diskChanged({ isFirst })
    if (origin !== 'booted') dependencies.closeConnectionsExcept(connection)
    await correctDirectories(settings.directories, dependencies.logger)
    if (origin !== 'cloned' && origin !== 'forked') return
    const kernels = dependencies.contexts().flatMap((context) => context.kernel() ?? [])
    await Promise.all(kernels.map((kernel) => reseed(kernel, dependencies.logger)))
  }
}

async function reseed(kernel: Kernel, logger: Logger) {
  const entropy = freshRandom(entropyBytes)
  const ask = () => kernel.ask({ operation: 'reseed', entropy, timeoutMs: reseedMs })
  try {
    await ask()
  } catch (error) {
    logger.warn({ err: error, pid: kernel.pid }, 'kernel not reseeded yet')
    void retry(kernel, ask)
  }
}

async function retry(kernel: Kernel, ask: () => Promise<unknown>) {
  while (kernel.isAlive()) {
    await delay(reseedMs)
    const isDone = await ask().then(
      () => true,
      () => false,
    )
    if (isDone) return
  }
}
