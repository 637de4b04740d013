import { readFile } from 'node:fs/promises'
import { waitAtMost } from '@threadbox/concurrency'
import type { ServingProcess } from '../../machine/programs/router-process.ts'
import { type Check, type Finding, findingWith } from './findings.ts'

const titles = { gateway: 'gateway to sandboxes', egress: 'relay for names and secrets', names: 'DNS for sandboxes' }
/** Restarting takes half a second, more on a busy machine. */
const respondsWithinMs = 3000

/** Each of these processes runs, responds, and has no right of the daemon that started it. */
export function processChecks(processes: readonly ServingProcess[]): Check[] {
  return processes.map((process) => ({
    id: `process-${process.name}`,
    title: titles[process.name],
    run: () => checkProcess(process),
  }))
}

async function checkProcess({ name, userId, pid: currentPid, respond }: ServingProcess): Promise<Finding> {
  let hasResponded = false
  const work = respond().then(() => {
    hasResponded = true
  })
  await waitAtMost(respondsWithinMs, { work: work.catch(() => undefined) })
  const pid = currentPid()
  if (pid === undefined) return findingWith('failed', 'process-missing', { name })
  if (!hasResponded) return findingWith('failed', 'process-silent', { name, pid })
  const [status, memory] = await Promise.all([read(pid, 'status'), read(pid, 'smaps_rollup')])
  const rights = findRights({ status, userId })
  if (rights.length > 0) return findingWith('failed', 'process-privileged', { pid, rights: rights.join(', ') })
  const kibibytes = Number(/^Pss:\s+(\d+) kB$/m.exec(memory)?.[1] ?? 0)
  return findingWith('ok', 'process-fine', { user: userId, memory: Math.round(kibibytes / 1024) })
}

async function read(pid: number, file: 'status' | 'smaps_rollup'): Promise<string> {
  return await readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')
}

/** What `/proc/PID/status` says that a process can do beyond its own user. */
export function findRights({ status, userId }: { status: string; userId: number }): string[] {
  const textOf = (field: string) => new RegExp(`^${field}:[ \\t]*(.*)$`, 'm').exec(status)?.[1]?.trim() ?? 'unknown'
  const capabilities = ['CapInh', 'CapPrm', 'CapEff', 'CapAmb'].filter((set) => !/^0+$/.test(textOf(set)))
  return [
    ...(textOf('Uid')
      .split(/\s+/)
      .every((id) => id === String(userId))
      ? []
      : [`user ${textOf('Uid')}`]),
    ...(textOf('Groups') === '' ? [] : [`groups ${textOf('Groups')}`]),
    ...capabilities.map((set) => `${set} ${textOf(set)}`),
    ...(textOf('NoNewPrivs') === '1' ? [] : [`NoNewPrivs ${textOf('NoNewPrivs')}`]),
  ]
}
