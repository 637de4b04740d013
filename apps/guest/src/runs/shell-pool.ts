import { type SessionShell, type ShellDependencies, type ShellKind, startSessionShell } from './session-shell.ts'
import type { SessionCopy } from './session-store.ts'

/**
 * Waiting shells, because starting one takes tens of milliseconds in a sandbox. The best one is the shell in which the
 * session's last command ran: it holds the session's state. Others are started beforehand: a login shell for a session
 * without state, a bare one for a session whose state is to be restored.
 */
export type ShellPool = {
  /** Returns a shell for the session; its `loadedState` says whether it has the session's. */
  take(session: SessionCopy): Promise<SessionShell>
  /** Returns a shell to the pool: it holds the session's state and is clean. A shell from before a `reset` is ended. */
  giveBack(shell: SessionShell, session: SessionCopy): void
  /** The same with a shell in which only the host’s command has run: it waits as if it had just been started. */
  giveBackUnused(shell: SessionShell): void
  /** True if a shell with the session's state waits. */
  holds(session: SessionCopy): boolean
  /** Starts a shell of this kind, unless one already waits. Failures show when one is taken. */
  prepare(kind: ShellKind): void
  /** Ends waiting shells: environment, limits or disk have changed. */
  reset(): void
}

/** One for the user's session, one for a session of the host or of a parallel command. */
const maxIdle = 2

export function makeShellPool(dependencies: ShellDependencies): ShellPool {
  const waiting = new Map<ShellKind, Promise<SessionShell>>()
  let idle: SessionShell[] = []
  let current = new WeakSet<SessionShell>()
  const start = async (kind: ShellKind) => {
    const generation = current
    const shell = await startSessionShell(dependencies, kind)
    generation.add(shell)
    return shell
  }
  const forget = (shell: SessionShell) => {
    idle = idle.filter((other) => other !== shell)
  }
  const wait = (kind: ShellKind, shell: Promise<SessionShell>) => {
    waiting.set(kind, shell)
    const drop = () => {
      if (waiting.get(kind) === shell) waiting.delete(kind)
    }
    shell.then(({ exit }) => exit.then(drop), drop)
  }
  const heldFor = (session: SessionCopy) =>
    idle.find(({ loadedState }) => loadedState?.name === session.name && loadedState.version === session.version)
  return {
    holds: (session) => heldFor(session) !== undefined,
    prepare: (kind) => {
      if (!waiting.has(kind)) wait(kind, start(kind))
    },
    take: async (session) => {
      const held = heldFor(session)
      if (held !== undefined) {
        forget(held)
        return held
      }
      const kind = session.state === undefined ? 'login' : 'bare'
      const shell = waiting.get(kind) ?? start(kind)
      waiting.delete(kind)
      return await shell
    },
    giveBack: (shell, { name, version }) => {
      if (!current.has(shell)) return shell.kill()
      shell.loadedState = { name, version }
      const stale = idle.filter(({ loadedState }) => loadedState?.name === name)
      const kept = idle.filter((other) => !stale.includes(other))
      for (const other of [...stale, ...kept.splice(maxIdle - 1)]) other.kill()
      idle = [shell, ...kept]
      void shell.exit.then(() => forget(shell))
    },
    giveBackUnused: (shell) => {
      if (!current.has(shell) || waiting.has('login')) return shell.kill()
      wait('login', Promise.resolve(shell))
    },
    reset: () => {
      for (const shell of waiting.values()) shell.then(({ kill }) => kill()).catch(() => undefined)
      for (const shell of idle) shell.kill()
      waiting.clear()
      idle = []
      current = new WeakSet()
    },
  }
}
