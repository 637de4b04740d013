import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { waitAtMost } from '@threadbox/concurrency'
import { btrfsCallsProgram } from './btrfs-calls.program.ts'
import { commandFailed } from './disk-store.errors.ts'
import { systemEnvironment } from './run-command.ts'

/** A call can wait for a commit, so others are made beside it. Each process has 3 MiB. */
const mostProcesses = 6
/** A process that made no call for this long is ended. */
const idleMs = 60_000

type CallProcess = { call(line: string, timeoutMs: number): Promise<string>; end(): void }

const idle: { process: CallProcess; timer: NodeJS.Timeout }[] = []
const waiting: ((process: CallProcess | undefined) => void)[] = []
let processes = 0

/**
 * Makes one call of btrfs-calls.program.ts and returns its results, without starting a program for it. Throws
 * `disk.command-failed` with the system’s text, also if it takes longer than `timeoutMs`.
 */
export async function callBtrfs(
  [name, ...args]: readonly [name: string, ...args: string[]],
  { timeoutMs }: { timeoutMs: number },
): Promise<string[]> {
  const command = ['btrfs', name, ...args].join(' ')
  if (args.some((one) => /[\t\n]/.test(one))) throw commandFailed({ command, reason: 'a name has a tab or line break' })
  const process = await take()
  let answer: string
  try {
    answer = await process.call([name, ...args].join('\t'), timeoutMs)
  } catch (error) {
    process.end()
    drop()
    throw commandFailed({ command, reason: error instanceof Error ? error.message : String(error) }, { cause: error })
  }
  giveBack(process)
  const [state, ...results] = answer.split('\t')
  if (state !== 'ok') throw commandFailed({ command, reason: results.join(' ') })
  return results
}

async function take(): Promise<CallProcess> {
  const ready = idle.pop()
  if (ready !== undefined) {
    clearTimeout(ready.timer)
    return ready.process
  }
  if (processes < mostProcesses) {
    processes += 1
    return startProcess()
  }
  const { promise, resolve } = Promise.withResolvers<CallProcess | undefined>()
  waiting.push(resolve)
  return (await promise) ?? startProcess()
}

function giveBack(process: CallProcess): void {
  const next = waiting.shift()
  if (next !== undefined) {
    next(process)
    return
  }
  const timer = setTimeout(() => {
    idle.splice(
      idle.findIndex((each) => each.process === process),
      1,
    )
    process.end()
    drop()
  }, idleMs)
  timer.unref()
  idle.push({ process, timer })
}

/** One process fewer: a call that waits gets a new one. */
function drop(): void {
  const next = waiting.shift()
  if (next === undefined) processes -= 1
  else next(undefined)
}

function startProcess(): CallProcess {
  const child = spawn('perl', ['-e', btrfsCallsProgram], {
    cwd: '/',
    env: systemEnvironment,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let stderr = ''
  child.stderr.on('data', (text: Buffer) => {
    stderr = (stderr + text.toString()).slice(-2000)
  })
  const ended = new Promise<never>((_, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => reject(new Error(stderr.trim() || `it ended with ${code ?? signal}`)))
  })
  ended.catch(() => undefined)
  // A process that has ended doesn’t read: `ended` says why.
  child.stdin.on('error', () => undefined)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  holdProcess(child, false)
  return {
    call: async (line, timeoutMs) => {
      holdProcess(child, true)
      try {
        child.stdin.write(`${line}\n`)
        const answer = Promise.race([lines.next(), ended])
        if ((await waitAtMost(timeoutMs, { work: answer })) === 'late') throw new Error(`it took over ${timeoutMs} ms`)
        const { value, done } = await answer
        return done === true ? await ended : value
      } finally {
        holdProcess(child, false)
      }
    },
    end: () => void child.kill('SIGKILL'),
  }
}

/** An idle one doesn’t keep this process running. It ends with it, because its input is closed. */
function holdProcess(child: ChildProcess, isHeld: boolean): void {
  const handles = [child, child.stdin, child.stdout, child.stderr] as unknown as { ref(): void; unref(): void }[]
  for (const handle of handles) isHeld ? handle.ref() : handle.unref()
}
