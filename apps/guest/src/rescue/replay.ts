import { join } from 'node:path'
import type { RescuedVariable } from '@threadbox/protocol/guest'
import { executeCell } from '../kernels/context.ts'
import type { Kernel } from '../kernels/kernel.ts'
import { readKernelIndex, readProgress } from './kernel-index.ts'

/** The outcome of restoring a kernel's variables; `again` requests a fresh kernel, because this one has ended. */
export type ReplayOutcome =
  | { kind: 'done'; variables: RescuedVariable[]; problems: string[] }
  | { kind: 'again'; skip: number[] }
  | { kind: 'failed'; problem: string }

/**
 * Restores a kernel's variables into a fresh one, before any cell runs in it. `recorded` is the report from when they
 * were saved; `skip` lists groups that cannot be restored.
 */
export async function replayInto(
  kernel: Kernel,
  options: { directory: string; context: string; recorded: RescuedVariable[]; skip: number[] },
): Promise<ReplayOutcome> {
  const { directory, recorded, skip } = options
  const progressPath = join(kernel.directory, 'replay')
  const quoted = [directory, skip, progressPath].map((value) => JSON.stringify(value)).join(', ')
  let failure = ''
  try {
    await executeCell(kernel, {
      code: `__import__("threadbox_rescue.replay", fromlist=["run"]).run(${quoted})`,
      silent: true,
      listener: {
        onStream: () => undefined,
        onDisplay: () => undefined,
        onError: ({ name, value }) => {
          failure = `${name}: ${value}`
        },
        onExecutionCount: () => undefined,
      },
    })
  } catch {
    const begun = readProgress(progressPath).findLast((line) => line.begun !== undefined)?.begun
    return begun === undefined
      ? { kind: 'failed', problem: 'The kernel exited while its variables were being restored.' }
      : { kind: 'again', skip: [...skip, begun] }
  }
  const last = readProgress(progressPath).findLast((line) => line.done === true)
  if (last?.results === undefined) return { kind: 'failed', problem: `Variables couldn’t be restored: ${failure}` }
  const { results } = last
  const known = new Set(readKernelIndex(directory).variables.map(({ name }) => name))
  return {
    kind: 'done',
    problems: last.problems ?? [],
    variables: recorded.map((variable) => {
      if (variable.outcome === 'lost' || !known.has(variable.name)) return variable
      const problem = results[variable.name] ?? 'it wasn’t restored'
      return problem === '' ? variable : { ...variable, outcome: 'lost', method: 'none', reason: problem }
    }),
  }
}
