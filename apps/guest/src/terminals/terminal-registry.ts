import type { Launcher } from '../launch/launcher.ts'
import type { ProcessRegistry } from '../processes/process-registry.ts'
import { makeTerminal, type Terminal, type TerminalSize } from './terminal.ts'
import { terminalUnknown, tooManyTerminals } from './terminals.errors.ts'

/** Each can hold two megabytes: its output, and input that waits for its program. */
const maxTerminals = 30
const shell = { cmd: '/bin/bash', args: ['-l', '-i'] }

/** The terminals of this boot. */
export type TerminalRegistry = {
  /** Opening the same id again returns the same terminal. */
  open(request: { id: string; size: TerminalSize; cwd: string | undefined }): Promise<Terminal>
  /** Throws `terminal.unknown`. */
  find(id: string): Terminal
  list(): Terminal[]
  close(id: string): Promise<void>
}

export function makeTerminalRegistry(dependencies: {
  processes: Pick<ProcessRegistry, 'start'>
  launcher: Pick<Launcher, 'user'>
}): TerminalRegistry {
  const terminals = new Map<string, Promise<Terminal>>()
  const opened = new Map<string, Terminal>()
  const start: TerminalRegistry['open'] = async ({ id, size, cwd }) => {
    const process = await dependencies.processes.start({
      user: dependencies.launcher.user(undefined),
      config: { ...shell, envs: { COLORTERM: 'truecolor' }, cwd },
      tag: `terminal:${id}`,
      stdin: true,
      terminal: size,
    })
    const terminal = makeTerminal({ id, process, size })
    opened.set(id, terminal)
    return terminal
  }
  return {
    open: (request) => {
      const known = terminals.get(request.id)
      if (known !== undefined) return known
      if (terminals.size >= maxTerminals) throw tooManyTerminals({ max: maxTerminals })
      const starting = start(request)
      terminals.set(request.id, starting)
      starting.catch(() => terminals.delete(request.id))
      return starting
    },
    find: (id) => {
      const terminal = opened.get(id)
      if (terminal === undefined) throw terminalUnknown({ id })
      return terminal
    },
    list: () => [...opened.values()],
    close: async (id) => {
      const terminal = await terminals.get(id)
      terminals.delete(id)
      opened.delete(id)
      await terminal?.close()
    },
  }
}
