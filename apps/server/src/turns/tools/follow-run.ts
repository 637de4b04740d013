import type { MessageInitShape } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import { waitAtMost } from '@threadbox/concurrency'
import { isThreadboxError } from '@threadbox/errors'
import type { runs } from '@threadbox/protocol/guest'
import { errorHeader } from '@threadbox/protocol/host'
import type { AwakeSandbox } from '../../sandboxes/public.ts'
import type { ToolContext } from './tool.ts'

export type RunDisplay = { index: number; bundleJson: string; isResult: boolean }

/** How a run ended, or that this cannot be found out any more. */
export type RunEnd =
  | { kind: 'ended'; ended: runs.ReadResponse_Ended }
  /** The boot that held it is gone, or forgot it. */
  | { kind: 'lost' }
  /** It was to be stopped and nobody confirmed that it was. */
  | { kind: 'stop-unconfirmed' }

/** The sandbox was not there any more, so nothing has begun in it. */
export class RunNotStarted extends Error {}

export type FollowOptions = {
  /** How the guest starts it, under the call's id, if it does not know it yet. */
  start: NonNullable<MessageInitShape<typeof runs.ReadRequestSchema>['start']>
  onDisplay(display: RunDisplay): Promise<void>
}

/** The guest sends SIGKILL after 300 ms; what has not ended well after that will not answer. */
const stopConfirmationMs = 3000
/** How long a lost connection is sought again before the run counts as lost: a restart of the host daemon fits in. */
const reconnectWithinMs = 120_000
const reconnectPauseMs = 250

/**
 * Starts a run under the call's id, or finds it again, and reads it to its end: every byte goes to the recorder once,
 * whatever connections break in between. When the turn is stopped the run is stopped, and read to its end too.
 */
export async function followRun(context: ToolContext, options: FollowOptions): Promise<RunEnd> {
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
        // The key makes this the same run however often it is sent; a stopped call is not started for the first time.
        if (!wasStarted && context.signal.aborted) return { kind: 'stop-unconfirmed' }
        wasStarted = true
        const reached = sandbox
        const end = await readToEnd(context, {
          sandbox,
          start: context.how === 'stop' ? undefined : options.start,
          // A Stop that was sent before the run was there stopped nothing.
          onStarted: () => {
            if (context.signal.aborted) void stopQuietly(reached, context.call.id)
          },
          firstDisplay: displays,
          signal: AbortSignal.any([stopping.giveUp, context.leave]),
          onDisplay: async (display) => {
            await options.onDisplay(display)
            displays = display.index + 1
          },
        })
        if (end !== undefined) return end
      } catch (error) {
        context.leave.throwIfAborted()
        if (stopping.giveUp.aborted) return { kind: 'stop-unconfirmed' }
        if (!isConnectionLoss(error)) throw error
        if (isUntried && wasRefused(error)) throw new RunNotStarted()
        isUntried = false
      }
      const { sizeBytes } = context.recorder.tail()
      if (sizeBytes !== progress.bytes) Object.assign(progress, { bytes: sizeBytes, at: context.nowMs() })
      context.leave.throwIfAborted()
      const again = await reconnect(context, { giveUp: stopping.giveUp, deadline: progress.at + reconnectWithinMs })
      context.leave.throwIfAborted()
      if (again === undefined) return context.signal.aborted ? { kind: 'stop-unconfirmed' } : { kind: 'lost' }
      if (again.bootId !== sandbox.bootId) return { kind: 'lost' }
      sandbox = again
    }
  } finally {
    stopping[Symbol.dispose]()
  }
}

/** Reads from what is stored on. Undefined when the connection ended before the run did. */
async function readToEnd(
  context: ToolContext,
  options: {
    sandbox: AwakeSandbox
    start: FollowOptions['start'] | undefined
    onStarted(): void
    firstDisplay: number
    signal: AbortSignal
    onDisplay(display: RunDisplay): Promise<void>
  },
): Promise<RunEnd | undefined> {
  const { call, recorder } = context
  await recorder.flush()
  const start = options.start === undefined ? {} : { start: options.start }
  const request = { key: call.id, offset: BigInt(recorder.tail().sizeBytes), display: options.firstDisplay, ...start }
  let next = recorder.tail().sizeBytes
  let isFirst = true
  try {
    for await (const { event } of options.sandbox.runs.read(request, { signal: options.signal })) {
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
      return { kind: 'ended', ended: event.value }
    }
  } catch (error) {
    if (error instanceof ConnectError && error.code === Code.NotFound) return { kind: 'lost' }
    throw error
  }
  return undefined
}

/** Sends Stop once when the turn is stopped, and gives up on an answer some time later. */
function watchForStop(context: ToolContext, sandbox: () => AwakeSandbox): Disposable & { giveUp: AbortSignal } {
  const controller = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const onStop = () => {
    timer = setTimeout(() => controller.abort(new Error('no confirmation')), stopConfirmationMs)
    void stopQuietly(sandbox(), context.call.id)
  }
  if (context.signal.aborted) onStop()
  else context.signal.addEventListener('abort', onStop, { once: true })
  return {
    giveUp: controller.signal,
    [Symbol.dispose]: () => {
      clearTimeout(timer)
      context.signal.removeEventListener('abort', onStop)
    },
  }
}

/** Reading goes on: the end of the run is the confirmation. A Stop that got lost is noticed by the time limit. */
async function stopQuietly(sandbox: AwakeSandbox, key: string): Promise<void> {
  await sandbox.runs.stop({ key }).catch(() => undefined)
}

async function reconnect(
  context: ToolContext,
  options: { giveUp: AbortSignal; deadline: number },
): Promise<AwakeSandbox | undefined> {
  const { giveUp, deadline } = options
  while (!giveUp.aborted && !context.leave.aborted && context.nowMs() < deadline) {
    await waitAtMost(reconnectPauseMs)
    try {
      return await context.reawake()
    } catch {
      // The host is not back yet; the deadline bounds how often this is tried.
    }
  }
  return undefined
}

/** The host's refusals that come before the sandbox hears of a request. */
const refusals = ['sandbox.not-running', 'sandbox.other-boot']
/** There is nobody at the host's socket. */
const unheard = ['ECONNREFUSED', 'ENOENT']

/** True when the request certainly did not reach the sandbox. */
function wasRefused(error: unknown): boolean {
  if (!(error instanceof ConnectError)) return false
  if (refusals.includes(error.metadata.get(errorHeader) ?? '')) return true
  return unheard.includes(String((error.cause as NodeJS.ErrnoException | undefined)?.code))
}

/** Errors that say nothing about the run itself: somebody between here and it went away. */
function isConnectionLoss(error: unknown): boolean {
  // What the host says instead of the guest: it is not there, or this boot is not.
  if (isThreadboxError(error)) return true
  if (!(error instanceof ConnectError)) return false
  const codes = [Code.Unavailable, Code.Aborted, Code.Canceled, Code.Unknown, Code.Internal, Code.DeadlineExceeded]
  return codes.includes(error.code)
}
