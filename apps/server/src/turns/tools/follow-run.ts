import type { MessageInitShape } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import { waitAtMost } from '@threadbox/concurrency'
import { isErrorOf, isThreadboxError } from '@threadbox/errors'
import type { runs } from '@threadbox/protocol/guest'
import { cellHeader, errorHeader } from '@threadbox/protocol/host'
import { type AwakeSandbox, guestResponseTooLarge } from '../../sandboxes/public.ts'
import type { ToolContext } from './tool.ts'

export type ExecutionDisplay = { index: number; bundleJson: string; isResult: boolean }

/** How an execution ended, or that its end is unknown. */
export type ExecutionEnd =
  | { kind: 'ended'; ended: runs.ReadResponse_Ended }
  /** The boot that ran it is gone, or no longer knows it. */
  | { kind: 'lost' }
  /** A stop was requested and not confirmed. */
  | { kind: 'stop-unconfirmed' }

/** The sandbox was no longer running, so nothing was started in it. */
export class ExecutionNotStarted extends Error {}

export type FollowOptions = {
  /** How the guest starts the execution, under the call's id, if it doesn't know that id. */
  start: NonNullable<MessageInitShape<typeof runs.ReadRequestSchema>['start']>
  onDisplay(display: ExecutionDisplay): Promise<void>
}

/** The guest sends SIGKILL after 300 ms; without a confirmation well after that, none is expected. */
const stopConfirmationMs = 3000
/**
 * How long a lost connection is retried before the execution counts as lost: long enough for a restart of the host
 * daemon.
 */
const reconnectWithinMs = 120_000
const reconnectPauseMs = 250

/**
 * Starts an execution under the call's id, or attaches to it, and reads it to its end: the recorder gets every byte
 * once, also when connections break. When the turn is stopped, the execution is stopped, and read to its end too.
 */
export async function followExecution(context: ToolContext, options: FollowOptions): Promise<ExecutionEnd> {
  let sandbox = context.sandbox
  let displays = context.call.displays
  const progress = { bytes: -1, at: context.nowMs() }
  let wasStarted = context.how !== 'start'
  let isUntried = context.isBelievedReady
  const stopping = watchForStop(context, () => sandbox)
  try {
    for (;;) {
      context.recorder.acknowledgeTo(async (offset) => {
        await sandbox.runs.acknowledge({ key: context.call.id, offset: BigInt(offset) })
      })
      try {
        // The key makes repeated requests the same execution. A stopped call must not be started for the first time.
        if (!wasStarted && context.signal.aborted) return { kind: 'stop-unconfirmed' }
        wasStarted = true
        const reached = sandbox
        const end = await readToEnd(context, {
          sandbox,
          start: context.how === 'stop' ? undefined : options.start,
          // A Stop sent before the execution existed had no effect.
          onStarted: () => {
            if (context.signal.aborted) void stopQuietly(reached, context.call.id)
          },
          firstDisplay: displays,
          signal: AbortSignal.any([stopping.unconfirmed, context.leave]),
          onDisplay: async (display) => {
            await options.onDisplay(display)
            displays = display.index + 1
          },
        })
        if (end !== undefined) return end
      } catch (error) {
        context.leave.throwIfAborted()
        if (stopping.unconfirmed.aborted) return { kind: 'stop-unconfirmed' }
        if (isErrorOf(guestResponseTooLarge, error)) void stopQuietly(sandbox, context.call.id)
        if (!isConnectionLoss(error)) throw error
        if (isUntried && wasRefused(error)) throw new ExecutionNotStarted()
        isUntried = false
      }
      const { sizeBytes } = context.recorder.tail()
      if (sizeBytes !== progress.bytes) Object.assign(progress, { bytes: sizeBytes, at: context.nowMs() })
      context.leave.throwIfAborted()
      const reconnected = await reconnect(context, {
        unconfirmed: stopping.unconfirmed,
        deadline: progress.at + reconnectWithinMs,
      })
      context.leave.throwIfAborted()
      if (reconnected === undefined) return context.signal.aborted ? { kind: 'stop-unconfirmed' } : { kind: 'lost' }
      if (reconnected.bootId !== sandbox.bootId) return { kind: 'lost' }
      sandbox = reconnected
    }
  } finally {
    stopping[Symbol.dispose]()
  }
}

