import type { RescuedVariable, RescueRequest } from '@threadbox/protocol/guest'
import type { Context } from '../kernels/context.ts'
import type { Kernel } from '../kernels/kernel.ts'
import type { Launcher } from '../launch/launcher.ts'
import type { Programs } from '../launch/programs.ts'
import { type KernelIndex, readKernelIndex } from './kernel-index.ts'
import { type Verification, verify } from './verification.ts'

export type KernelRescue = {
  context: string
  cwd: string
  variables: RescuedVariable[]
  skip: number[]
  problems: string[]
}

/** Share of the time for writing; the rest is for verifying all of it. */
const writingShare = 0.6
/** How long a cell can take to react to an interrupt. */
const interruptMs = 3_000
/** A kernel that is silent for this long is in a computation that does not release the interpreter. */
const firstAnswerMs = 10_000
const answerSlackMs = 2_000

type KernelRescueOptions = {
  context: Context
  kernel: Kernel
  directory: string
  request: RescueRequest
  deadlineAt: number
  launcher: Launcher
  programs: Programs
  setPreferredVictim(pid: number | undefined): void
}

/**
 * Has a kernel write its variables into `directory` and verifies them in another process: only what came back equal is
 * called kept.
 */
export async function rescueKernel(options: KernelRescueOptions): Promise<KernelRescue> {
  const { context } = options
  const problems: string[] = []
  const wasBusy = context.isBusy()
  if (!(await context.quiesce(interruptMs))) {
    problems.push('A running cell couldn’t be interrupted and kept running while its variables were saved.')
  } else if (wasBusy) {
    problems.push('A cell was running and was interrupted.')
  }
  try {
    return await keepAndVerify(options, problems)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    problems.push(`Nothing in the Python kernel ${context.id} could be saved: ${reason}`)
    return { context: context.id, cwd: context.cwd, variables: [], skip: [], problems }
  }
}

async function keepAndVerify(options: KernelRescueOptions, problems: string[]): Promise<KernelRescue> {
  const { context, kernel, directory, request, deadlineAt } = options
  const leftMs = () => Math.max(0, Math.round(deadlineAt - performance.now()))
  const ask = (question: { operation: string } & Record<string, unknown>, budgetMs: number) =>
    kernel.ask({ ...question, timeoutMs: budgetMs + answerSlackMs })
  await kernel.ask({ operation: 'describe', timeoutMs: firstAnswerMs })
  const timeBudgetMs = Math.round(leftMs() * writingShare)
  const { totalBytes, variableBytes, withoutInputs = false } = request
  await ask({ operation: 'keep', directory, timeBudgetMs, totalBytes, variableBytes, withoutInputs }, timeBudgetMs)
  const verification = await verify(options)
  const regroup = async (names: string[], together: boolean) => {
    await ask({ operation: 'regroup', names, together }, leftMs())
    return await verify({ ...options, only: new Set(names) })
  }
  const index = readKernelIndex(directory)
  for (const [number, reason] of verification.failedGroups) {
    const names = index.groups[number]?.names ?? []
    const settled = await settleGroup({ names, reason, regroup, problems })
    for (const [name, outcome] of settled) verification.verdicts.set(name, outcome)
  }
  return finishKernel({ context, directory, verification, problems })
}

/** A variable that cannot be restored takes its whole group with it; the others are kept without it. */
async function settleGroup(options: {
  names: string[]
  reason: string
  regroup(names: string[], together: boolean): Promise<Verification>
  problems: string[]
}): Promise<Map<string, string>> {
  const { names, reason, regroup, problems } = options
  const outcomes = new Map(names.map((name) => [name, reason]))
  if (names.length < 2) return outcomes
  const alone = await regroup(names, false)
  const isGood = (name: string) => alone.verdicts.get(name) === ''
  for (const name of names) outcomes.set(name, alone.verdicts.get(name) ?? reason)
  const good = names.filter(isGood)
  if (good.length < 2) return outcomes
  const together = await regroup(good, true)
  if (good.every((name) => together.verdicts.get(name) === '')) return outcomes
  await regroup(good, false)
  problems.push(`${good.join(', ')} were saved separately: objects they shared are now separate copies.`)
  return outcomes
}

function finishKernel(options: {
  context: Context
  directory: string
  verification: Verification
  problems: string[]
}): KernelRescue {
  const { context, directory, verification, problems } = options
  const index = readKernelIndex(directory)
  const lost = (variable: KernelIndex['variables'][number], reason: string): RescuedVariable => ({
    ...variable,
    context: context.id,
    outcome: 'lost',
    method: 'none',
    reason,
  })
  const variables = index.variables.map((variable) => {
    if (variable.outcome === 'lost') return lost(variable, variable.reason)
    const isImport = variable.method === 'import' && variable.bytes === 0
    const outcome = verification.verdicts.get(variable.name) ?? (isImport ? '' : 'it wasn’t verified after saving')
    return outcome === '' ? { ...variable, context: context.id } : lost(variable, outcome)
  })
  const kept = new Set(variables.filter(({ outcome }) => outcome === 'kept').map(({ name }) => name))
  const workers = index.workers.map((worker) => ({
    ...worker,
    context: context.id,
    outcome: 'lost' as const,
    method: 'none' as const,
    bytes: null,
  }))
  return {
    context: context.id,
    cwd: context.cwd,
    variables: [...variables, ...workers],
    skip: index.groups.flatMap(({ names }, number) => (names.some((name) => kept.has(name)) ? [] : [number])),
    problems: [...problems, ...index.problems, ...(verification.problem === '' ? [] : [verification.problem])],
  }
}
