import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** Measures how long a program is busy without a turn for anything else. */
export type BusyTime = AsyncDisposable & {
  /** For each program that is measured. */
  environment: Record<string, string>
  /** Begins to measure a program that runs. The result returns the longest such time since then, in milliseconds of its processor. */
  watch(pid: number): Promise<() => Promise<number>>
}

export async function makeBusyTime(): Promise<BusyTime> {
  const directory = await mkdtemp(path.join(tmpdir(), 'threadbox-busy-'))
  const file = path.join(directory, 'busy')
  const timesOf = async (pid: number) => {
    const text = await readFile(`${file}.${pid}`, 'utf8').catch(() => '')
    return text.split('\n').filter(Boolean).map(Number)
  }
  return {
    environment: {
      THREADBOX_TEST_BUSY: file,
      NODE_OPTIONS: `--import=${path.join(import.meta.dirname, 'busy-time.main.ts')}`,
    },
    watch: async (pid) => {
      const { length } = await timesOf(pid)
      return async () => Math.max(0, ...(await timesOf(pid)).slice(length))
    },
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  }
}
