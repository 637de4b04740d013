import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import {
  identify,
  isAlive,
  type ProcessIdentity,
  readProcessRecord,
  removeProcessRecord,
  writeProcessRecord,
} from '../installation/process-record.ts'
import { delayAfterEnd, type Restarts } from './backoff.logic.ts'

export type ProgramOptions = {
  name: string
  command: readonly [string, ...string[]]
  environment: Record<string, string>
  workingDirectory: string
  /** The user that the program runs as. Default: the user of the supervisor. */
  identity?: { uid: number; gid: number }
  logPath: string
  recordPath: string
  report: (event: string, details: Record<string, unknown>) => void
}

/** How often to check an adopted process, which isn’t a child because an earlier supervisor started it. */
const adoptedLookMs = 500

/**
 * Keeps one program running. Its output goes straight to its log file and its identity to its record, so that it can
 * outlive the supervisor. The next supervisor finds the record and adopts the program instead of starting a second one.
 */
export class SupervisedProgram {
  readonly #options: ProgramOptions
  #current: { identity: ProcessIdentity; ended: Promise<void> } | undefined
  #restarts: Restarts = { failures: 0 }
  readonly #stopping = new AbortController()
  #loop: Promise<void> | undefined

  constructor(options: ProgramOptions) {
    this.#options = options
  }

  /** Starts or adopts the program and keeps it running until `stop` or `leave`. A second call does nothing. */
  run(): void {
    this.#loop ??= this.#keepRunning()
  }

  /** Sends `signal`, waits for up to `graceMs`, and kills what is left. Resolves when the process is gone. */
  async stop(options: { signal: NodeJS.Signals; graceMs: number }): Promise<void> {
    this.#stopping.abort()
    const current = this.#current
    if (current) {
      send(current.identity, options.signal)
      await Promise.race([current.ended, wait(options.graceMs, undefined, { ref: false })])
      if (isAlive(current.identity)) {
        this.#options.report('killed after the stop timeout', { program: this.#options.name, graceMs: options.graceMs })
        send(current.identity, 'SIGKILL')
      }
      await current.ended
    }
    await this.#loop
    removeProcessRecord(this.#options.recordPath)
  }

  async #keepRunning(): Promise<void> {
    const { name, recordPath, report } = this.#options
    while (!this.#stopping.signal.aborted) {
      const startedAt = performance.now()
      const adopted = readProcessRecord(recordPath)
      this.#current = adopted ? { identity: adopted, ended: endOfAdopted(adopted) } : this.#start()
      report(adopted ? 'adopted' : 'started', { program: name, pid: this.#current?.identity.pid })
      await this.#current?.ended
      this.#current = undefined
      if (this.#stopping.signal.aborted) return
      const next = delayAfterEnd({ restarts: this.#restarts, ranMs: performance.now() - startedAt })
      this.#restarts = next.restarts
      report('exited, restarting', { program: name, delayMs: next.delayMs })
      await wait(next.delayMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined)
    }
  }

  #start(): { identity: ProcessIdentity; ended: Promise<void> } | undefined {
    const { command, environment, workingDirectory, identity, logPath, recordPath, report, name } = this.#options
    const [program, ...args] = command
    const log = openSync(logPath, 'a', 0o640)
    const child = spawn(program, args, {
      env: environment,
      cwd: workingDirectory,
      stdio: ['ignore', log, log],
      // A signal to the supervisor's group, such as Ctrl-C, must not reach the program past the supervisor.
      detached: true,
      ...(identity ?? {}),
    })
    closeSync(log)
    const ended = endOfChild(child, (details) => report('exited', { program: name, ...details }))
    const started = child.pid === undefined ? undefined : identify(child.pid)
    if (started === undefined) return undefined
    writeProcessRecord(recordPath, started)
    return { identity: started, ended }
  }
}

function endOfChild(child: ChildProcess, report: (details: Record<string, unknown>) => void): Promise<void> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      report({ error: error.message })
      resolve()
    })
    child.once('exit', (code, signal) => {
      report({ code, signal })
      resolve()
    })
  })
}

async function endOfAdopted(identity: ProcessIdentity): Promise<void> {
  while (isAlive(identity)) await wait(adoptedLookMs)
}

function send(identity: ProcessIdentity, signal: NodeJS.Signals): void {
  if (!isAlive(identity)) return
  try {
    process.kill(identity.pid, signal)
  } catch (error) {
    // The process ended between the check and the signal.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
