import { isThreadboxError } from '@threadbox/errors'
import type { TurnFailure } from '@threadbox/protocol/public'
import type { ThreadChange } from '../../threads/public.ts'
import { contextFullFailure } from '../models/model-failure.logic.ts'
import { writerOf } from '../record/turn-history.ts'
import type { TurnRecord } from '../record/turn-record.ts'
import type { BegunTurn } from './begin-turn.ts'
import type { TurnEnding } from './call-end.ts'
import { type CallDependencies, runCalls } from './call-runner.ts'
import type { FallbackCause } from './fallback.logic.ts'
import { type FallbackDependencies, nextModel, switchModel } from './fallback.ts'
import { askModel, type ModelStepDependencies } from './model-step.ts'
import { limitsOf, notice, type Recording, type TurnDependencies, turnView } from './turn-dependencies.ts'
import { type CallOrder, nextAction, type TurnAction, type TurnState } from './turn-state.logic.ts'
import { noModelConnected } from './turns.errors.ts'

/** Runs turns that are recorded as running, each in its own loop, until they end. */
export type TurnEngine = {
  /**
   * Runs a turn. Does nothing if this engine already runs it. `begun` is its record if it was just created: then the
   * record isn't read again, and its call, although recorded as running, has not been started.
   */
  start(turn: { id: string; threadId: string }, begun?: BegunTurn): void
  /** Aborts what the turn waits for, so that the engine reads its record again. */
  interrupt(turnId: string): void
  isLive(turnId: string): boolean
  /** Resolves when this engine no longer runs the turn. */
  ended(turnId: string): Promise<void>
  /**
   * Stops driving every turn without recording anything: executions keep running, and the next server resumes the
   * turns.
   */
  close(): Promise<void>
}

type EngineDependencies = CallDependencies & ModelStepDependencies & FallbackDependencies

/** `again`: the turn was started while it was ending, so its record must be read once more. */
type LiveTurn = { controller: AbortController; done: Promise<void>; again: boolean }

type DrivenTurn = { threadId: string; signal: AbortSignal; begun: BegunTurn | undefined }

/** A turn that has ended. */
export type Ended = { turn: TurnRecord; status: 'finished' | 'stopped' | 'failed' }

export function makeTurnEngine(
  dependencies: EngineDependencies,
  options: { onEnded(ended: Ended): Promise<void> },
): TurnEngine {
  const live = new Map<string, LiveTurn>()
  const leaving = new AbortController()

  /** Resolves with the end of the turn; undefined when this engine doesn't end it. */
  const drive = async (turnId: string, turn: DrivenTurn): Promise<Ended | undefined> => {
    const leave = leaving.signal
    using _hold = dependencies.sandbox.access.hold(turn.threadId)
    const progress = { isForced: false }
    let isWoken = false
    let { begun } = turn
    for (;;) {
      if (leave.aborted) return undefined
      const record = begun?.record ?? (await dependencies.store.turn(turnId))
      if (record === undefined || record.status !== 'running') return undefined
      // The agent will need its sandbox, which wakes while the model generates its first response. Every agent has the
      // Python tool, and its kernel takes longer to start than most first responses.
      if (record.mode === 'agent' && !isWoken) dependencies.sandbox.access.prepareForAgent(turn.threadId)
      isWoken = true
      const action = nextAction(stateOf(record, dependencies.system.now()), limitsOf(dependencies.settings))
      // An approval can take any time: until the decision, only the turn's record exists.
      if (action.kind === 'wait') return undefined
      const end = await perform(dependencies, { turn: record, action, signal: turn.signal, leave, progress, begun })
      begun = undefined
      if (leave.aborted) return undefined
      if (end === undefined) continue
      if (!end.isRecorded) await endTurn(dependencies, { turn: record, ...end })
      return { turn: record, status: end.status }
    }
  }
  const run = async (turnId: string, turn: DrivenTurn) => {
    try {
      const ended = await drive(turnId, turn)
      // Runs without the hold, because the next queued message may request a pause.
      if (ended !== undefined) await options.onEnded(ended)
    } catch (error) {
      if (!leaving.signal.aborted) await recordCrash(dependencies, { turnId, error })
    } finally {
      const isAskedAgain = live.get(turnId)?.again === true
      live.delete(turnId)
      if (isAskedAgain) start({ id: turnId, threadId: turn.threadId })
    }
  }
  const start: TurnEngine['start'] = ({ id, threadId }, begun) => {
    const present = live.get(id)
    if (present !== undefined) present.again = true
    if (leaving.signal.aborted || present !== undefined) return
    const controller = new AbortController()
    const started: LiveTurn = { controller, done: Promise.resolve(), again: false }
    live.set(id, started)
    started.done = run(id, { threadId, signal: controller.signal, begun })
  }
  return {
    start,
    interrupt: (turnId) => live.get(turnId)?.controller.abort(new Error('the turn was stopped')),
    isLive: (turnId) => live.has(turnId),
    ended: async (turnId) => live.get(turnId)?.done,
    close: async () => {
      leaving.abort(new Error('the server is closing'))
      await Promise.all([...live.values()].map((turn) => turn.done))
    },
  }
}

