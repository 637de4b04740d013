import { Socket } from 'node:net'
import { defineError } from '@threadbox/errors'
import type { LaunchedProcess, Launcher, LaunchRequest } from '../launch/launcher.ts'
import { type PipeReader, readPipe } from '../launch/pipe-reader.ts'
import { describeEnd, type ManagedProcess, makeOutputFan, type OutputStream } from './managed-process.ts'
import { sendSignal } from './process-family.ts'

export const inputClosed = defineError<{ pid: number }>({
  code: 'process.input-closed',
  kind: 'invalid',
  message: ({ pid }) => `The input of process ${pid} is closed.`,
  remedy: () => 'Start the process with input enabled, and write before you close it.',
})

/** What is in the pipes when the program ends is its output; a background process can keep writing forever. */
const drainLimitBytes = 1024 * 1024

export type ProcessStart = {
  launcher: Launcher
  request: LaunchRequest
  tag: string | undefined
  config: ManagedProcess['config']
}

/** Starts a program with pipes for input, output and errors. */
export async function startPipeProcess(start: ProcessStart): Promise<ManagedProcess> {
  const launched = await start.launcher.launch(start.request)
  const readers: PipeReader[] = []
  const fan = makeOutputFan({
    pause: () => {
      for (const reader of readers) reader.pause()
    },
    resume: () => {
      for (const reader of readers) reader.resume()
    },
  })
  const read = (descriptor: number, stream: OutputStream) =>
    readers.push(readPipe({ descriptor, onData: (chunk) => fan.emit(stream, chunk), onEnd: () => undefined }))
  read(launched.stdout, 'stdout')
  if (launched.stderr !== undefined) read(launched.stderr, 'stderr')
  const input = makeInput(launched)
  void launched.exit.then((exit) => {
    for (const reader of readers) reader.drain(drainLimitBytes)
    fan.finish(describeEnd(exit))
    input?.destroy()
    // Later output of background processes has no reader; they must not wait for one.
    for (const reader of readers) reader.resume()
  })
  return {
    pid: launched.pid,
    tag: start.tag,
    config: start.config,
    get end() {
      return fan.end
    },
    whenEnded: fan.whenEnded,
    subscribe: fan.subscribe,
    unsubscribe: fan.unsubscribe,
    write: async ({ data, as }) => {
      if (input === undefined || !input.writable || as === 'pty') throw inputClosed({ pid: launched.pid })
      await writeAll(input, data)
    },
    closeInput: () => {
      if (input === undefined || !input.writable) throw inputClosed({ pid: launched.pid })
      input.end()
    },
    resize: () => {
      throw notATerminal({ pid: launched.pid })
    },
    signal: (signal) => signalGroup(launched.pid, signal),
  }
}

export const notATerminal = defineError<{ pid: number }>({
  code: 'process.not-a-terminal',
  kind: 'invalid',
  message: ({ pid }) => `Process ${pid} has no terminal.`,
  remedy: () => 'Start the process with a terminal.',
})

/** The group is signaled first: its leader can have ended while others keep running. */
export function signalGroup(pid: number, signal: NodeJS.Signals) {
  if (!sendSignal(-pid, signal)) sendSignal(pid, signal)
}

function makeInput(launched: LaunchedProcess): Socket | undefined {
  if (launched.stdin === undefined) return undefined
  const input = new Socket({ fd: launched.stdin, readable: false, writable: true })
  // The program has closed its input or has ended; writers get the error from their own write.
  input.on('error', () => input.destroy())
  return input
}

function writeAll(input: Socket, data: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    input.write(data, (error) => (error ? reject(inputClosed({ pid: 0 }, { cause: error })) : resolve()))
  })
}
