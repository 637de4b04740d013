import { spawnSync } from 'node:child_process'
import { accessSync, constants, readFileSync, writeSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { type DiskSpace, diskSpaceFile, diskSpaceSchema } from '@threadbox/protocol/guest'
import { formatRows, parseArguments, parseRows, rowArguments, shownRows, withDiskSpace } from './df.logic.ts'

/** The host reports a disk's space within this time after a boot. */
const longestWaitMs = 4000
const pollEveryMs = 100
const machinePrograms = ['/usr/bin/df', '/bin/df']

/** `df`: the real program, with the disk's own limit in the root's row. */
async function main(): Promise<number> {
  const args = process.argv.slice(2)
  const program = machinePrograms.find(isProgram)
  if (program === undefined) {
    writeSync(2, 'df: this sandbox has no df of its own (package coreutils)\n')
    return 127
  }
  const request = parseArguments(args)
  const space = request === undefined ? undefined : await diskSpace()
  if (request === undefined || space === undefined) return run(program, args, 'inherit').status
  const { status, output } = run(program, [...rowArguments, ...request.selection], 'pipe')
  const rows = shownRows(parseRows(output), request).map((row) => withDiskSpace(row, space))
  if (rows.length > 0) writeSync(1, formatRows(rows, request))
  return status
}

function run(program: string, args: string[], stdout: 'inherit' | 'pipe'): { status: number; output: string } {
  const { status, stdout: output } = spawnSync(program, args, {
    stdio: ['inherit', stdout, 'inherit'],
    encoding: 'utf8',
  })
  return { status: status ?? 1, output: output ?? '' }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

async function diskSpace(): Promise<DiskSpace | undefined> {
  for (let waitedMs = 0; ; waitedMs += pollEveryMs) {
    try {
      return diskSpaceSchema.parse(JSON.parse(readFileSync(diskSpaceFile, 'utf8')))
    } catch {
      if (waitedMs >= longestWaitMs) return undefined
    }
    await delay(pollEveryMs)
  }
}

main().then(
  (status) => process.exit(status),
  (error: unknown) => {
    writeSync(2, `df: ${String(error)}\n`)
    process.exit(1)
  },
)
