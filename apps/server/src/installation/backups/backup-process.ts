import { readFile } from 'node:fs/promises'
import type { BackupStatus } from './backup-status.ts'

/** When the kernel started a process; undefined: there is none. Tells a process from a later one with its number. */
export async function startTimeOf(pid: number): Promise<string | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The name of the program, in parentheses, can have spaces.
  const [state, ...fields] = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return state === 'Z' ? undefined : fields[18]
}

/** `interrupted`: it ended without a word, such as when the machine lost power. */
export async function backupProgramState(
  program: BackupStatus['program'],
): Promise<'none' | 'running' | 'interrupted'> {
  if (program === null) return 'none'
  const startTime = await startTimeOf(program.pid)
  return startTime !== undefined && startTime === program.startTime ? 'running' : 'interrupted'
}
