import { readFile } from 'node:fs/promises'
import { programLogs } from '@threadbox/testkit'
import { beforeEach } from 'vitest'

const lastLines = 25
const longest = 400
/** Of the levels in a log; below are `info` and `debug`. */
const warning = 40

/** A test that fails shows what host daemon and server wrote meanwhile: every warning and error, and the last lines. */
beforeEach(async ({ onTestFailed }) => {
  const before = await Promise.all(programLogs().map(async ({ file }) => [file, (await textOf(file)).length] as const))
  const readUntil = new Map(before)
  onTestFailed(async () => {
    for (const { name, file } of programLogs()) {
      const lines = (await textOf(file))
        .slice(readUntil.get(file) ?? 0)
        .split('\n')
        .filter((line) => line !== '')
      const shown = lines.filter((line, index) => levelOf(line) >= warning || index >= lines.length - lastLines)
      const printed = shown.map((line) => `    ${line.length > longest ? `${line.slice(0, longest)}…` : line}`)
      console.log(
        [`log of the ${name}, ${shown.length} of ${lines.length} lines during this test`, ...printed].join('\n'),
      )
    }
  })
})

async function textOf(file: string): Promise<string> {
  return await readFile(file, 'utf8').catch(() => '')
}

/** A line that is no JSON is what a program printed when it broke. */
function levelOf(line: string): number {
  try {
    return Number((JSON.parse(line) as { level?: unknown }).level ?? 0)
  } catch {
    return warning
  }
}
