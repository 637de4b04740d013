import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineError } from '@threadbox/errors'
import type { RescueReport, RescueRequest } from '@threadbox/protocol/guest'
import type { Logger } from '@threadbox/telemetry'
import type { Context } from '../kernels/context.ts'
import type { Launcher } from '../launch/launcher.ts'
import type { Programs } from '../launch/programs.ts'
import type { RuntimeProcesses } from '../manifest/processes.ts'
import { type KernelRescue, rescueKernel } from './kernel-rescue.ts'
import { continueProcesses, describeForRestart, endUserProcesses, stopUserProcesses } from './process-rescue.ts'
import type { RescueDraft, RescueStore } from './rescue-store.ts'

export const rescueRunning = defineError({
  code: 'rescue.running',
  kind: 'unavailable',
  message: () => 'The sandbox is saving its state and can’t start anything right now.',
  remedy: () => 'Try again in a moment. It wakes automatically.',
})

export const rescueInvalid = defineError<{ problem: string }>({
  code: 'rescue.request-invalid',
  kind: 'invalid',
  message: ({ problem }) => `The rescue request is not valid: ${problem}`,
  remedy: () => 'Send a time limit and byte limits greater than zero.',
})

export const sharedMachine = defineError({
  code: 'rescue.not-in-sandbox',
  kind: 'unsupported',
  message: () =>
    'The guest daemon isn’t running in a sandbox. Saving its state would stop every other process, so nothing was saved.',
  remedy: () => 'Start the guest daemon in a sandbox.',
})

export const rescueDiskFull = defineError({
  code: 'rescue.disk-full',
  kind: 'exhausted',
  message: () => 'The disk is full. Nothing could be saved, so nothing was stopped.',
  remedy: () => 'Free up space on the sandbox’s disk, or raise its limit.',
})

/** `ENOSPC` and `EDQUOT`, for which Node has no names. */
const diskFullNumbers = new Set([-28, -122])

/** Share of the time for ending processes. */
const endingShare = 0.25
const endingMostMs = 12_000
const sessionFile = ['sessions', 'main']

export type RescueDependencies = {
  store: RescueStore
  launcher: Launcher
  programs: Programs
  stateDirectory: string
  /** True if everything that runs here is the user's. */
  ownsMachine: boolean
  /** Sets the process to end first when memory runs out. */
  setPreferredVictim(pid: number | undefined): void
  contexts(): Context[]
  terminalPids(): number[]
  /** Problems from earlier attempts. */
  earlierProblems: string[]
  /** Keys of commands and cells that have not ended. */
  runningKeys(): string[]
  logger: Logger
}

/** Whether user processes end or keep running once everything was saved. */
export type AfterRescue = 'ends' | 'goes-on'

/**
 * Saves what can be kept, durably, and only then ends what runs. If saving fails as a whole, everything keeps running
 * unchanged and the error is thrown to the caller.
 */
export async function makeRescue(
  { request, after }: { request: RescueRequest; after: AfterRescue },
  dependencies: RescueDependencies,
): Promise<RescueReport> {
  if (!dependencies.ownsMachine) throw sharedMachine({})
  const startedAt = performance.now()
  const { store, contexts } = dependencies
  const deadlineAt =
    startedAt + request.timeBudgetMs - Math.min(endingMostMs, Math.round(request.timeBudgetMs * endingShare))
  const runtimeProcesses: RuntimeProcesses = {
    kernels: new Set(contexts().flatMap((context) => context.kernel()?.pid ?? [])),
    terminals: new Set(dependencies.terminalPids()),
  }
  const running = dependencies.runningKeys()
  const draft = beginOn(store)
  const stopped = stopUserProcesses(runtimeProcesses)
  try {
    const { told, stored } = describeForRestart(stopped, runtimeProcesses)
    const kernels: KernelRescue[] = []
    for (const context of contexts()) {
      const kernel = context.kernel()
      if (kernel === undefined) continue
      const directory = draft.makeKernelDirectory(context.id, dependencies.launcher.user(undefined))
      kernels.push(await rescueKernel({ ...dependencies, context, kernel, directory, request, deadlineAt }))
    }
    const shellHash = hashOfSession(dependencies.stateDirectory)
    const report: RescueReport = {
      state: 'pending',
      takenAt: Date.now(),
      variables: kernels.flatMap(({ variables }) => variables),
      shell: { outcome: shellHash === '' ? 'none' : 'kept', reason: '' },
      processes: told,
      durationMs: 0,
      problems: [
        ...dependencies.earlierProblems,
        ...kernels.flatMap(({ problems }) => problems),
        ...problemsOfRuns(running, stopped.length),
      ],
    }
    report.durationMs = Math.round(performance.now() - startedAt)
    const kept = kernels.map(({ context, cwd, skip }) => ({ context, cwd, skip }))
    draft.finish({ version: 1, report, kernels: kept, shellHash, processes: stored })
    const left = after === 'ends' ? await endUserProcesses(runtimeProcesses) : []
    if (after === 'goes-on') continueProcesses(stopped)
    if (left.length > 0) report.problems.push(`These couldn’t be stopped: ${left.join(', ')}.`)
    return { ...report, durationMs: Math.round(performance.now() - startedAt) }
  } catch (error) {
    draft.discard()
    continueProcesses(stopped)
    throw isDiskFull(error) ? rescueDiskFull({}, { cause: error }) : error
  }
}

function beginOn(store: RescueStore): RescueDraft {
  try {
    return store.begin()
  } catch (error) {
    throw isDiskFull(error) ? rescueDiskFull({}, { cause: error }) : error
  }
}

function isDiskFull(error: unknown): boolean {
  return diskFullNumbers.has((error as NodeJS.ErrnoException).errno ?? 0)
}

function problemsOfRuns(keys: string[], stopped: number): string[] {
  if (keys.length === 0 || stopped === 0) return []
  const count = keys.length
  if (count === 1) return ['A running command or cell was stopped. Its changes to the shell session are lost.']
  return [`${count} running commands or cells were stopped. Their changes to the shell session are lost.`]
}

/** Hash of the state that the shell session's last command left; empty if it has none. */
export function hashOfSession(stateDirectory: string): string {
  try {
    return createHash('sha256')
      .update(readFileSync(join(stateDirectory, ...sessionFile)))
      .digest('hex')
  } catch {
    return ''
  }
}
