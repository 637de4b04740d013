import { spawn } from 'node:child_process'
import { z } from 'zod'
import { runscFailed, runscMissing } from './gvisor.errors.ts'
import { findHelpers } from './runsc-helpers.ts'
import { type SharedPaths, shiftExitCodes, withShiftedIds } from './shifted-ids.ts'

/** The commands of runsc that threadbox uses: the only place that builds a runsc command line. No shell is involved. */
export type RunscCommand = {
  version(): Promise<string>
  /** Starts a container in the background; returns when its first process was started. */
  run(options: RunOptions): Promise<void>
  /** Starts a container from a memory image; returns when its memory is loaded and it is running. */
  restore(options: RunOptions & { imageDirectory: string; hasOtherIds: boolean }): Promise<void>
  pause(containerId: string): Promise<void>
  resume(containerId: string): Promise<void>
  /** Writes the memory of a container into an empty directory and does not change the container. */
  checkpoint(options: { containerId: string; imageDirectory: string; logFile: string }): Promise<void>
  /** The status in runsc’s terms, such as `running` and `paused`. */
  status(containerId: string): Promise<string>
  /** The features of this host’s processor, sorted. */
  cpuFeatures(): Promise<string[]>
  /** Removes container and records. Does nothing for an unknown container. */
  delete(containerId: string): Promise<void>
}

type RunOptions = {
  containerId: string
  bundleDirectory: string
  pidFile: string
  logFile: string
  /** The file descriptor that becomes standard output and standard error of the first process. */
  consoleDescriptor: number
  /** Runs it where these have shifted IDs; undefined if the container has the machine’s. */
  shift: SharedPaths | undefined
}

type Invocation = {
  verb: string
  flags?: string[]
  arguments: string[]
  timeoutMs: number
  logFile?: string
  consoleDescriptor?: number
  shift?: SharedPaths | undefined
}

/** The longest start on a host with every core busy took less than 3 s; ten times that is a hang. */
const startTimeoutMs = 30_000
const queryTimeoutMs = 15_000
/**
 * 1 GiB took 2.5 s to save and 0.9 s to load; 300 MB of files that were deleted while open took 41 s. More than this is
 * a hang.
 */
const memoryTimeoutMs = 600_000

/**
 * Flags that a checkpoint and the restore of it must share, so they are one fixed list:
 * - `overlay2=none` writes through to the disk, so that what was synced survives a crash;
 * - `allow-suid` lets sudo work;
 * - `allow-connected-on-save` keeps TCP connections alive through a memory image.
 */
const fixedFlags = [
  '--network=sandbox',
  '--overlay2=none',
  '--platform=systrap',
  '--allow-suid',
  '--allow-connected-on-save',
  '--host-settings=ignore',
]

export type RunscOptions = {
  runscPath: string
  stateDirectory: string
  /** The network namespace of gofers, which must exist at a start. */
  goferNamespace: string
  /** Where helpers are when IDs are shifted. */
  helpersPlace: string
}

