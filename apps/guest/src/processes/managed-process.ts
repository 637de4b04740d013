import type { MessageInitShape } from '@bufbuild/protobuf'
import type { process as processProtocol } from '@threadbox/protocol/guest'
import { type ByteQueue, makeByteQueue } from '../ground/byte-queue.ts'

type EventMessage = Exclude<MessageInitShape<typeof processProtocol.ProcessEventSchema>['event'], undefined>
export type ProcessEvent = EventMessage
export type OutputStream = 'stdout' | 'stderr' | 'pty'
export type ProcessEnd = { exitCode: number; exited: boolean; status: string; error?: string }

/** What a client of the Process service can read from and do to a process. */
export type ManagedProcess = {
  readonly pid: number
  readonly tag: string | undefined
  readonly config: { cmd: string; args: string[]; envs: Record<string, string>; cwd?: string | undefined }
  /** Set when it has ended and all of its output was delivered. */
  readonly end: ProcessEnd | undefined
  readonly whenEnded: Promise<void>
  /** Output from now on, then the end. Every subscriber gets everything; slow ones lose nothing. */
  subscribe(): ByteQueue<ProcessEvent>
  unsubscribe(queue: ByteQueue<ProcessEvent>): void
  /** Throws `process.input-closed` if the input is closed. A report does not count as user activity. */
  write(options: { data: Uint8Array; as: 'stdin' | 'pty'; isReport?: boolean }): Promise<void>
  closeInput(): void
  resize(size: { cols: number; rows: number }): void
  /** Sends a signal to the process and everything in its group. */
  signal(signal: 'SIGHUP' | 'SIGTERM' | 'SIGKILL'): void
}

/** Hands the output of one process to any number of subscribers; the process waits for the slowest. */
export type OutputFan = {
  emit(stream: OutputStream, data: Uint8Array): void
  finish(end: ProcessEnd): void
  readonly end: ProcessEnd | undefined
  readonly whenEnded: Promise<void>
  subscribe(): ByteQueue<ProcessEvent>
  unsubscribe(queue: ByteQueue<ProcessEvent>): void
}

export function makeOutputFan(flow: { pause(): void; resume(): void }): OutputFan {
  const queues = new Set<ByteQueue<ProcessEvent>>()
  const ended = Promise.withResolvers<void>()
  let end: ProcessEnd | undefined
  const resumeIfRoom = () => {
    if (![...queues].some((queue) => queue.isFull)) flow.resume()
  }
  const emitEnd = (queue: ByteQueue<ProcessEvent>, value: ProcessEnd) => {
    queue.push({ case: 'end', value }, 0)
    queue.end()
  }
  return {
    emit: (stream, data) => {
      for (const queue of queues) {
        queue.push({ case: 'data', value: { output: { case: stream, value: data } } }, data.length)
        if (queue.isFull) flow.pause()
      }
    },
    finish: (value) => {
      end = value
      ended.resolve()
      for (const queue of queues) emitEnd(queue, value)
    },
    get end() {
      return end
    },
    whenEnded: ended.promise,
    subscribe: () => {
      const queue = makeByteQueue<ProcessEvent>(resumeIfRoom)
      queues.add(queue)
      if (end !== undefined) emitEnd(queue, end)
      return queue
    },
    unsubscribe: (queue) => {
      queues.delete(queue)
      resumeIfRoom()
    },
  }
}

/** Describes an exit in the words of E2B's envd, which its clients show to people. */
export function describeEnd(exit: { code: number | null; signal: string | null }): ProcessEnd {
  if (exit.signal !== null) {
    const status = `signal: ${signalWords[exit.signal] ?? exit.signal}`
    return { exitCode: -1, exited: false, status, error: status }
  }
  const exitCode = exit.code ?? 0
  const status = `exit status ${exitCode}`
  return { exitCode, exited: true, status, ...(exitCode === 0 ? {} : { error: status }) }
}

const signalWords: Record<string, string> = {
  SIGKILL: 'killed',
  SIGTERM: 'terminated',
  SIGINT: 'interrupt',
  SIGHUP: 'hangup',
  SIGSEGV: 'segmentation fault',
  SIGABRT: 'aborted',
}
