import { execFile } from 'node:child_process'
import { readdir, readFile, stat } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { findTestMachine } from '@threadbox/testkit'

const run = promisify(execFile)

/** What figures depend on, besides the product. */
export type Machine = {
  kernel: string
  processors: string
  memoryGib: number
  /** Of the kernel’s groups, in which limits and accounting are. */
  cgroups: 'v1' | 'v2'
  runsc: string
  /** Programs beside runsc that a release of it has, and that make starts faster. */
  runscHelpers: string[]
}

export async function describeMachine(): Promise<Machine> {
  const { runscPath } = await findTestMachine()
  const { stdout } = await run(runscPath, ['--version'])
  const isUnified = await stat('/sys/fs/cgroup/cgroup.controllers').then(
    () => true,
    () => false,
  )
  const beside = path.join(path.dirname(runscPath), 'gvisor-bin')
  const [processor] = os.cpus()
  return {
    kernel: (await readFile('/proc/sys/kernel/osrelease', 'utf8')).trim(),
    processors: `${os.cpus().length} × ${processor?.model ?? 'unknown'}`,
    memoryGib: Math.round(os.totalmem() / 2 ** 30),
    cgroups: isUnified ? 'v2' : 'v1',
    runsc: stdout.split('\n')[0]?.replace(/^runsc version /, '') ?? '',
    runscHelpers: await readdir(beside).catch(() => []),
  }
}

export function describe({ kernel, processors, memoryGib, cgroups, runsc, runscHelpers }: Machine): string {
  const helpers = runscHelpers.length === 0 ? 'no helper programs' : `helpers: ${runscHelpers.join(', ')}`
  return `${processors}, ${memoryGib} GiB; Linux ${kernel}, cgroup ${cgroups}; runsc ${runsc}, ${helpers}`
}
