import { Code, ConnectError } from '@connectrpc/connect'
import { process as processes } from '@threadbox/protocol/guest'
import { withGuestProblem } from '../host/guest-transport.ts'
import type { AwakeSandbox } from '../state/sandbox-access.ts'
import { gitTooSlow } from './git.errors.ts'
import type { GitOutput } from './git-output.logic.ts'

/** Result of a program in the sandbox. */
export type GitResult = GitOutput & { exitCode: number | null; errors: string }

const timeoutMs = 20_000
const maxErrorBytes = 4000

/**
 * Git prompts for nothing, fetches nothing and takes no locks, so that reading changes nothing. The path alone decides
 * which repository it is.
 */
const environment = {
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_PAGER: 'cat',
  LC_ALL: 'C.UTF-8',
}

/**
 * Runs a program in the sandbox as the sandbox’s user, without a shell, and returns the first `maxBytes` of its output;
 * one that prints more is killed. Throws `git.too-slow`.
 */
export async function runInside(
  sandbox: AwakeSandbox,
  options: { argv: readonly string[]; maxBytes: number; signal: AbortSignal },
): Promise<GitResult> {
  const [cmd = '', ...args] = options.argv
  const parts: Uint8Array[] = []
  const ran = {
    size: 0,
    errors: '',
    exitCode: null as number | null,
    isCut: false,
    pid: undefined as number | undefined,
  }
  const stream = sandbox.processes.start(
    { process: { cmd, args, envs: environment }, stdin: false },
    { signal: options.signal, timeoutMs },
  )
  try {
    for await (const { event } of stream) {
      const what = event?.event
      if (what?.case === 'start') ran.pid = what.value.pid
      if (what?.case === 'end') ran.exitCode = what.value.exitCode
      if (what?.case !== 'data') continue
      const { output } = what.value
      if (output.case === 'stderr') ran.errors = (ran.errors + textOf(output.value)).slice(0, maxErrorBytes)
      if (output.case !== 'stdout') continue
      const part = output.value.subarray(0, options.maxBytes - ran.size)
      parts.push(part)
      ran.size += part.length
      ran.isCut = part.length < output.value.length
      if (ran.isCut) break
    }
  } catch (error) {
    const isLate = error instanceof ConnectError && error.code === Code.DeadlineExceeded
    if (isLate && !options.signal.aborted) throw gitTooSlow({ seconds: timeoutMs / 1000 }, { cause: error })
    throw withGuestProblem(error)
  } finally {
    if (ran.exitCode === null && ran.pid !== undefined) await kill(sandbox, ran.pid)
  }
  return { bytes: Buffer.concat(parts), isCut: ran.isCut, exitCode: ran.exitCode, errors: ran.errors }
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}

async function kill(sandbox: AwakeSandbox, pid: number): Promise<void> {
  const request = { process: { selector: { case: 'pid' as const, value: pid } }, signal: processes.Signal.SIGKILL }
  // It may have exited in the meantime, which is the goal.
  await sandbox.processes.sendSignal(request).catch(() => undefined)
}
