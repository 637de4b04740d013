import { type ChildProcess, spawn } from 'node:child_process'
import { createReadStream, existsSync } from 'node:fs'
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { Code, ConnectError, createClient, createRouterTransport } from '@connectrpc/connect'
import { filesystem, process as processes, runs } from '@threadbox/protocol/guest'
import { errorHeader } from '@threadbox/protocol/host'
import { fileIsDirectory, fileNotFound } from '../../sandboxes/state/file.errors.ts'
import type { AwakeSandbox, SandboxAccess } from '../../sandboxes/state/sandbox-access.ts'

type Run = {
  child: ChildProcess
  output: Buffer
  acknowledged: number
  ended: { exitCode: number; signal: string; isStopped: boolean } | undefined
  changed: () => void
  wait: Promise<void>
}

/**
 * A sandbox of a plain directory and real child processes, for tests where gVisor can't run. It has the properties of
 * the Runs service that the engine depends on (keys, offsets, Stop), and no isolation.
 */
export type PlainSandbox = SandboxAccess & {
  directory: string
  /** Ends the boot with its processes and executions. The next use has another boot id. */
  crash(): void
  /** As `crash`, but the server still believes the old boot to be ready, which rejects every request. */
  crashUnheard(): void
  /** Breaks every open read, as a restart of the host daemon does; executions keep running. */
  cutConnections(): void
  starts: string[]
  acknowledged: Map<string, number>
  bootCount: number
  fails: Error | undefined
}

/** Its programs need no notice of turns. */
const unsignaled = { wakeAhead: () => undefined, prepareForAgent: () => undefined, turnEnded: () => undefined }

