import { makeSerial } from '@threadbox/concurrency'
import { isThreadboxError } from '@threadbox/errors'
import type { TurnFailure } from '@threadbox/protocol/public'
import { type AwakeSandbox, withGuestProblem } from '../../sandboxes/public.ts'
import { outputLimitsOf, type ThreadChange } from '../../threads/public.ts'
import { writerOf } from '../record/turn-history.ts'
import type { CallOutcome, CallRecord, TurnRecord } from '../record/turn-record.ts'
import { ExecutionNotStarted } from '../tools/follow-run.ts'
import { failedWith } from '../tools/outcomes.ts'
import { makeOutputRecorder, type OutputRecorder } from '../tools/run-recorder.ts'
import { fileErrorOf } from '../tools/sandbox-files.ts'
import type { Tool } from '../tools/tool.ts'
import { callInputInvalid, callInterrupted, callStopped } from '../tools/tools.errors.ts'
import { toolNamed } from '../tools/tools.ts'
import { runningIn } from './begin-turn.ts'
import { callEntryOf, finishCall, type TurnEnding, unexpectedOutcome } from './call-end.ts'
import { type ConnectionCallDependencies, connectionPlanOf, runConnectionCall } from './connection-call.ts'
import { withRefusedNames } from './refused-names.logic.ts'
import type { Recording, TurnDependencies } from './turn-dependencies.ts'
import type { CallOrder } from './turn-state.logic.ts'

/** Dependencies of all kinds of calls. */
export type CallDependencies = ConnectionCallDependencies & Pick<TurnDependencies, 'sandbox'>

/** `leave`: aborted when the server shuts down; executions keep running and nothing is recorded. */
type RunOptions = {
  turn: TurnRecord
  signal: AbortSignal
  leave: AbortSignal
  contextTokens: number | null
  /**
   * Set when the turn ends with this call: both ends are then recorded in one transaction, because each one waits for
   * the disk.
   */
  ending?: TurnEnding | undefined
  /** Set when calls are already recorded as running in this sandbox, which is believed to be ready. */
  sandbox?: AwakeSandbox | undefined
}

/**
 * Runs recorded calls to their end: in parallel, except those that write files, which keep the model's order. Returns a
 * failure when no sandbox is available; the calls then fail with it too.
 */
export async function runCalls(
  dependencies: CallDependencies,
  options: RunOptions & { orders: readonly CallOrder[] },
): Promise<TurnFailure | undefined> {
  const calls = options.turn.steps.flatMap((step) => step.calls)
  const work = options.orders.flatMap((order) => {
    const call = calls.find((candidate) => candidate.id === order.callId)
    return call === undefined ? [] : [{ call, order, tool: toolNamed(call.tool) }]
  })
  // Waits for the previous turn's snapshot, which must contain nothing of this turn.
  await dependencies.sandbox.snapshots.settled(options.turn.threadId)
  const failures: (TurnFailure | undefined)[] = []
  const run = async (item: (typeof work)[number]) => {
    failures.push(await runCall(dependencies, { ...options, ...item }))
  }
  const writing = work.filter((item) => item.tool?.isWriting === true)
  const others = work.filter((item) => item.tool?.isWriting !== true)
  const inOrder = async () => {
    for (const item of writing) await run(item)
  }
  // Waits for all calls even when one throws: otherwise nothing would read the output of a call that keeps running.
  const results = await Promise.allSettled([inOrder(), ...others.map(run)])
  const broken = results.find((result) => result.status === 'rejected')
  if (broken !== undefined) throw broken.reason
  return failures.find((failure) => failure !== undefined)
}

const clockMarginMs = 50

type OneCall = RunOptions & { call: CallRecord; order: CallOrder; tool: Tool | undefined }

