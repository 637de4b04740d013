import type { RescuedVariable, RescueReport, RescueRequest } from '@threadbox/protocol/guest'
import type { Contexts } from '../kernels/contexts.ts'
import type { Kernel } from '../kernels/kernel.ts'
import { replayInto } from './replay.ts'
import { type AfterRescue, hashOfSession, makeRescue, type RescueDependencies, rescueRunning } from './rescue.ts'
import type { FoundRescue, StoredRescue } from './rescue-store.ts'
import { rescuedProcessUnknown, startAgain } from './restart.ts'

/** A user's command comes first; restoring variables would slow it down. */
const backgroundAfterMs = 1_500

const nothing: RescueReport = {
  state: 'none',
  takenAt: null,
  variables: [],
  shell: { outcome: 'none', reason: '' },
  processes: [],
  durationMs: 0,
  problems: [],
}

/** What was saved on this sandbox's disk when its memory was discarded, and what was restored from it. */
export type Rescues = {
  /** Throws `rescue.running` while memory is being discarded: from that point on nothing can be started. */
  requireOpen(): void
  /** With `goes-on`, everything keeps running, and the rescue is for a later start without this memory. */
  make(request: RescueRequest, after?: AfterRescue): Promise<RescueReport>
  report(): RescueReport
  /** Reads the disk, which is new to this process. */
  load(): void
  /** The memory was not discarded in the end. */
  reopen(): void
  /** The user's first command has started: shortly after, kernels are prepared, so that the report can be completed. */
  commandStarted(): void
  startProcess(id: string): Promise<{ pid: number }>
}

type Pending = {
  directory: string
  stored: StoredRescue
  /** Groups to skip, by context, for contexts that were not restored yet. */
  waiting: Map<string, { skip: number[] }>
  replayed: Map<string, RescuedVariable[]>
  started: Map<string, Promise<number>>
  shell: RescueReport['shell']
  problems: string[]
  /** Number of kernels that are restoring now. */
  reading: number
  isFailed: boolean
  replayMs: number
}

export function makeRescues(
  dependencies: Omit<RescueDependencies, 'contexts' | 'earlierProblems'> & { contexts: Contexts },
): Rescues {
  const { store, logger, contexts } = dependencies
  let pending: Pending | undefined
  let isClosed = false
  let background: NodeJS.Timeout | undefined
  const noteReplayed = (directory: string) => {
    try {
      store.markReplayed(directory)
    } catch (error) {
      // A full disk must not block access to a kernel.
      logger.warn({ err: error }, 'could not record that variables were restored')
    }
  }
  /**
   * Restores a context's variables into its fresh kernel. Returns false if the kernel ended in the process and another
   * one is needed.
   */
  const prepare = async (context: string, kernel: Kernel): Promise<boolean> => {
    const current = pending
    const work = current?.waiting.get(context)
    if (current === undefined || work === undefined) return true
    const startedAt = performance.now()
    current.reading += 1
    store.setPassable(current.directory, true)
    try {
      const outcome = await replayInto(kernel, {
        context,
        directory: store.kernelDirectory(current.directory, context),
        recorded: current.stored.report.variables.filter((variable) => variable.context === context),
        skip: work.skip,
      })
      if (outcome.kind === 'again') {
        current.waiting.set(context, { skip: outcome.skip })
        return false
      }
      current.waiting.delete(context)
      if (outcome.kind === 'failed') {
        current.isFailed = true
        current.problems.push(outcome.problem)
      } else {
        current.replayed.set(context, outcome.variables)
        current.problems.push(...outcome.problems)
      }
      if (current.waiting.size === 0) noteReplayed(current.directory)
      return kernel.isAlive()
    } finally {
      current.reading -= 1
      current.replayMs += performance.now() - startedAt
      if (current.reading === 0) store.setPassable(current.directory, false)
    }
  }
  const put: Rescues['make'] = async (request, after = 'ends') => {
    if (isClosed) throw rescueRunning({})
    isClosed = true
    clearTimeout(background)
    try {
      const earlierProblems = await readBackFirst(pending, contexts)
      const report = await makeRescue({ request, after }, { ...dependencies, contexts: contexts.list, earlierProblems })
      if (after === 'goes-on') isClosed = false
      return report
    } catch (error) {
      isClosed = false
      throw error
    }
  }
  contexts.addPreparer({ prepare, restores: (context) => pending?.waiting.has(context) === true })
  return {
    requireOpen: () => {
      if (isClosed) throw rescueRunning({})
    },
    make: put,
    report: () => (pending === undefined ? nothing : describe(pending)),
    reopen: () => {
      isClosed = false
    },
    load: () => {
      const found = store.newest()
      pending = found && open(found, hashOfSession(dependencies.stateDirectory))
      for (const { context, cwd } of found?.stored.kernels ?? []) contexts.restore({ id: context, cwd })
    },
    commandStarted: () => {
      if (pending === undefined || pending.waiting.size === 0 || background !== undefined) return
      const waiting = [...pending.waiting.keys()]
      background = setTimeout(() => {
        for (const context of waiting) {
          contexts
            .get(context)
            .warm()
            .catch((error) => logger.warn({ err: error, context }, 'kernel not started to read variables back'))
        }
      }, backgroundAfterMs)
      background.unref()
    },
    startProcess: async (id) => {
      const stored = pending?.stored.processes.find((candidate) => candidate.id === id)
      if (pending === undefined || stored === undefined) throw rescuedProcessUnknown({ id })
      const earlier = pending.started.get(id)
      if (earlier !== undefined) return { pid: await earlier }
      const { started } = pending
      const starting = startAgain(stored, dependencies.launcher)
      started.set(id, starting)
      starting.catch(() => started.delete(id))
      return { pid: await starting }
    },
  }
}

