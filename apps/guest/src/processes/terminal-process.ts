import { type IPty, spawn } from '@lydell/node-pty'
import { defineError } from '@threadbox/errors'
import { identityOptions, programNotStarted, requireDirectory } from '../launch/launcher.ts'
import { describeEnd, type ManagedProcess, makeOutputFan } from './managed-process.ts'
import { inputClosed, type ProcessStart, signalGroup } from './pipe-process.ts'

type Size = { cols: number; rows: number }

const defaultSize: Size = { cols: 80, rows: 24 }
/** Input that can wait for a program that does not read: beyond it, input is refused instead of kept in memory. */
const maxUnreadBytes = 1024 * 1024

const inputUnread = defineError<{ pid: number }>({
  code: 'process.input-unread',
  kind: 'exhausted',
  message: ({ pid }) => `Process ${pid} isn’t reading its input.`,
  remedy: () => 'Wait until it reads again, or stop it.',
})

const signalNames: Record<number, NodeJS.Signals> = {
  1: 'SIGHUP',
  2: 'SIGINT',
  6: 'SIGABRT',
  9: 'SIGKILL',
  11: 'SIGSEGV',
  15: 'SIGTERM',
}

/** Starts a program in a pseudo-terminal. */
export function startTerminalProcess(start: ProcessStart & { size: Partial<Size>; onInput(): void }): ManagedProcess {
  const { request } = start
  requireDirectory(request.cwd)
  const terminal = open(start)
  const fan = makeOutputFan({ pause: () => terminal.pause(), resume: () => terminal.resume() })
  // Without an encoding node-pty hands out bytes, which its types do not say.
  terminal.onData((data) => fan.emit('pty', data as unknown as Buffer))
  terminal.onExit(({ exitCode, signal }) => {
    const name = signal === undefined || signal === 0 ? null : (signalNames[signal] ?? `SIG${signal}`)
    fan.finish(describeEnd({ code: exitCode, signal: name }))
  })
  return {
    pid: terminal.pid,
    tag: start.tag,
    config: start.config,
    get end() {
      return fan.end
    },
    whenEnded: fan.whenEnded,
    subscribe: fan.subscribe,
    unsubscribe: fan.unsubscribe,
    write: async ({ data, as, isReport = false }) => {
      if (fan.end !== undefined || as === 'stdin') throw inputClosed({ pid: terminal.pid })
      if (unreadBytes(terminal) > maxUnreadBytes) throw inputUnread({ pid: terminal.pid })
      if (!isReport) start.onInput()
      terminal.write(Buffer.from(data) as unknown as string)
    },
    closeInput: () => {
      throw inputClosed({ pid: terminal.pid })
    },
    resize: (size) => terminal.resize(Math.max(1, size.cols), Math.max(1, size.rows)),
    signal: (signal) => signalGroup(terminal.pid, signal),
  }
}

/** Input that the terminal has not accepted yet, because its program does not read. Not part of node-pty's types. */
function unreadBytes(terminal: IPty): number {
  return (terminal as unknown as { _socket?: { writableLength?: number } })._socket?.writableLength ?? 0
}

function open(start: ProcessStart & { size: Partial<Size> }): IPty {
  const { launcher, request } = start
  const [program = '', ...args] = launcher.limited(request)
  try {
    return spawn(program, args, {
      name: 'xterm-256color',
      cols: start.size.cols || defaultSize.cols,
      rows: start.size.rows || defaultSize.rows,
      cwd: request.cwd,
      env: launcher.environment(request),
      encoding: null,
      ...identityOptions(request.user),
    })
  } catch (cause) {
    throw programNotStarted({ program: request.program, problem: String(cause) }, { cause })
  }
}
