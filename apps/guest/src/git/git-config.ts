import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A server whose git requests go to this guest instead. `address` ends with a slash. */
export type GitSite = { name: string; address: string }

/**
 * Configuration that git reads besides its own. The environment of programs names a fixed file; its content changes,
 * also for programs that already run.
 */
export type GitConfig = { environment: Record<string, string>; write(sites: readonly GitSite[], port: number): void }

export function makeGitConfig({ scratchDirectory }: { scratchDirectory: string }): GitConfig {
  const directory = join(scratchDirectory, 'git')
  const file = join(directory, 'config')
  return {
    // git ignores a missing file.
    environment: { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'include.path', GIT_CONFIG_VALUE_0: file },
    write: (sites, port) => {
      mkdirSync(directory, { recursive: true, mode: 0o755 })
      // Complete or absent for a git process that reads it at this moment.
      writeFileSync(`${file}.new`, gitConfigOf(sites, port), { mode: 0o644 })
      renameSync(`${file}.new`, file)
    },
  }
}

export function gitConfigOf(sites: readonly GitSite[], port: number): string {
  if (sites.length === 0) return ''
  const here = `http://127.0.0.1:${port}/`
  const replaced = sites.map(
    ({ name, address }) => `[url ${quoted(`${here}${name}/`)}]\n\tinsteadOf = ${quoted(address)}\n`,
  )
  // A proxy for the internet must not be used for requests to this guest.
  return `${replaced.join('')}[http ${quoted(here)}]\n\tproxy = ""\n`
}

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}
