import { Code, ConnectError, type HandlerContext, type ServiceImpl } from '@connectrpc/connect'
import { process as protocol } from '@threadbox/protocol/guest'
import { afterAwake } from '../ground/awake-time.ts'
import type { Launcher } from '../launch/launcher.ts'
import { userNameOf } from '../launch/users.ts'
import type { ManagedProcess, ProcessEvent } from './managed-process.ts'
import { type ProcessRegistry, type ProcessSelector, processUnknown } from './process-registry.ts'

/** Interval at which a silent stream sends a keep-alive, unless the client requests another one. */
const defaultKeepAliveSeconds = 90

/** The Process service, compatible with E2B's envd: a timeout kills what was started, a lost connection does not. */
export function makeProcessService(dependencies: {
  registry: ProcessRegistry
  launcher: Launcher
}): ServiceImpl<typeof protocol.Process> {
  const { registry, launcher } = dependencies
  const find = (message: protocol.ProcessSelector | undefined) => registry.find(selectorOf(message))
  return {
    list: () => ({
      processes: registry
        .running()
        .map(({ pid, tag, config }) => ({ pid, config: definedOnly(config), ...(tag === undefined ? {} : { tag }) })),
    }),
    start: async function* (request, context) {
      const { process: config, pty, tag, stdin } = request
      const started = await registry.start({
        user: launcher.user(userNameOf(context.requestHeader.get('authorization'))),
        config: { cmd: config?.cmd ?? '', args: config?.args ?? [], envs: config?.envs ?? {}, cwd: config?.cwd },
        tag,
        // Clients that do not know the field expect that they can write.
        stdin: stdin ?? true,
        terminal: pty === undefined ? undefined : { cols: pty.size?.cols ?? 0, rows: pty.size?.rows ?? 0 },
      })
      killAfterTimeout(started, context.timeoutMs())
      yield* follow(started, context)
    },
    connect: async function* (request, context) {
      yield* follow(find(request.process), context)
    },
    update: (request) => {
      const size = request.pty?.size
      if (size !== undefined) find(request.process).resize(size)
      return {}
    },
    sendInput: async (request) => {
      await writeInput(find(request.process), request.input)
      return {}
    },
    streamInput: async (requests) => {
      let target: ManagedProcess | undefined
      for await (const { event } of requests) {
        if (event.case === 'start') target = find(event.value.process)
        else if (event.case === 'data') await writeInput(target ?? find(undefined), event.value.input)
      }
      return {}
    },
    sendSignal: (request) => {
      const target = find(request.process)
      if (target.end !== undefined) throw processUnknown({ selector: `pid ${target.pid}` })
      const signal = signals[request.signal]
      if (signal === undefined) throw new ConnectError('SIGTERM and SIGKILL can be sent.', Code.Unimplemented)
      target.signal(signal)
      return {}
    },
    closeStdin: (request) => {
      find(request.process).closeInput()
      return {}
    },
  }
}

const signals: Record<protocol.Signal, 'SIGTERM' | 'SIGKILL' | undefined> = {
  [protocol.Signal.UNSPECIFIED]: undefined,
  [protocol.Signal.SIGTERM]: 'SIGTERM',
  [protocol.Signal.SIGKILL]: 'SIGKILL',
}

async function* follow(
  target: ManagedProcess,
  context: HandlerContext,
): AsyncGenerator<{ event: { event: ProcessEvent } }> {
  const queue = target.subscribe()
  try {
    yield { event: { event: { case: 'start', value: { pid: target.pid } } } }
    const asked = Number(context.requestHeader.get('keepalive-ping-interval') ?? defaultKeepAliveSeconds)
    const idleMs = (Number.isFinite(asked) && asked > 0 ? asked : defaultKeepAliveSeconds) * 1000
    const idle: ProcessEvent = { case: 'keepalive', value: {} }
    for await (const event of queue.read({ signal: context.signal, idleMs, idle })) yield { event: { event } }
  } finally {
    target.unsubscribe(queue)
  }
}

/** Counts independently of the client, which keeps the same limit: the side whose clock is first ends the call. */
function killAfterTimeout(target: ManagedProcess, limitMs: number | undefined): void {
  if (limitMs === undefined) return
  const timer = afterAwake(Math.max(0, limitMs), () => target.signal('SIGKILL'))
  void target.whenEnded.then(() => timer.cancel())
}

function selectorOf(message: protocol.ProcessSelector | undefined): ProcessSelector {
  const selector = message?.selector
  if (selector?.case === undefined) throw processUnknown({ selector: 'no pid and no tag' })
  return selector
}

async function writeInput(target: ManagedProcess, input: protocol.ProcessInput | undefined) {
  if (input?.input.case === undefined) return
  await target.write({ data: input.input.value, as: input.input.case })
}

function definedOnly({ cwd, ...config }: ManagedProcess['config']) {
  return cwd === undefined ? config : { ...config, cwd }
}