type Performance = {
  turn: TurnRecord
  action: Exclude<TurnAction, { kind: 'wait' }>
  signal: AbortSignal
  leave: AbortSignal
  progress: { isForced: boolean }
  begun: BegunTurn | undefined
}

type TurnEnd = {
  status: 'finished' | 'stopped' | 'failed'
  failure?: TurnFailure
  /** The end is already recorded. */
  isRecorded?: boolean
}

/** Performs one action. Returns how the turn ends, or undefined to decide the next action. */
async function perform(dependencies: EngineDependencies, options: Performance): Promise<TurnEnd | undefined> {
  const { turn, action, signal, leave, progress } = options
  switch (action.kind) {
    case 'end':
      return { status: action.status }
    case 'fail':
      return { status: 'failed', failure: action.failure }
    case 'discard-step':
      await discardStep(dependencies, { turn, stepId: action.stepId })
      return undefined
    case 'run-calls':
      return await performCalls(dependencies, { ...options, orders: action.orders })
    case 'ask-model': {
      const model = await dependencies.models.usable(turn.modelId)
      if (model === undefined) return { status: 'failed', failure: modelGone() }
      const { circuits } = dependencies.models
      const { id } = model.connection
      if (circuits.isOpen(id) && (await fallBack(dependencies, { turn, cause: 'circuit', tokens: 0 }))) return undefined
      const end = await askModel(dependencies, { turn, model, signal, leave, isForced: progress.isForced })
      if (end.kind === 'failed') {
        if (end.fallback === undefined) return { status: 'failed', failure: end.failure }
        circuits.failed(id)
        if (await fallBack(dependencies, { turn, ...end.fallback })) return undefined
        return { status: 'failed', failure: end.failure }
      }
      circuits.succeeded(id)
      if (end.kind === 'full' && progress.isForced) return { status: 'failed', failure: contextFullFailure }
      progress.isForced = end.kind === 'full'
      return undefined
    }
  }
}

/** Lets another model continue. Returns false if none can. */
async function fallBack(
  dependencies: FallbackDependencies,
  { turn, cause, tokens }: { turn: TurnRecord; cause: FallbackCause; tokens: number },
): Promise<boolean> {
  const next = await nextModel(dependencies, { turn, tokens })
  if (next === undefined) return false
  await switchModel(dependencies, { turn, to: next, cause })
  return true
}

async function performCalls(
  dependencies: CallDependencies & Pick<TurnDependencies, 'models'>,
  options: Performance & { orders: readonly CallOrder[] },
): Promise<TurnEnd | undefined> {
  const { turn, signal, leave, begun } = options
  // The call was just recorded as running and is now started.
  const orders =
    begun === undefined ? options.orders : options.orders.map((order) => ({ ...order, how: 'start' as const }))
  const model = turn.mode === 'agent' ? await dependencies.models.usable(turn.modelId) : undefined
  const contextTokens = model?.contextTokens ?? null
  let isRecorded = false
  const ending: TurnEnding = {
    change: () => finishedView(dependencies, turn),
    record: async (transaction) => {
      await dependencies.store.changeTurn(turn.id, { status: 'finished' }, writerOf(transaction))
      await dependencies.sandbox.snapshots.want(turn, transaction)
      isRecorded = true
    },
  }
  // A direct turn consists of its one call.
  const isLast = turn.mode === 'direct' && turn.steps.flatMap((step) => step.calls).length === 1
  const calls = {
    turn,
    orders,
    signal,
    leave,
    contextTokens,
    ending: isLast ? ending : undefined,
    sandbox: begun?.sandbox,
  }
  const failure = await runCalls(dependencies, calls)
  if (isRecorded) return { status: 'finished', isRecorded }
  return failure === undefined || signal.aborted ? undefined : { status: 'failed', failure }
}

