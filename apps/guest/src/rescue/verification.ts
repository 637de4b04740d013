import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { waitAtMost } from '@threadbox/concurrency'
import type { Launcher } from '../launch/launcher.ts'
import { readPipe } from '../launch/pipe-reader.ts'
import type { Programs } from '../launch/programs.ts'
import { killFamily } from '../processes/process-family.ts'
import { readKernelIndex, readProgress } from './kernel-index.ts'

/** By variable: empty if it came back equal, else the reason. Groups by number if all of one failed. */
export type Verification = { verdicts: Map<string, string>; failedGroups: Map<number, string>; problem: string }

/** A value whose reading ends the process costs one start of Python; beyond this many, the rest is skipped together. */
const maxAttempts = 5

/**
 * Reads what a kernel has written, in another process of the same user, and compares it. `only` limits it to the groups
 * of these variables.
 */
export async function verify(options: {
  launcher: Launcher
  programs: Programs
  directory: string
  deadlineAt: number
  setPreferredVictim(pid: number | undefined): void
  only?: ReadonlySet<string>
}): Promise<Verification> {
  const { directory, only } = options
  const index = readKernelIndex(directory)
  const output = join(directory, 'verified')
  const isAskedFor = (names: string[]) => only === undefined || names.some((name) => only.has(name))
  const skip = new Set(index.groups.flatMap(({ names }, number) => (isAskedFor(names) ? [] : [number])))
  const found: Verification = { verdicts: new Map(), failedGroups: new Map(), problem: '' }
  try {
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      rmSync(output, { force: true })
      const how = await runOnce({ ...options, executable: index.executable, output, skip: [...skip] })
      const lines = readProgress(output)
      let begun: number | undefined
      for (const line of lines) {
        begun = line.begun ?? begun
        for (const [name, outcome] of Object.entries(line.verdicts ?? {})) found.verdicts.set(name, outcome)
        if (line.number === undefined) continue
        skip.add(line.number)
        if (line.failed !== undefined) found.failedGroups.set(line.number, line.failed)
      }
      if (lines.some((line) => line.done === true)) return found
      if (how === 'late') {
        found.problem = 'There wasn’t enough time to verify everything.'
        return found
      }
      if (begun === undefined || skip.has(begun)) break
      found.failedGroups.set(begun, 'restoring it crashes the process')
      skip.add(begun)
    }
    found.problem = 'The verification process failed.'
    return found
  } finally {
    rmSync(output, { force: true })
  }
}

async function runOnce(options: {
  launcher: Launcher
  programs: Programs
  directory: string
  executable: string
  output: string
  skip: number[]
  deadlineAt: number
  setPreferredVictim(pid: number | undefined): void
}): Promise<'ended' | 'late'> {
  const leftMs = options.deadlineAt - performance.now()
  if (leftMs <= 0) return 'late'
  const launched = await options.launcher.launch({
    user: options.launcher.user(undefined),
    program: options.executable,
    args: [options.programs.file('verify.py'), options.directory, options.output, ...options.skip.map(String)],
    envs: {},
    cwd: '/',
    stdin: 'none',
    stderr: 'stdout',
  })
  // The verification is a second copy of what the kernel holds, so it goes first when memory runs out.
  options.setPreferredVictim(launched.pid)
  const reader = readPipe({ descriptor: launched.stdout, onData: () => undefined, onEnd: () => undefined })
  const how = (await waitAtMost(leftMs, { work: launched.exit })) === 'late' ? 'late' : 'ended'
  options.setPreferredVictim(undefined)
  if (how === 'late') await killFamily({ root: launched.pid, mark: undefined })
  reader.close()
  return how
}