/** Reads from the end of the stored output on. Returns undefined when the connection ended before the execution. */
async function readToEnd(
  context: ToolContext,
  options: {
    sandbox: AwakeSandbox
    start: FollowOptions['start'] | undefined
    onStarted(): void
    firstDisplay: number
    signal: AbortSignal
    onDisplay(display: ExecutionDisplay): Promise<void>
  },
): Promise<ExecutionEnd | undefined> {
  const { call, recorder } = context
  await recorder.flush()
  const start = options.start === undefined ? {} : { start: options.start }
  const request = { key: call.id, offset: BigInt(recorder.tail().sizeBytes), display: options.firstDisplay, ...start }
  const headers: Record<string, string> = options.start?.case === 'startCell' ? { [cellHeader]: '1' } : {}
  let next = recorder.tail().sizeBytes
  let isFirst = true
  try {
    for await (const { event } of options.sandbox.runs.read(request, { signal: options.signal, headers })) {
      if (isFirst) options.onStarted()
      isFirst = false
      if (event.case === 'output') {
        const offset = Number(event.value.offset)
        const fresh = event.value.data.subarray(Math.max(0, next - offset))
        if (fresh.length > 0) await recorder.write(fresh)
        next += fresh.length
      }
      if (event.case === 'display') await options.onDisplay(event.value)
      if (event.case !== 'ended') continue
      await recorder.flush()
      return { kind: 'ended', ended: boundedEnd(event.value) }
    }
  } catch (error) {
    if (error instanceof ConnectError && error.code === Code.NotFound) return { kind: 'lost' }
    throw error
  }
  return undefined
}

/** Above the lengths that a guest keeps to. */
const most = { path: 4096, name: 500, message: 2000, traceback: 400_000, stillRunning: 50 }

/** What an end says goes into the conversation and to the model; the code of a sandbox can make it any length. */
function boundedEnd(ended: runs.ReadResponse_Ended): runs.ReadResponse_Ended {
  const { durationMs } = ended
  return {
    ...ended,
    signal: ended.signal.slice(0, most.name),
    message: ended.message.slice(0, most.message),
    cwd: ended.cwd.slice(0, most.path),
    errorName: ended.errorName.slice(0, most.name),
    errorValue: ended.errorValue.slice(0, most.message),
    traceback: ended.traceback.slice(0, most.traceback),
    durationMs: Number.isFinite(durationMs) ? Math.max(0, durationMs) : 0,
    stillRunning: ended.stillRunning.slice(0, most.stillRunning).map((command) => command.slice(0, most.name)),
  }
}

/** Sends Stop once when the turn is stopped. The returned signal aborts when no confirmation follows in time. */
function watchForStop(context: ToolContext, sandbox: () => AwakeSandbox): Disposable & { unconfirmed: AbortSignal } {
  const controller = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const onStop = () => {
    timer = setTimeout(() => controller.abort(new Error('no confirmation')), stopConfirmationMs)
    void stopQuietly(sandbox(), context.call.id)
  }
  if (context.signal.aborted) onStop()
  else context.signal.addEventListener('abort', onStop, { once: true })
  return {
    unconfirmed: controller.signal,
    [Symbol.dispose]: () => {
      clearTimeout(timer)
      context.signal.removeEventListener('abort', onStop)
    },
  }
}

/**
 * Ignores errors: reading continues, and the end of the execution is the confirmation. If Stop is lost, the time limit
 * notices.
 */
async function stopQuietly(sandbox: AwakeSandbox, key: string): Promise<void> {
  await sandbox.runs.stop({ key }).catch(() => undefined)
}

async function reconnect(
  context: ToolContext,
  options: { unconfirmed: AbortSignal; deadline: number },
): Promise<AwakeSandbox | undefined> {
  const { unconfirmed, deadline } = options
  while (!unconfirmed.aborted && !context.leave.aborted && context.nowMs() < deadline) {
    await waitAtMost(reconnectPauseMs)
    try {
      return await context.reawake()
    } catch {
      // The host isn't back yet; the deadline limits the retries.
    }
  }
  return undefined
}

/** Refusals of the host before a request reaches the sandbox. */
const refusals = ['sandbox.not-running', 'sandbox.other-boot']
/** Nothing listens on the host's socket. */
const nothingListens = ['ECONNREFUSED', 'ENOENT']

/** Returns whether the request certainly didn't reach the sandbox. */
function wasRefused(error: unknown): boolean {
  if (!(error instanceof ConnectError)) return false
  if (refusals.includes(error.metadata.get(errorHeader) ?? '')) return true
  return nothingListens.includes(String((error.cause as NodeJS.ErrnoException | undefined)?.code))
}

/** Returns whether the error is of the connection and says nothing about the execution. */
function isConnectionLoss(error: unknown): boolean {
  // The host's error instead of a response of the guest: the host, or this boot, isn't available.
  if (isThreadboxError(error)) return !isErrorOf(guestResponseTooLarge, error)
  if (!(error instanceof ConnectError)) return false
  const codes = [Code.Unavailable, Code.Aborted, Code.Canceled, Code.Unknown, Code.Internal, Code.DeadlineExceeded]
  return codes.includes(error.code)
}
