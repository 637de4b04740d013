import { Code, ConnectError, createClient } from '@connectrpc/connect'
import { waitAtMost } from '@threadbox/concurrency'
import { process } from '@threadbox/protocol/guest'
import type { HostClient } from '../../sandboxes/public.ts'
import { connectionProgramNotStarted } from './connections.errors.ts'
import type { ProgramStart } from './program.logic.ts'
import type { ProgramOutput, StartedProgram } from './program-transport.ts'

/** How long a program has to exit after its input closes, and again after each signal. */
const stopTimeoutMs = 1000
/** How often the guest confirms that a silent program is still running. */
const keepAliveSeconds = '30'

/** Starts a program in a boot that is ready. Throws `connection.program-not-started` and the host's errors. */
export async function startProgramProcess(
  host: HostClient,
  order: { target: { sandboxId: string; bootId: string }; start: ProgramStart; signal: AbortSignal },
): Promise<StartedProgram> {
  const client = createClient(process.Process, host.transport(order.target))
  const { command, args, environment } = order.start
  const hangUp = new AbortController()
  const stopWaiting = () => hangUp.abort(order.signal.reason)
  order.signal.addEventListener('abort', stopWaiting, { once: true })
  const events = client
    .start(
      { process: { cmd: command, args, envs: environment }, stdin: true },
      { signal: hangUp.signal, headers: { 'keepalive-ping-interval': keepAliveSeconds } },
    )
    [Symbol.asyncIterator]()
  let pid: number
  try {
    order.signal.throwIfAborted()
    const first = await events.next()
    const event = first.done === true ? undefined : first.value.event?.event
    if (event?.case !== 'start') throw connectionProgramNotStarted({ command, problem: 'the sandbox didn’t respond.' })
    pid = event.value.pid
  } catch (error) {
    hangUp.abort()
    if (order.signal.aborted) throw order.signal.reason
    throw startFailureOf(error, command)
  } finally {
    order.signal.removeEventListener('abort', stopWaiting)
  }
  const selected = { process: { selector: { case: 'pid' as const, value: pid } } }
  const ended = Promise.withResolvers<void>()
  const signalled = async (signal: process.Signal) => {
    await client.sendSignal({ ...selected, signal }, { timeoutMs: stopTimeoutMs }).catch(() => undefined)
    await waitAtMost(stopTimeoutMs, { work: ended.promise })
  }
  let hasEnded = false
  const end = async () => {
    await client.closeStdin(selected, { timeoutMs: stopTimeoutMs }).catch(() => undefined)
    await waitAtMost(stopTimeoutMs, { work: ended.promise })
    if (!hasEnded) await signalled(process.Signal.SIGTERM)
    if (!hasEnded) await signalled(process.Signal.SIGKILL)
    hangUp.abort()
  }
  let ending: Promise<void> | undefined
  return {
    output: outputOf(events, () => {
      hasEnded = true
      ended.resolve()
    }),
    write: async (stdin) => {
      await client.sendInput(
        { ...selected, input: { input: { case: 'stdin', value: stdin } } },
        { signal: hangUp.signal },
      )
    },
    end: () => {
      ending ??= end()
      return ending
    },
  }
}

async function* outputOf(
  events: AsyncIterator<process.StartResponse>,
  onEnd: () => void,
): AsyncGenerator<ProgramOutput> {
  for (let next = await events.next(); next.done !== true; next = await events.next()) {
    const event = next.value.event?.event
    if (event?.case === 'end') {
      onEnd()
      return yield { kind: 'ended', how: event.value.status.slice(0, 100) }
    }
    if (event?.case !== 'data') continue
    const { output } = event.value
    if (output.case === 'stdout' || output.case === 'stderr') yield { kind: output.case, bytes: output.value }
  }
}

function startFailureOf(error: unknown, command: string): unknown {
  if (!(error instanceof ConnectError)) return error
  const isOfProgram = error.code === Code.InvalidArgument
  const problem = isOfProgram ? 'the program doesn’t exist or isn’t executable.' : 'the sandbox didn’t respond.'
  return connectionProgramNotStarted({ command, problem }, { cause: error })
}
