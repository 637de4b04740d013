import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** Counts the programs that a program starts. */
export type StartedPrograms = AsyncDisposable & {
  /** For each program that is counted. */
  environment: Record<string, string>
  /** How many the process has started so far. */
  count(pid: number): Promise<number>
}

export async function countStartedPrograms(): Promise<StartedPrograms> {
  const directory = await mkdtemp(path.join(tmpdir(), 'threadbox-starts-'))
  const file = path.join(directory, 'starts')
  return {
    environment: {
      THREADBOX_TEST_STARTS: file,
      NODE_OPTIONS: `--import=${path.join(import.meta.dirname, 'started-programs.main.ts')}`,
    },
    count: async (pid) =>
      await stat(`${file}.${pid}`).then(
        ({ size }) => size,
        // Nothing was started yet.
        () => 0,
      ),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  }
}
