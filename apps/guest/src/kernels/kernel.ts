import { chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { orAborted } from '@threadbox/concurrency'
import { defineError } from '@threadbox/errors'
import { afterAwake } from '../ground/awake-time.ts'
import { freshRandom } from '../ground/random.ts'
import type { Launcher, ProcessExit } from '../launch/launcher.ts'
import { readPipe } from '../launch/pipe-reader.ts'
import type { SandboxUser } from '../launch/users.ts'
import { readDescriptors, socketInode } from '../processes/descriptors.ts'
import { killFamily, sendSignal } from '../processes/process-family.ts'
import { decodeMessage, encodeRequest, type JupyterMessage, newMessageId } from './jupyter-messages.ts'
import { askKernel } from './kernel-control.ts'
import { connectZmtp, type ZmtpSocket } from './zmtp.ts'

export const kernelNotStarted = defineError<{ problem: string }>({
  code: 'kernel.not-started',
  kind: 'unavailable',
  message: ({ problem }) => `Couldn’t start the Python kernel: ${problem}`,
  remedy: () => 'Check that `python3 -m ipykernel --version` works in the sandbox.',
})

/** Messages of one request, as the kernel sends them. Calls continue after `onReply`: threads can print later. */
export type RequestListener = {
  onMessage(message: JupyterMessage): void
  /** The kernel's reply to the request itself. */
  onReply(message: JupyterMessage): void
}

/** A running Jupyter kernel, leader of its own session and process group. */
export type Kernel = {
  readonly pid: number
  /** In memory, with its sockets; only its user can enter it. */
  readonly directory: string
  /** Inodes of the sockets that the kernel had when it became ready: its own, not a user's. */
  readonly ownSockets: ReadonlySet<string>
  /** How it ended, with the end of what it printed itself. */
  readonly exit: Promise<ProcessExit & { lastWords: string }>
  request(options: { type: string; content: object; listener: RequestListener }): void
  /** Sends a request that is independent of cells, also while one runs. Rejects with `kernel.not-answering`. */
  ask(question: { operation: string; timeoutMs: number } & Record<string, unknown>): Promise<unknown>
  /** Discards what cells said and printed, here and in the kernel. */
  forget(): Promise<void>
  /** Pauses or continues the kernel. */
  hold(held: boolean): void
  interrupt(): void
  isAlive(): boolean
  kill(): Promise<void>
}

/** Why a start was abandoned. */
export const kernelUnneeded = 'it was ended because no cell used it.'

/** Python and its packages can take long to load from a slow disk the first time. */
const startTimeoutMs = 60_000
const retryMs = 20
/** It overwrites a few megabytes, after collecting garbage. */
const forgetMs = 20_000
const lastWordsBytes = 4096
/** Requests whose late output is still delivered. */
const listenersKept = 200
const ports = { shell: 1, iopub: 2, stdin: 3, control: 4, hb: 5 }

/** Ends what it has started when `signal` aborts, and throws `kernel.not-started`. */
export async function startKernel(options: {
  launcher: Launcher
  kernelProgram: string
  scratchDirectory: string
  cwd: string
  signal: AbortSignal
}): Promise<Kernel> {
  const { launcher } = options
  const user = launcher.user(undefined)
  const directory = makeSocketDirectory(options.scratchDirectory, user)
  const connectionFile = join(directory, 'connection.json')
  const launched = await launcher.launch({
    user,
    program: '/bin/bash',
    args: ['--login', '-c', 'exec python3 "$0" -f "$1"', options.kernelProgram, connectionFile],
    envs: {},
    cwd: options.cwd,
    stdin: 'none',
    stderr: 'stdout',
  })
  let lastWords = Buffer.alloc(0)
  const output = readPipe({
    descriptor: launched.stdout,
    onData: (chunk) => {
      lastWords = Buffer.concat([lastWords, chunk]).subarray(-lastWordsBytes)
    },
    onEnd: () => undefined,
  })
  const exit = launched.exit.then((ended) => {
    output.drain(lastWordsBytes)
    rmSync(directory, { recursive: true, force: true })
    return { ...ended, lastWords: lastWords.toString('utf8') }
  })
  const family = { root: launched.pid, mark: undefined }
  try {
    const channels = await connectChannels({ directory, exit, signal: options.signal })
    let isAlive = true
    void exit.then(() => {
      isAlive = false
    })
    return {
      pid: launched.pid,
      directory,
      isAlive: () => isAlive,
      exit,
      ownSockets: socketsOf(launched.pid),
      request: channels.request,
      ask: ({ timeoutMs, ...request }) => askKernel({ socketPath: join(directory, 'control'), request, timeoutMs }),
      forget: async () => {
        channels.forget()
        lastWords = Buffer.alloc(0)
        await askKernel({
          socketPath: join(directory, 'control'),
          request: { operation: 'forget' },
          timeoutMs: forgetMs,
        })
      },
      hold: (held) => void sendSignal(launched.pid, held ? 'SIGSTOP' : 'SIGCONT'),
      interrupt: () => void sendSignal(-launched.pid, 'SIGINT'),
      kill: async () => void (await killFamily(family)),
    }
  } catch (error) {
    await killFamily(family)
    throw error
  }
}

function socketsOf(pid: number): Set<string> {
  return new Set((readDescriptors(pid) ?? []).flatMap((descriptor) => socketInode(descriptor) ?? []))
}

/** Only the user can enter it, so messages need no signature. */
function makeSocketDirectory(scratchDirectory: string, user: SandboxUser): string {
  const directory = join(scratchDirectory, 'kernels', freshRandom(6))
  mkdirSync(join(scratchDirectory, 'kernels'), { recursive: true, mode: 0o711 })
  mkdirSync(directory, { mode: 0o700 })
  const connection = {
    transport: 'ipc',
    ip: join(directory, 'k'),
    key: '',
    signature_scheme: 'hmac-sha256',
    ...Object.fromEntries(Object.entries(ports).map(([name, port]) => [`${name}_port`, port])),
  }
  writeFileSync(join(directory, 'connection.json'), JSON.stringify(connection), { mode: 0o600 })
  if (process.getuid?.() === 0) {
    for (const path of [directory, join(directory, 'connection.json')]) chownSync(path, user.uid, user.gid)
  }
  return directory
}

async function connectChannels(options: { directory: string; exit: Kernel['exit']; signal: AbortSignal }) {
  const listeners = new Map<string, RequestListener>()
  const session = newMessageId()
  const givenUp = new AbortController()
  const ended = AbortSignal.any([givenUp.signal, options.signal])
  const timeout = afterAwake(startTimeoutMs, () => givenUp.abort())
  let problem = `it did not answer within ${startTimeoutMs / 1000} seconds`
  void options.exit.then(({ code, signal, lastWords }) => {
    problem = `it ended with ${signal ?? `exit code ${code}`}. ${lastWords.trim()}`
    givenUp.abort()
  })
  let heard = false
  const answered = Promise.withResolvers<void>()
  const dispatch = (frames: Buffer[], kind: 'onMessage' | 'onReply') => {
    if (kind === 'onMessage') heard = true
    const message = decodeMessage(frames)
    if (message === undefined) return
    const listener =
      listeners.get(message.parentId) ?? (kind === 'onMessage' ? [...listeners.values()].at(-1) : undefined)
    listener?.[kind](message)
  }
  const sockets: ZmtpSocket[] = []
  const connect = async (port: number, type: 'DEALER' | 'SUB') => {
    const socket = await connectWhenThere({
      path: join(options.directory, `k-${port}`),
      type,
      signal: ended,
      onMessage: (frames) => dispatch(frames, type === 'SUB' ? 'onMessage' : 'onReply'),
    })
    sockets.push(socket)
    return socket
  }
  try {
    const shell = await connect(ports.shell, 'DEALER')
    await connect(ports.iopub, 'SUB')
    // A subscription takes effect some time after it was sent; the first message received proves that it has.
    while (!heard) {
      ended.throwIfAborted()
      const id = newMessageId()
      listeners.set(id, { onMessage: () => undefined, onReply: () => answered.resolve() })
      shell.send(encodeRequest({ id, type: 'kernel_info_request', content: {}, session }))
      await delay(retryMs)
    }
    // Only now everything that belongs to the kernel itself is open.
    await orAborted(answered.promise, ended)
    return {
      forget: () => listeners.clear(),
      request: (request: { type: string; content: object; listener: RequestListener }) => {
        const id = newMessageId()
        listeners.set(id, request.listener)
        for (const oldest of listeners.keys()) {
          if (listeners.size <= listenersKept) break
          listeners.delete(oldest)
        }
        shell.send(encodeRequest({ ...request, id, session }))
      },
    }
  } catch (cause) {
    for (const socket of sockets) socket.close()
    throw kernelNotStarted({ problem: options.signal.aborted ? kernelUnneeded : problem }, { cause })
  } finally {
    timeout.cancel()
  }
}

async function connectWhenThere(options: {
  path: string
  type: 'DEALER' | 'SUB'
  signal: AbortSignal
  onMessage(frames: Buffer[]): void
}): Promise<ZmtpSocket> {
  for (;;) {
    options.signal.throwIfAborted()
    try {
      return await connectZmtp({ ...options, onClose: () => undefined })
    } catch {
      await delay(retryMs)
    }
  }
}
