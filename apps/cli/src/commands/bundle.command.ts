import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { checkBundleFile, writeBundleFile } from '../bundle/bundle-file.ts'
import { makeBundle } from '../bundle/make-bundle.ts'
import { parseMachineChecks } from '../installation/checks.logic.ts'
import { readInstallation } from '../installation/data-directory.ts'
import { installationChecks } from '../installation/installation-checks.ts'

/**
 * `doctor --bundle`: runs the checks and writes what helps someone to find a problem into one file. `machineChecks` and
 * `serverFacts` are files of the launcher. Works without a server; the output says what is missing then.
 */
export async function bundleCommand(options: {
  dataDir: string
  json: boolean
  /** `true`: a name with the time, in the current folder. */
  bundle: string | true
  machineChecks?: string
  serverFacts?: string
}): Promise<number> {
  const installation = readInstallation(options.dataDir)
  const now = new Date()
  const file = resolve(options.bundle === true ? defaultName(now) : options.bundle)
  await checkBundleFile(file)
  const machine = options.machineChecks ? parseMachineChecks(readFileSync(options.machineChecks, 'utf8')) : []
  const checks = [...machine, ...(await installationChecks(options.dataDir))]
  const serverFacts = options.serverFacts ? readFileSync(options.serverFacts, 'utf8') : ''
  const { content, parts, missing } = await makeBundle({ installation, checks, serverFacts, now })
  await writeBundleFile(file, content)
  const facts = { file, bytes: content.length, contents: parts.map(({ name }) => name), missing }
  process.stdout.write(options.json ? `${JSON.stringify(facts)}\n` : describe(facts))
  return 0
}

function defaultName(now: Date): string {
  const time = now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')
  return `threadbox-bundle-${time}.tar.zst`
}

function describe(facts: {
  file: string
  bytes: number
  contents: readonly string[]
  missing: readonly { name: string; reason: string }[]
}): string {
  const { file, bytes, contents, missing } = facts
  const lines = [
    `Wrote ${file} (${(bytes / 1000).toFixed(1)} kB):`,
    ...contents.map((name) => `  ${name}`),
    ...missing.map(({ name, reason }) => `Missing: ${name}: ${reason}`),
    `Check it before you send it: tar --zstd -tf ${file}`,
    `All of its text: tar --zstd -xOf ${file} | less`,
  ]
  return lines.map((line) => `${line}\n`).join('')
}
