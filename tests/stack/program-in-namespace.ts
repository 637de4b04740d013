import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** A Node program in a network namespace, which prints lines. */
export type ProgramInNamespace = {
  pid: number
  /** The next line that it prints. Throws if it has ended. */
  next(): Promise<string>
  /** Sends a line, and returns the next one that it prints. */
  ask(line: string): Promise<string>
  stop(): Promise<void>
}

/** `args`: those of Node. `ip netns exec` becomes the program, so the process has its ID. */
export function startProgramIn(
  namespace: string,
  args: readonly string[],
  environment?: Record<string, string>,
): ProgramInNamespace {
  const command = ['netns', 'exec', namespace, process.execPath, ...args]
  const env = environment === undefined ? process.env : { PATH: process.env.PATH, ...environment }
  const child: ChildProcess = spawn('ip', command, { env, stdio: ['pipe', 'pipe', 'inherit'] })
  if (child.stdout === null || child.stdin === null) throw new Error('the program has no pipes')
  const { stdin } = child
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => {
    const { value, done } = await lines.next()
    if (done === true) throw new Error('the program has ended')
    return value
  }
  return {
    pid: child.pid ?? 0,
    next,
    ask: async (line) => {
      stdin.write(`${line}\n`)
      return await next()
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** What a program prints after a line, if that is a list of numbers. */
export async function askForNumbers(program: ProgramInNamespace, line: string): Promise<number[]> {
  return JSON.parse(await program.ask(line)) as number[]
}
