import { access } from 'node:fs/promises'
import path from 'node:path'
import { makeRunscCommand, type RunscCommand } from './runsc-command.ts'

/**
 * The runsc programs of this machine. A container and a memory image are handled by the version that made them, so
 * versions stand side by side as `<directory>/<version>/runsc` and an upgrade leaves the older ones there. New boots are
 * made by the current one.
 */
export type RunscVersions = {
  currentPath: string
  /** The program at a path. */
  at(runscPath: string): RunscCommand
  /** Where the program of a version is, if it is on this machine. */
  find(version: string): Promise<string | undefined>
}

export function makeRunscVersions(options: { runscPath: string; stateDirectory: string }): RunscVersions {
  const { runscPath, stateDirectory } = options
  const made = new Map<string, RunscCommand>()
  const at = (program: string) => {
    const command = made.get(program) ?? askingOnce(makeRunscCommand({ runscPath: program, stateDirectory }))
    made.set(program, command)
    return command
  }
  return {
    currentPath: runscPath,
    at,
    find: async (version) => {
      if ((await at(runscPath).version()) === version) return runscPath
      if (!/^[\w.+-]+$/.test(version)) return undefined
      const beside = path.join(path.dirname(path.dirname(runscPath)), version, 'runsc')
      if (!(await isPresent(beside))) return undefined
      return (await at(beside).version()) === version ? beside : undefined
    },
  }
}

/** A program is never replaced under its path while this process runs, so it is asked for its version once. */
function askingOnce(command: RunscCommand): RunscCommand {
  let version: Promise<string> | undefined
  return {
    ...command,
    version: () => {
      version ??= command.version().catch((error: unknown) => {
        version = undefined
        throw error
      })
      return version
    },
  }
}

function isPresent(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}
