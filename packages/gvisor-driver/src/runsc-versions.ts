import { access } from 'node:fs/promises'
import path from 'node:path'
import { makeRunscCommand, type RunscCommand, type RunscOptions } from './runsc-command.ts'

/**
 * The runsc programs on this host. A container and a memory image are handled by the version that created them, so
 * versions are installed side by side as `<directory>/<version>/runsc` and an upgrade keeps the older ones. New boots
 * use the current one.
 */
export type RunscVersions = {
  currentPath: string
  /** The program at a path. */
  at(runscPath: string): RunscCommand
  /** The path of a version’s program, if it is on this host. */
  find(version: string): Promise<string | undefined>
}

export function makeRunscVersions(options: RunscOptions): RunscVersions {
  const { runscPath } = options
  const made = new Map<string, RunscCommand>()
  const at = (program: string) => {
    const command = made.get(program) ?? cacheVersion(makeRunscCommand({ ...options, runscPath: program }))
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

/** Caches the version: a program is never replaced at its path while this process is running. */
function cacheVersion(command: RunscCommand): RunscCommand {
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
