import { readFileSync } from 'node:fs'
import { inspectRemovedLogs, type ProgramLog, programLogs } from '@threadbox/testkit'
import { beforeEach } from 'vitest'

const lastLines = 25
const longest = 400
/** Log levels below it are `info` and `debug`. */
const warning = 40

let hasTestBegun = false

/** A failed test prints what host daemon and server logged during it: every warning and error, and the last lines. */
beforeEach(({ onTestFailed }) => {
  hasTestBegun = true
  const readUntil = new Map(programLogs().map(({ file }) => [file, textOf(file).length]))
  onTestFailed(() => {
    for (const log of programLogs()) show(log, { from: readUntil.get(log.file) ?? 0, when: 'during this test' })
  })
})

/** The same for a file that reached no test because its setup failed: when its programs are removed. */
inspectRemovedLogs((log) => {
  if (!hasTestBegun) show(log, { from: 0, when: 'before any test began' })
})

function show({ name, file }: ProgramLog, { from, when }: { from: number; when: string }): void {
  const lines = textOf(file)
    .slice(from)
    .split('\n')
    .filter((line) => line !== '')
  const shown = lines.filter((line, index) => levelOf(line) >= warning || index >= lines.length - lastLines)
  const printed = shown.map((line) => `    ${line.length > longest ? `${line.slice(0, longest)}…` : line}`)
  console.log([`log of the ${name}, ${shown.length} of ${lines.length} lines ${when}`, ...printed].join('\n'))
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** A line that is not JSON was printed by a program when it crashed. */
function levelOf(line: string): number {
  try {
    return Number((JSON.parse(line) as { level?: unknown }).level ?? 0)
  } catch {
    return warning
  }
}
