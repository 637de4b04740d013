import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** Counts the programs that a program starts. */
export type StartedPrograms = AsyncDisposable & {
  /** For each program that is counted. */
  environment: Record<string, string>
  /** How many the process has started so far. */
  count(pid: number): Promise<number>
  /** Their command lines, in order. */
  list(pid: number): Promise<string[]>
}

export async function countStartedPrograms(): Promise<StartedPrograms> {
  const directory = await mkdtemp(path.join(tmpdir(), 'threadbox-starts-'))
  const file = path.join(directory, 'starts')
  const list = async (pid: number) => {
    // Nothing was started yet.
    const text = await readFile(`${file}.${pid}`, 'utf8').catch(() => '')
    return text.split('\n').slice(0, -1)
  }
  return {
    environment: {
      THREADBOX_TEST_STARTS: file,
      NODE_OPTIONS: `--import=${path.join(import.meta.dirname, 'started-programs.main.ts')}`,
    },
    count: async (pid) => (await list(pid)).length,
    list,
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  }
}