export function makePlainSandbox(directory: string): PlainSandbox {
  let known = new Map<string, Run>()
  let connections = new AbortController()
  const home = (path: string) => join(directory, path.replace(/^\/home\/user\/?/, ''))

  const begin = (key: string, argv: string[]) => {
    const existing = known.get(key)
    if (existing !== undefined) return { pid: existing.child.pid ?? 0, existed: true }
    sandbox.starts.push(key)
    const [file = '', ...args] = argv
    const child = spawn(file, args, { cwd: directory, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    const { promise, resolve } = Promise.withResolvers<void>()
    const run: Run = {
      child,
      output: Buffer.alloc(0),
      acknowledged: 0,
      ended: undefined,
      changed: resolve,
      wait: promise,
    }
    known.set(key, run)
    const add = (data: Buffer) => {
      run.output = Buffer.concat([run.output, data])
      wake(run)
    }
    child.stdout?.on('data', add)
    child.stderr?.on('data', add)
    child.on('close', (code, signal) => {
      const isStopped = run.ended?.isStopped === true
      run.ended = { exitCode: code ?? -1, signal: signal ?? '', isStopped }
      wake(run)
    })
    return { pid: child.pid ?? 0, existed: false }
  }
  const transport = transportFor({
    directory,
    home,
    begin,
    runs: () => known,
    signal: () => connections.signal,
    acknowledged: (key, offset) => void sandbox.acknowledged.set(key, offset),
  })
  let believedBoot: number | undefined
  const awake = (boot = sandbox.bootCount): AwakeSandbox => ({
    sandboxId: 's-plain',
    bootId: `b-${boot}`,
    runs: createClient(runs.Runs, boot === sandbox.bootCount ? transport : refusing),
    processes: createClient(processes.Process, transport),
    files: createClient(filesystem.Filesystem, transport),
    download: async (path) => {
      const facts = await stat(home(path)).catch(() => undefined)
      if (facts === undefined) throw fileNotFound({ path })
      if (facts.isDirectory()) throw fileIsDirectory({ path })
      return {
        stream: Readable.toWeb(createReadStream(home(path))) as ReadableStream<Uint8Array>,
        sizeBytes: facts.size,
      }
    },
    upload: async (path, content) => {
      await mkdir(dirname(home(path)), { recursive: true })
      await writeFile(home(path), content instanceof Uint8Array ? content : Readable.fromWeb(content as never))
    },
  })
  const sandbox: PlainSandbox = {
    directory,
    starts: [],
    acknowledged: new Map(),
    bootCount: 1,
    fails: undefined,
    awake: async () => {
      if (sandbox.fails !== undefined) throw sandbox.fails
      believedBoot = sandbox.bootCount
      return awake()
    },
    believedReady: async () => (believedBoot === undefined ? undefined : awake(believedBoot)),
    ifAwake: async () => awake(),
    ...unsignaled,
    hold: () => ({ [Symbol.dispose]: () => undefined }),
    crash: () => {
      for (const run of known.values()) killGroup(run.child)
      known = new Map()
      sandbox.bootCount += 1
      believedBoot = undefined
      sandbox.cutConnections()
    },
    crashUnheard: () => {
      const before = believedBoot
      sandbox.crash()
      believedBoot = before
    },
    cutConnections: () => {
      connections.abort(new ConnectError('the connection was cut', Code.Unavailable))
      connections = new AbortController()
    },
  }
  return sandbox
}

/** The gateway's response when a request names another boot than the sandbox's. */
const refusing = createRouterTransport(({ service }) => {
  const refuse = () => {
    throw new ConnectError('another boot', Code.Unknown, { [errorHeader]: 'sandbox.other-boot' })
  }
  service(runs.Runs, {
    // biome-ignore lint/correctness/useYield: a rejected stream has no messages.
    async *read() {
      refuse()
    },
    stop: refuse,
  })
})

function transportFor(outside: {
  directory: string
  home(path: string): string
  begin(key: string, argv: string[]): { pid: number; existed: boolean }
  runs(): Map<string, Run>
  signal(): AbortSignal
  acknowledged(key: string, offset: number): void
}) {
  return createRouterTransport(({ service }) => {
    service(runs.Runs, {
      async *read(request, context) {
        const { key, start } = request
        if (start.case === 'startCommand') {
          // Programs of the guest are read from the sandbox's folder, where a test can put them.
          const command = start.value.command.replaceAll('/.guest/', `${outside.directory}/.guest/`)
          outside.begin(key, ['bash', '-c', command])
        }
        if (start.case === 'startCell') outside.begin(key, ['python3', '-c', start.value.code])
        if (start.case !== undefined) yield { event: { case: 'keepalive', value: {} } }
        yield* readRun(outside.runs(), request, AbortSignal.any([context.signal, outside.signal()]))
      },
      acknowledge: ({ key, offset }) => {
        outside.acknowledged(key, Number(offset))
        return {}
      },
      stop: ({ key }) => {
        const run = outside.runs().get(key)
        if (run === undefined || hasRunEnded(run)) return { wasRunning: false }
        run.ended = { exitCode: -1, signal: '', isStopped: true }
        killGroup(run.child)
        return { wasRunning: true }
      },
      list: () => ({}),
      forget: ({ key }) => {
        outside.runs().delete(key)
        return {}
      },
    })
    service(filesystem.Filesystem, { listDir: ({ path }) => listDirectory(outside.home(path), path) })
    service(processes.Process, {
      start: async function* ({ process }) {
        const args = (process?.args ?? []).map((arg) => (arg.startsWith('/home/user') ? outside.home(arg) : arg))
        // Programs that the machine may lack: a test can put one there.
        const ownProgram = join(outside.directory, '.guest', process?.cmd ?? '')
        const command = existsSync(ownProgram) ? ownProgram : (process?.cmd ?? '')
        yield* startProcess(command, args, outside.directory)
      },
    })
  })
}

function wake(run: Run): void {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { changed } = run
  run.wait = promise
  run.changed = resolve
  changed()
}

function hasRunEnded(run: Run): boolean {
  return run.child.exitCode !== null || run.child.signalCode !== null
}

function killGroup(child: ChildProcess): void {
  try {
    process.kill(-(child.pid ?? 0), 'SIGKILL')
  } catch {
    // It has already exited.
  }
}

async function* readRun(known: Map<string, Run>, request: { key: string; offset: bigint }, signal: AbortSignal) {
  let offset = Number(request.offset)
  const aborted = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
  })
  aborted.catch(() => undefined)
  for (;;) {
    const run = known.get(request.key)
    if (run === undefined) throw new ConnectError('no such run', Code.NotFound)
    const { wait } = run
    if (offset < run.output.length) {
      const data = run.output.subarray(offset, offset + 64 * 1024)
      yield { event: { case: 'output' as const, value: { offset: BigInt(offset), data } } }
      offset += data.length
      continue
    }
    if (run.ended !== undefined && hasRunEnded(run)) {
      const { exitCode, signal: by, isStopped } = run.ended
      const cause = isStopped ? runs.EndCause.STOPPED : by === '' ? runs.EndCause.EXITED : runs.EndCause.SIGNALLED
      const value = { cause, exitCode, signal: by, cwd: '/home/user', outputSize: BigInt(offset), durationMs: 1 }
      yield { event: { case: 'ended' as const, value } }
      return
    }
    await Promise.race([wait, aborted])
  }
}

async function listDirectory(real: string, shown: string) {
  const names = await readdir(real, { withFileTypes: true }).catch(() => {
    throw new ConnectError(`${shown} does not exist`, Code.NotFound)
  })
  const entries = names.map((entry) => ({
    name: entry.name,
    path: `${shown}/${entry.name}`,
    type: entry.isDirectory() ? filesystem.FileType.DIRECTORY : filesystem.FileType.FILE,
    size: 0n,
  }))
  return { entries }
}

async function* startProcess(command: string, args: string[], cwd: string) {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  const closed = new Promise<number>((resolve) => {
    child.on('close', (code) => resolve(code ?? -1))
    child.on('error', () => resolve(127))
  })
  yield { event: { event: { case: 'start' as const, value: { pid: child.pid ?? 0 } } } }
  for await (const data of child.stdout) {
    const output = { case: 'stdout' as const, value: data as Buffer }
    yield { event: { event: { case: 'data' as const, value: { output } } } }
  }
  yield { event: { event: { case: 'end' as const, value: { exitCode: await closed, exited: true, status: '' } } } }
}
