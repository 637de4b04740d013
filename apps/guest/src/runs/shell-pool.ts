import type { LaunchedProcess, Launcher } from '../launch/launcher.ts'
import { sendSignal } from '../processes/process-family.ts'
import { shellBody } from './session-script.ts'

/** A shell that waits for its script on standard input. */
export type WaitingShell = LaunchedProcess & { stdin: number }

/**
 * Shells that were started before they are needed: starting one takes tens of milliseconds in a sandbox. There are two
 * kinds: a login shell for a session without state, a bare one for a session whose state is restored.
 */
export type ShellPool = {
  take(kind: ShellKind): Promise<WaitingShell>
  /** Starts a shell of this kind, unless one waits already. Failures show when one is taken. */
  prepare(kind: ShellKind): void
  /** Ends waiting shells: environment, limits or disk have changed. */
  reset(): void
}

export type ShellKind = 'login' | 'bare'

export function makeShellPool(dependencies: { launcher: Launcher }): ShellPool {
  const waiting = new Map<ShellKind, Promise<WaitingShell>>()
  const start = async (kind: ShellKind) => {
    const { launcher } = dependencies
    const user = launcher.user(undefined)
    const flags = kind === 'login' ? ['--login'] : ['--noprofile', '--norc']
    const launched = await launcher.launch({
      user,
      program: '/bin/bash',
      args: [...flags, '-c', shellBody, 'bash'],
      envs: {},
      cwd: launcher.workdir(user),
      stdin: 'pipe',
      stderr: 'same',
    })
    return { ...launched, stdin: launched.stdin ?? -1 }
  }
  const prepare = (kind: ShellKind) => {
    if (waiting.has(kind)) return
    const shell = start(kind)
    waiting.set(kind, shell)
    const drop = () => {
      if (waiting.get(kind) === shell) waiting.delete(kind)
    }
    shell.then(({ exit }) => exit.then(drop), drop)
  }
  return {
    prepare,
    take: (kind) => {
      const shell = waiting.get(kind) ?? start(kind)
      waiting.delete(kind)
      return shell
    },
    reset: () => {
      for (const shell of waiting.values()) {
        shell.then(({ pid }) => sendSignal(pid, 'SIGKILL')).catch(() => undefined)
      }
      waiting.clear()
    },
  }
}
