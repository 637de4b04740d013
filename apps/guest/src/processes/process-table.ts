import { readdirSync, readFileSync } from 'node:fs'

/** One process as `/proc` shows it. Pid and start time together identify it; a pid alone can be reused. */
export type ProcessEntry = {
  pid: number
  name: string
  state: string
  parent: number
  group: number
  session: number
  cpuTicks: number
  startTicks: number
  residentBytes: number
  threads: number
}

const pageBytes = 4096

/** Every process of the sandbox. Leaves out a process that ends while it is being read. */
export function listProcesses(): ProcessEntry[] {
  return listPids().flatMap((pid) => readProcess(pid) ?? [])
}

/** The same pids without reading the processes, which costs many times as much. */
export function listPids(): number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger)
}

export function readProcess(pid: number): ProcessEntry | undefined {
  const text = readText(`/proc/${pid}/stat`)
  // The name is in parentheses and can contain anything, so the fields after it are counted from the last one.
  const match = /^\d+ \((.*)\) (.*)$/s.exec(text ?? '')
  if (match === null) return undefined
  const fields = (match[2] ?? '').split(' ')
  const number = (index: number) => Number(fields[index] ?? 0)
  return {
    pid,
    name: match[1] ?? '',
    state: fields[0] ?? '',
    parent: number(1),
    group: number(2),
    session: number(3),
    cpuTicks: number(11) + number(12),
    threads: number(17),
    startTicks: number(19),
    residentBytes: number(21) * pageBytes,
  }
}

/** Returns a variable from the environment that the process was started with. */
export function readInitialVariable(pid: number, name: string): string | undefined {
  const assignment = readText(`/proc/${pid}/environ`)
    ?.split('\0')
    .find((entry) => entry.startsWith(`${name}=`))
  return assignment?.slice(name.length + 1)
}

/** Returns the user that a process counts for in its limits; undefined if it has ended. */
export function realUser(pid: number): number | undefined {
  const uid = /^Uid:\s+(\d+)/m.exec(readText(`/proc/${pid}/status`) ?? '')?.[1]
  return uid === undefined ? undefined : Number(uid)
}

export function commandLine(pid: number): string {
  return (readText(`/proc/${pid}/cmdline`) ?? '').split('\0').join(' ').trim()
}

export function isZombie(process: ProcessEntry): boolean {
  return process.state === 'Z' || process.state === 'X'
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
