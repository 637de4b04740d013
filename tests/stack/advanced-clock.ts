import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** A clock that tests advance instead of waiting, for a server and a host daemon. Sandboxes have the machine's. */
export type AdvancedClock = AsyncDisposable & {
  /** For both programs. */
  environment: Record<string, string>
  /** The time on it. */
  now(): number
  /** Moves it, and has the programs do what has become due. Also holds for those that are started later. */
  advance(byMs: number, programs: readonly { pid(): number }[]): Promise<void>
}

export async function makeAdvancedClock(): Promise<AdvancedClock> {
  const directory = await mkdtemp(path.join(tmpdir(), 'threadbox-clock-'))
  const file = path.join(directory, 'ahead')
  let aheadMs = 0
  await writeFile(file, String(aheadMs))
  return {
    environment: {
      THREADBOX_TEST_CLOCK: file,
      NODE_OPTIONS: `--import=${path.join(import.meta.dirname, 'advanced-clock.main.ts')}`,
    },
    now: () => Date.now() + aheadMs,
    advance: async (byMs, programs) => {
      aheadMs += byMs
      await writeFile(file, String(aheadMs))
      for (const program of programs) process.kill(program.pid(), 'SIGUSR2')
      // What they do then is asynchronous; whoever asks right away would see them as they were.
      await delay(50)
    },
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  }
}
