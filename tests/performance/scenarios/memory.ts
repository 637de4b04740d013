import { readFile } from 'node:fs/promises'
import { heldMemory } from '../cost/held-memory.ts'
import type { Figure } from '../figure.ts'
import type { Stage } from '../stage.ts'

export const MiB = 1024 * 1024

/** The cost of an idle installation, and what one awake sandbox adds. */
export async function memory(stage: Stage): Promise<Figure[]> {
  const server = watched('memory-server', 'Memory of the idle server (PSS)')
  const host = watched('memory-host', 'Memory of the idle host daemon (PSS)')
  const sandbox = watched('memory-sandbox', 'Memory of an awake, idle sandbox that can’t be reclaimed')
  server.samples.push((await pssBytes(stage.server.pid())) / MiB)
  host.samples.push((await pssBytes(stage.host.pid())) / MiB)
  for (let round = 0; round < 3; round++) {
    await stage.untilSparesWait()
    const before = await heldBytes(stage)
    const thread = await stage.newThread()
    await thread.say('/run true')
    await stage.untilSparesWait()
    sandbox.samples.push(((await heldBytes(stage)) - before) / MiB)
  }
  return [server, host, sandbox]
}

function watched(id: string, title: string): Figure {
  return { id, title, unit: 'MiB', samples: [], floorSamples: [], floorTitle: null, target: null }
}

async function heldBytes({ host }: Stage): Promise<number> {
  return [...(await heldMemory(host.installation)).values()].reduce((sum, size) => sum + size, 0)
}

/** In the hierarchy of processes: cgroup v1 has several. Empty if the process has ended. */
export async function cgroupOf(pid: number): Promise<string> {
  const lines = (await readFile(`/proc/${pid}/cgroup`, 'utf8').catch(() => '')).split('\n')
  const line = lines.find((one) => /^\d+:pids:/.test(one)) ?? lines.find((one) => one.startsWith('0::'))
  return line?.slice(line.lastIndexOf(':') + 1) ?? ''
}

/** Memory of a process, including its share of shared pages. */
export async function pssBytes(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
  return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) * 1024
}
