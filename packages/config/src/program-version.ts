import { readFileSync } from 'node:fs'

/** The version of a program, from the `package.json` above its main file: in the source, and in a release. */
export function readVersion(mainUrl: string): string {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', mainUrl), 'utf8')) as { version: string }
  return manifest.version
}

/**
 * With `--version` among the arguments, prints the version and ends the process. Call it first: everything is loaded then,
 * and nothing was opened. The launcher does so with each program of a new release, before it stops the running one.
 */
export function endIfAskedForVersion(mainUrl: string): void {
  if (!process.argv.includes('--version')) return
  process.stdout.write(`${readVersion(mainUrl)}\n`)
  process.exit(0)
}