function finishedView({ system }: Pick<Recording, 'system'>, turn: TurnRecord): ThreadChange {
  return { type: 'turn-updated', turn: turnView(turn, { status: 'finished', endedAt: system.now() }) }
}

function modelGone(): TurnFailure {
  const { message, remedy } = noModelConnected({})
  return { code: 'internal', message, remedy, retryAt: null, actions: ['open-settings', 'switch-model', 'retry'] }
}

export function stateOf(turn: TurnRecord, nowMs: number): TurnState {
  const counted = turn.steps.filter((step) => step.index >= turn.allowanceFromStep && step.status !== 'discarded')
  const { mode, isStopRequested, steps } = turn
  return {
    mode,
    isStopRequested,
    steps: steps.map(({ id, status, isFinal, calls }) => ({ id, status, isFinal, calls })),
    used: {
      steps: counted.filter((step) => step.status === 'finished').length,
      milliseconds: nowMs - turn.allowanceFrom,
      tokens: counted.reduce((total, step) => total + step.inputTokens + step.outputTokens, 0),
      usd: counted.reduce((total, step) => total + (step.costUsd ?? 0), 0),
    },
  }
}

/** Discards a step whose request is no longer running and removes its text from the conversation. */
async function discardStep(
  dependencies: Recording & Pick<TurnDependencies, 'models'>,
  options: { turn: TurnRecord; stepId: string },
): Promise<void> {
  const { log, store, system } = dependencies
  const { turn, stepId } = options
  await dependencies.models.ledger.settleLost(stepId)
  const step = turn.steps.find((candidate) => candidate.id === stepId)
  const removals = (step?.entryIds ?? []).map((entryId): ThreadChange => ({ type: 'entry-removed', entryId }))
  const notices: ThreadChange[] =
    removals.length === 0
      ? []
      : [{ type: 'entry-added', entry: notice(system, { turnId: turn.id, code: 'step-discarded' }) }]
  await log.append(turn.threadId, [...removals, ...notices], (transaction) =>
    store.changeStep(stepId, { status: 'discarded', entryIds: [] }, writerOf(transaction)),
  )
}

async function endTurn(
  dependencies: Recording & Pick<TurnDependencies, 'sandbox'>,
  options: TurnEnd & { turn: TurnRecord },
): Promise<void> {
  const { log, store, system } = dependencies
  const { status, failure } = options
  const turn = (await store.turn(options.turn.id)) ?? options.turn
  const stopped: ThreadChange[] =
    status === 'stopped'
      ? [{ type: 'entry-added', entry: notice(system, { turnId: turn.id, code: 'turn-stopped' }) }]
      : []
  const view = turnView(turn, { status, endedAt: system.now(), ...(failure === undefined ? {} : { failure }) })
  await log.append(turn.threadId, [...stopped, { type: 'turn-updated', turn: view }], async (transaction) => {
    await store.changeTurn(turn.id, { status }, writerOf(transaction))
    await dependencies.sandbox.snapshots.want(turn, transaction)
  })
}

/** Ends the turn with a failure after an unexpected error, so that it doesn't stay running forever. */
async function recordCrash(
  dependencies: Recording & Pick<TurnDependencies, 'logger' | 'sandbox'>,
  crash: { turnId: string; error: unknown },
): Promise<void> {
  const { store, logger } = dependencies
  const { turnId, error } = crash
  if (isThreadboxError(error) && error.code === 'thread.not-found') return
  logger.error({ err: error, turnId }, 'turn failed unexpectedly')
  const failure: TurnFailure = {
    code: 'internal',
    message: 'threadbox had an internal error while working on this.',
    remedy: 'Try again. The server log has the details.',
    retryAt: null,
    actions: ['retry'],
  }
  try {
    const turn = await store.turn(turnId)
    if (turn?.status === 'running') await endTurn(dependencies, { turn, status: 'failed', failure })
  } catch (again) {
    // The failure can't be recorded either: the turn stays running, and the next server start resumes it.
    logger.error({ err: again, turnId }, 'end of turn could not be recorded')
  }
}
