import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connectionProgramNotStarted } from './connections.errors.ts'
import type { ProgramOutput, StartedProgram } from './program-transport.ts'
import type { Programs } from './programs.ts'

/** Runs programs as child processes of the test, without a sandbox. */
export type LocalPrograms = Programs & {
  /** The number of reported failures. */
  failures: number
  running: number
  started: number
}

export function makeLocalPrograms(): LocalPrograms {
  const none = async () => undefined
  const local: LocalPrograms = {
    failures: 0,
    running: 0,
    started: 0,
    start: async ({ command, args, environment }) => {
      const program = await startLocally(command, { args, environment })
      local.running += 1
      local.started += 1
      void program.ended.then(() => {
        local.running -= 1
      })
      return program
    },
    phase: () => null,
    answered: () => undefined,
    failed: () => {
      local.failures += 1
    },
    forgive: () => undefined,
    erase: none,
    eraseOfWorkspace: none,
    recover: none,
    settle: none,
    applyEgress: none,
    sandboxIds: async () => [],
    [Symbol.asyncDispose]: none,
  }
  return local
}

async function startLocally(
  command: string,
  { args, environment }: { args: string[]; environment: Record<string, string> },
): Promise<StartedProgram & { ended: Promise<void> }> {
  const child = spawn(command, args, { env: environment, stdio: ['pipe', 'pipe', 'pipe'] })
  await once(child, 'spawn').catch(() => {
    throw connectionProgramNotStarted({ command, problem: 'there is no such program.' })
  })
  const outputs: ProgramOutput[] = []
  const ended = Promise.withResolvers<void>()
  let wake = () => {}
  const put = (output: ProgramOutput) => {
    outputs.push(output)
    wake()
  }
  for (const kind of ['stdout', 'stderr'] as const) {
    child[kind].on('data', (bytes: Buffer) => {
      put({ kind, bytes })
      // One chunk at a time, as over a network with a slow reader.
      child[kind].pause()
    })
  }
  child.stdin.on('error', () => undefined)
  child.on('close', (code, signal) => {
    put({ kind: 'ended', how: signal === null ? `exit status ${code}` : `signal: ${signal}` })
    ended.resolve()
  })
  async function* output(): AsyncGenerator<ProgramOutput> {
    for (;;) {
      const next = outputs.shift()
      if (next !== undefined) {
        yield next
        if (next.kind === 'ended') return
        continue
      }
      child.stdout.resume()
      child.stderr.resume()
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  return {
    output: output(),
    ended: ended.promise,
    write: (bytes) =>
      new Promise((resolve, reject) => {
        child.stdin.write(bytes, (error) => (error ? reject(error) : resolve()))
      }),
    end: async () => {
      child.stdin.end()
      child.kill('SIGKILL')
      await ended.promise
    },
  }
}
