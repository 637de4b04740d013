import { readFile } from 'node:fs/promises'

/** Processor time of all boots of an installation since its cgroup exists; undefined without one. */
export async function readSandboxSeconds(installation: string, mount = '/sys/fs/cgroup'): Promise<number | undefined> {
  const name = `threadbox-${installation}`
  const unified = await readText(`${mount}/${name}/cpu.stat`)
  const micros = /^usage_usec (\d+)$/m.exec(unified ?? '')?.[1]
  if (micros !== undefined) return Number(micros) / 1e6
  const nanos = await readText(`${mount}/cpuacct/${name}/cpuacct.usage`)
  return nanos === undefined ? undefined : Number(nanos) / 1e9
}

function readText(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined)
}
