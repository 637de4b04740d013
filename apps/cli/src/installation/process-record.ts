import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'

/** A process, distinguished from a later one with the same PID by its start time (clock ticks since boot). */
export type ProcessIdentity = { pid: number; startTime: string }

/** The identity of a running process; undefined if no process or only a zombie has this PID. */
export function identify(pid: number): ProcessIdentity | undefined {
  let stat: string
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return undefined
  }
  return parseStat(pid, stat)
}

/** The program name in the second field may contain spaces and parentheses, so fields are counted from its end. */
export function parseStat(pid: number, stat: string): ProcessIdentity | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, startTime] = [fields[0], fields[19]]
  if (startTime === undefined || state === 'Z' || state === 'X') return undefined
  return { pid, startTime }
}

export function isAlive(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.startTime === identity.startTime
}

/** The process that a record file names, if that same process is still running. */
export function readProcessRecord(path: string): ProcessIdentity | undefined {
  let value: unknown
  try {
    value = JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  const { pid, startTime } = value as { pid?: unknown; startTime?: unknown }
  if (typeof pid !== 'number' || typeof startTime !== 'string') return undefined
  return isAlive({ pid, startTime }) ? { pid, startTime } : undefined
}

/** Replaces the file atomically, so that a reader never sees half of it. */
export function writeProcessRecord(path: string, identity: ProcessIdentity): void {
  writeFileSync(`${path}.new`, `${JSON.stringify(identity)}\n`)
  renameSync(`${path}.new`, path)
}

export function removeProcessRecord(path: string): void {
  rmSync(path, { force: true })
}