async function runCall(dependencies: CallDependencies, one: OneCall): Promise<TurnFailure | undefined> {
  const { call, order, tool } = one
  const finish = (outcome: CallOutcome | undefined, recorder?: OutputRecorder) =>
    finishCall(dependencies, { call, outcome: outcome ?? unexpectedOutcome, recorder, ending: endingOf(one) })
  if (connectionPlanOf(call) !== undefined) {
    await runConnectionCall(dependencies, one)
    return undefined
  }
  if (tool === undefined) {
    await finish(failedWith(callInputInvalid({ problem: `there is no tool called ${call.tool.slice(0, 100)}` })))
    return undefined
  }
  if (order.how === 'cancel') {
    await finish(failedWith(callStopped({}), 'stopped'))
    return undefined
  }
  const parsed = tool.input.safeParse(call.input)
  if (!parsed.success) {
    const problem = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ')
    await finish(failedWith(callInputInvalid({ problem })))
    return undefined
  }
  const sandbox = one.sandbox ?? (await awakeFor(dependencies, one))
  if ('outcome' in sandbox) {
    await finishCall(dependencies, { call, outcome: sandbox.outcome ?? unexpectedOutcome })
    return sandbox.failure
  }
  if (isLost(sandbox, one)) {
    await finish(failedWith(callInterrupted({}), 'interrupted'))
    return undefined
  }
  const running = one.sandbox === undefined ? await markRunning(dependencies, { call, sandbox }) : call
  const recorder = await recorderFor(dependencies, running)
  const startedAt = dependencies.system.now()
  const outcome = await applyTool(dependencies, {
    ...one,
    call: running,
    tool,
    input: parsed.data,
    sandbox,
    recorder,
    isBelief: one.sandbox !== undefined,
  })
  if (outcome === 'not-started') return await runCall(dependencies, { ...one, sandbox: undefined })
  await finish(await withRefusals(dependencies, { ...one, outcome, startedAt }), recorder)
  if (tool.recovery === 'attach') void forget(sandbox, call.id)
  return undefined
}

/** Tells the model what the network policy refused during the call, so that it doesn’t take it for a defect. */
async function withRefusals(
  { sandbox, system }: Pick<TurnDependencies, 'sandbox' | 'system'>,
  options: { call: CallRecord; outcome: CallOutcome | undefined; startedAt: number },
): Promise<CallOutcome | undefined> {
  const { call, outcome, startedAt } = options
  if (outcome === undefined) return undefined
  // The host counts the time with its own clock.
  const refused = await sandbox.refusedNames(call.threadId, system.now() - startedAt + clockMarginMs)
  return refused.length === 0 ? outcome : { ...outcome, output: withRefusedNames(outcome.output, refused) }
}

function endingOf({ ending, signal, order }: OneCall): TurnEnding | undefined {
  return signal.aborted || order.how === 'cancel' || order.how === 'stop' ? undefined : ending
}

/** Returns the sandbox, or the outcomes of the call and the turn without one. */
async function awakeFor(
  dependencies: Pick<TurnDependencies, 'sandbox'>,
  one: OneCall,
): Promise<AwakeSandbox | { outcome: CallOutcome | undefined; failure: TurnFailure | undefined }> {
  const { turn, signal } = one
  try {
    return await dependencies.sandbox.access.awake(turn.threadId, { reason: 'turn', signal: waitSignal(one) })
  } catch (error) {
    if (one.leave.aborted) throw error
    if (signal.aborted) return { outcome: failedWith(callStopped({}), 'stopped'), failure: undefined }
    if (!isThreadboxError(error)) throw error
    const failure: TurnFailure = {
      code: 'sandbox',
      message: error.message,
      remedy: error.remedy,
      retryAt: null,
      actions: ['retry'],
    }
    return { outcome: failedWith(error), failure }
  }
}

/** Ending an execution needs the sandbox, so stopping the turn doesn't abort the wait for it. */
function waitSignal({ order, signal, leave }: OneCall): AbortSignal {
  return order.how === 'stop' ? leave : AbortSignal.any([signal, leave])
}

/** A boot knows only its own executions: after another boot it is unknown how far this one got. */
function isLost(sandbox: AwakeSandbox, { call, order, tool }: OneCall): boolean {
  return order.how !== 'start' && tool?.recovery === 'attach' && call.bootId !== sandbox.bootId
}

async function markRunning(
  dependencies: Recording,
  options: { call: CallRecord; sandbox: AwakeSandbox },
): Promise<CallRecord> {
  const { log, store, system } = dependencies
  const { call, sandbox } = options
  const change = runningIn(sandbox)
  const entry = await callEntryOf(dependencies, call)
  const changes: ThreadChange[] =
    entry === undefined || entry.status === 'running'
      ? []
      : [{ type: 'entry-updated', entry: { ...entry, status: 'running', startedAt: system.now() } }]
  await log.append(call.threadId, changes, (transaction) => store.changeCall(call.id, change, writerOf(transaction)))
  return { ...call, ...change }
}

