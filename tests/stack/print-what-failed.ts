import { readFileSync } from 'node:fs'
import { lookAtLogsThatGo, type ProgramLog, programLogs } from '@threadbox/testkit'
import { beforeEach } from 'vitest'

const lastLines = 25
const longest = 400
/** Of the levels in a log; below are `info` and `debug`. */
const warning = 40

let hasTestBegun = false

/** A test that fails shows what host daemon and server wrote meanwhile: every warning and error, and the last lines. */
beforeEach(({ onTestFailed }) => {
  hasTestBegun = true
  const readUntil = new Map(programLogs().map(({ file }) => [file, textOf(file).length]))
  onTestFailed(() => {
    for (const log of programLogs()) show(log, { from: readUntil.get(log.file) ?? 0, when: 'during this test' })
  })
})

/** So does a file that came to no test, because what it prepares failed: as its programs are put away. */
lookAtLogsThatGo((log) => {
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

/** A line that is no JSON is what a program printed when it broke. */
function levelOf(line: string): number {
  try {
    return Number((JSON.parse(line) as { level?: unknown }).level ?? 0)
  } catch {
    return warning
  }
}
