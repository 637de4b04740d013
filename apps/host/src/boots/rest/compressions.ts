import { canSaveMemory, type SandboxDriver } from '@threadbox/sandbox-driver'
import type { Logger } from '@threadbox/telemetry'
import { type BackgroundWork, overdueAfterMs } from '../../machine/programs/background-work.ts'

/** A boot that is frozen since then; undefined: not yet. */
export type Frozen = { driverBootId: string; frozenAt: number | undefined }

/**
 * Has the memory of boots compressed that have been frozen for long. One after another, when the machine has nothing better to do;
 * a boot that is to continue doesn’t wait for it.
 */
export type Compressions = {
  /** Begins, if it is time and has not begun. */
  consider(frozen: Frozen): void
  /** Resolves when nothing works on the boot’s memory, and nothing will. */
  cancel(frozen: Frozen): Promise<void>
}

type Compression = { canceled: AbortController; running: Promise<void> | undefined }

export function makeCompressions(ports: {
  driver: SandboxDriver
  background: Pick<BackgroundWork, 'moment' | 'inTurn'>
  /** How long a boot is frozen before; 0: no memory is compressed. */
  afterMs: number
  logger: Logger
  clock: () => number
  signal: AbortSignal
}): Compressions {
  const { driver, background, afterMs, logger, clock, signal } = ports
  const known = new WeakMap<Frozen, Compression>()
  const compress = async ({ driverBootId }: Frozen, compression: Compression) => {
    const { canceled } = compression
    await background.moment(overdueAfterMs)
    await background.inTurn(async () => {
      if (canceled.signal.aborted || !canSaveMemory(driver)) return
      const until = AbortSignal.any([canceled.signal, signal])
      compression.running = driver.compress({ bootId: driverBootId, signal: until })
      await compression.running
    })
  }
  return {
    consider: (frozen) => {
      if (afterMs === 0 || known.has(frozen) || frozen.frozenAt === undefined) return
      if (clock() - frozen.frozenAt < afterMs) return
      const compression: Compression = { canceled: new AbortController(), running: undefined }
      known.set(frozen, compression)
      compress(frozen, compression).catch((error: unknown) => {
        logger.warn({ err: error, ...frozen }, 'memory of an idle sandbox could not be compressed')
      })
    },
    cancel: async (frozen) => {
      const compression = known.get(frozen) ?? { canceled: new AbortController(), running: undefined }
      known.set(frozen, compression)
      compression.canceled.abort()
      await compression.running?.catch(() => undefined)
    },
  }
}
