import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { vi } from 'vitest'

/** A clock that tests advance instead of waiting, for a server and a host daemon. Sandboxes use the machine’s. */
export type AdvancedClock = AsyncDisposable & {
  /** For both programs. */
  environment: Record<string, string>
  /** For a host daemon that decides whether a sandbox works: it does no work in the skipped time. */
  hostEnvironment: Record<string, string>
  /** The clock’s current time. */
  now(): number
  /** Advances it, and has the programs do what has become due. Also applies to programs started later. */
  advance(byMs: number, programs: readonly { pid(): number }[]): Promise<void>
  /** Advances ten seconds in each second until `check` no longer throws, for up to ten minutes of this clock. */
  advanceUntil(check: () => Promise<void>, programs: readonly { pid(): number }[]): Promise<void>
}

export async function makeAdvancedClock(): Promise<AdvancedClock> {
  const directory = await mkdtemp(path.join(tmpdir(), 'threadbox-clock-'))
  const file = path.join(directory, 'ahead')
  let aheadMs = 0
  await writeFile(file, String(aheadMs))
  const environment = {
    THREADBOX_TEST_CLOCK: file,
    NODE_OPTIONS: `--import=${path.join(import.meta.dirname, 'advanced-clock.main.ts')}`,
  }
  const advance: AdvancedClock['advance'] = async (byMs, programs) => {
    aheadMs += byMs
    await writeFile(file, String(aheadMs))
    for (const program of programs) process.kill(program.pid(), 'SIGUSR2')
    // Their work is asynchronous; a caller that checked immediately would see the state before it.
    await delay(50)
  }
  return {
    environment,
    hostEnvironment: { ...environment, THREADBOX_ACTIVE_CPU_SHARE: '0.02' },
    now: () => Date.now() + aheadMs,
    advance,
    advanceUntil: (check, programs) =>
      vi.waitFor(
        async () => {
          await advance(9_000, programs)
          await check()
        },
        { timeout: 60_000, interval: 1_000 },
      ),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  }
}