/** Restores what no kernel has loaded since the last cold start, or the new rescue would lack it. */
async function readBackFirst(pending: Pending | undefined, contexts: Contexts): Promise<string[]> {
  const waiting = [...(pending?.waiting.keys() ?? [])]
  const warmed = await Promise.allSettled(waiting.map((context) => contexts.get(context).warm()))
  return waiting.flatMap((context, index) =>
    warmed[index]?.status === 'rejected'
      ? [`Variables saved earlier from the Python kernel ${context} are lost: it couldn’t be started.`]
      : [],
  )
}

function open(found: FoundRescue, shellHash: string): Pending {
  const { stored } = found
  const hasSame = stored.shellHash === shellHash
  const lost = { outcome: 'lost' as const, reason: 'the data on disk isn’t what was saved' }
  return {
    ...found,
    waiting: new Map(stored.kernels.map(({ context, skip }) => [context, { skip }])),
    replayed: new Map(),
    started: new Map(),
    shell: hasSame || stored.report.shell.outcome !== 'kept' ? stored.report.shell : lost,
    problems: [...stored.report.problems, ...problemOfAge(found)],
    reading: 0,
    isFailed: false,
    replayMs: 0,
  }
}

/** A boot that ended without a rescue leaves only what an earlier one had restored. */
function problemOfAge({ replayedAtMs, stored }: FoundRescue): string[] {
  if (replayedAtMs === undefined || stored.kernels.length === 0) return []
  const since = new Date(replayedAtMs).toISOString()
  return [`These variables were last restored at ${since}. Changes in memory since then are lost.`]
}

function describe(pending: Pending): RescueReport {
  const { report } = pending.stored
  const stateOfAll = pending.waiting.size > 0 ? ('pending' as const) : ('replayed' as const)
  const state = pending.reading > 0 ? ('replaying' as const) : pending.isFailed ? ('failed' as const) : stateOfAll
  const others = report.variables.filter(({ context }) => !pending.replayed.has(context))
  return {
    ...report,
    state,
    variables: [...[...pending.replayed.values()].flat(), ...others.map((entry) => asFailed(entry, pending))],
    shell: pending.shell,
    problems: pending.problems,
    durationMs: Math.round(pending.replayMs),
  }
}

/** A kernel whose variables could not be restored at all has none of them. */
function asFailed(variable: RescuedVariable, pending: Pending): RescuedVariable {
  if (pending.waiting.has(variable.context) || variable.outcome === 'lost') return variable
  return { ...variable, outcome: 'lost', method: 'none', reason: 'it couldn’t be restored' }
}