async function applyTool(
  dependencies: Pick<TurnDependencies, 'blobs' | 'logger' | 'sandbox' | 'settings' | 'store' | 'system'>,
  options: OneCall & { tool: Tool; input: unknown; sandbox: AwakeSandbox; recorder: OutputRecorder; isBelief: boolean },
): Promise<CallOutcome | 'not-started' | undefined> {
  const { store, settings, blobs, system, logger } = dependencies
  const { access, services } = dependencies.sandbox
  const { call, order, tool, input, sandbox, recorder, signal } = options
  const stopped = AbortSignal.abort(new Error('the turn was stopped'))
  try {
    return await tool.run(input, {
      call,
      how: order.how === 'cancel' ? 'stop' : order.how,
      sandbox,
      services,
      isBelievedReady: options.isBelief,
      reawake: () => access.awake(call.threadId, { reason: 'turn' }),
      blobs,
      recorder,
      signal: order.how === 'stop' ? stopped : signal,
      leave: options.leave,
      plan: (plan) => store.changeCall(call.id, { plan }, store.writer),
      outputCharacters: outputCharacters(settings.toolOutputCharacters, options.contextTokens),
      savedOutputBytes: settings.savedOutputMebibytes * 1024 * 1024,
      nowMs: system.now,
    })
  } catch (error) {
    if (options.leave.aborted) {
      await recorder.flush()
      throw error
    }
    if (signal.aborted || order.how === 'stop') return failedWith(callStopped({}), 'stopped')
    if (error instanceof ExecutionNotStarted) return 'not-started'
    const about = pathOf(input)
    const known = failedWith(withGuestProblem(about === undefined ? error : fileErrorOf(error, about)))
    if (known === undefined) logger.error({ err: error, callId: call.id, tool: tool.name }, 'tool failed unexpectedly')
    return known
  }
}

/** With a small context window an output takes at most an eighth of it, so that several fit. */
function outputCharacters(setting: number, contextTokens: number | null): number {
  return contextTokens === null ? setting : Math.max(500, Math.min(setting, Math.floor((contextTokens * 3.5) / 8)))
}

function pathOf(input: unknown): string | undefined {
  const path = (input as { path?: unknown } | null)?.path
  return typeof path === 'string' ? path : undefined
}

function recorderFor(
  dependencies: Pick<TurnDependencies, 'blobs' | 'log' | 'store' | 'settings'>,
  call: CallRecord,
): Promise<OutputRecorder> {
  const { log, store, blobs, settings } = dependencies
  const mebibyte = 1024 * 1024
  let displays = call.displays
  // Each of these updates reads the entry and writes it, so they must not overlap.
  const inOrder = makeSerial()
  return makeOutputRecorder({
    blobs,
    call,
    limits: async () =>
      outputLimitsOf(
        {
          headBytes: settings.keptOutputHeadMebibytes * mebibyte,
          tailBytes: settings.keptOutputTailMebibytes * mebibyte,
          threadBytes: settings.keptOutputThreadMebibytes * mebibyte,
        },
        await store.keptOutputBytes(call.threadId, call.id),
      ),
    recordSize: (size) => store.changeCall(call.id, size, store.writer),
    recordDisplay: (display) =>
      inOrder(async () => {
        displays += 1
        const change: ThreadChange = { type: 'display-added', entryId: call.id, display }
        await log.append(call.threadId, [change], (transaction) =>
          store.changeCall(call.id, { displays }, writerOf(transaction)),
        )
      }),
    recordTail: (output) =>
      inOrder(async () => {
        const entry = await callEntryOf(dependencies, call)
        if (entry?.status !== 'running') return
        await log.append(call.threadId, [{ type: 'entry-updated', entry: { ...entry, output } }])
      }),
    show: (event) => log.showOutput(call.threadId, { type: 'output-appended', entryId: call.id, ...event }),
  })
}

/**
 * The result is recorded, so the guest can discard the execution. If that fails, the execution only takes memory
 * longer.
 */
async function forget(sandbox: AwakeSandbox, key: string): Promise<void> {
  await sandbox.runs.forget({ key }).catch(() => undefined)
}