export function makeRunscCommand(options: RunscOptions): RunscCommand {
  const start = async (invocation: Invocation & { shift: SharedPaths | undefined }) => {
    const directory = await findHelpers(options.runscPath)
    const helpers = directory === undefined ? undefined : { directory, place: options.helpersPlace }
    const shift = invocation.shift === undefined ? undefined : { ...invocation.shift, helpers }
    return await invoke({ ...invocation, shift })
  }
  const invoke = (invocation: Invocation) => {
    const logFlags = invocation.logFile === undefined ? [] : [`--log=${invocation.logFile}`, '--log-format=json']
    const [command, ...commandLine] = shifted(invocation.shift, [
      options.runscPath,
      `--root=${options.stateDirectory}`,
      ...fixedFlags,
      `--gofer-network-namespace=${options.goferNamespace}`,
      ...(invocation.flags ?? []),
      ...logFlags,
      invocation.verb,
      ...invocation.arguments,
    ])
    return runProcess({ ...invocation, command, commandLine })
  }
  return {
    version: async () => {
      const output = await invoke({ verb: '--version', arguments: [], timeoutMs: queryTimeoutMs })
      return /runsc version (\S+)/.exec(output)?.[1] ?? output.trim()
    },
    run: async (run) => {
      await start({
        verb: 'run',
        arguments: ['--detach', `--bundle=${run.bundleDirectory}`, `--pid-file=${run.pidFile}`, run.containerId],
        timeoutMs: startTimeoutMs,
        logFile: run.logFile,
        consoleDescriptor: run.consoleDescriptor,
        shift: run.shift,
      })
    },
    restore: async (run) => {
      await start({
        verb: 'restore',
        // Memory holds no ID of the machine, so it continues with others. runsc compares them with the rest of the spec,
        // which is the same for all sandboxes: the comparison is only logged.
        flags: run.hasOtherIds ? ['--restore-spec-validation=warning'] : [],
        arguments: [
          '--detach',
          `--bundle=${run.bundleDirectory}`,
          `--image-path=${run.imageDirectory}`,
          `--pid-file=${run.pidFile}`,
          run.containerId,
        ],
        timeoutMs: memoryTimeoutMs,
        logFile: run.logFile,
        consoleDescriptor: run.consoleDescriptor,
        shift: run.shift,
      })
    },
    pause: async (containerId) => {
      await invoke({ verb: 'pause', arguments: [containerId], timeoutMs: startTimeoutMs })
    },
    resume: async (containerId) => {
      await invoke({ verb: 'resume', arguments: [containerId], timeoutMs: startTimeoutMs })
    },
    checkpoint: async ({ containerId, imageDirectory, logFile }) => {
      await invoke({
        verb: 'checkpoint',
        // Without leave-running the container is killed even if saving it failed.
        arguments: ['--leave-running', `--image-path=${imageDirectory}`, containerId],
        timeoutMs: memoryTimeoutMs,
        logFile,
      })
    },
    status: async (containerId) => {
      const output = await invoke({ verb: 'state', arguments: [containerId], timeoutMs: queryTimeoutMs })
      return stateSchema.parse(JSON.parse(output)).status
    },
    cpuFeatures: async () => {
      const output = await invoke({ verb: 'cpu-features', arguments: [], timeoutMs: queryTimeoutMs })
      return output
        .split(/[\s,]+/)
        .filter((feature) => feature !== '')
        .sort()
    },
    delete: async (containerId) => {
      await invoke({ verb: 'delete', arguments: ['--force', containerId], timeoutMs: queryTimeoutMs })
    },
  }
}

function shifted(paths: SharedPaths | undefined, command: [string, ...string[]]): [string, ...string[]] {
  return paths === undefined ? command : withShiftedIds(paths, command)
}

const stateSchema = z.object({ status: z.string() })

async function runProcess(invocation: Invocation & { command: string; commandLine: string[] }): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const output = invocation.consoleDescriptor ?? 'pipe'
  const child = spawn(invocation.command, invocation.commandLine, {
    stdio: ['ignore', output, output],
    // A sandbox inherits nothing of the daemon's environment.
    // Without helpers, runsc starts a sandbox with itself. Where the sandbox has the machine’s IDs, it may not reach them.
    env: {
      PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
      GVISOR_SIDECAR_BINARIES_DIR: invocation.shift?.helpers?.place ?? '/nonexistent',
    },
    cwd: '/',
  })
  let standardOutput = ''
  let standardError = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    standardOutput += chunk.toString()
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    standardError += chunk.toString()
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), invocation.timeoutMs)
  child.once('error', (cause) => {
    clearTimeout(timer)
    const isShifting = invocation.shift !== undefined
    const { verb, command } = invocation
    if (isShifting) reject(runscFailed({ verb, exitCode: shiftExitCodes.notShifted, reason: String(cause) }, { cause }))
    else reject(runscMissing({ path: command }, { cause }))
  })
  child.once(invocation.consoleDescriptor === undefined ? 'close' : 'exit', (code, signal) => {
    clearTimeout(timer)
    if (code === 0) return resolve(standardOutput)
    const reason = signal === null ? lastLine(standardError) : `no response within ${invocation.timeoutMs} ms`
    reject(runscFailed({ verb: invocation.verb, exitCode: code ?? -1, reason }))
  })
  return await promise
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? ''
}
