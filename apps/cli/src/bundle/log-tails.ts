import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { Installation } from '../installation/data-directory.ts'
import { type BundledLine, bundledLine, type LoggingProcess, loggingProcesses } from './log-lines.logic.ts'
import type { SupportWords } from './support-words.ts'

const linesPerProcess = 2000
/** Of each file. Six thousand lines take about 2 MB; a flood of one process would hide the others below this. */
const tailBytes = 24_000_000

export type BundledLogs = {
  lines: ReadonlyMap<LoggingProcess, readonly BundledLine[]>
  /** Lines that none of our loggers wrote, such as the trace of a crash. */
  otherLines: number
}

/** The last lines of each process, oldest first. The host daemon’s log has those of the processes that it starts. */
export function readLogs(installation: Pick<Installation, 'log'>, words: SupportWords): BundledLogs {
  const files = (['server', 'host', 'supervisor'] as const).map((name) => installation.log(name))
  const texts = files.flatMap((file) => [`${file}.1`, file]).map(tailOf)
  const parsed = texts
    .flatMap((text) => text.split('\n').filter((line) => line !== ''))
    .map((line) => bundledLine(line, words))
  const lines = parsed.filter((line) => line !== undefined)
  return {
    lines: new Map(
      loggingProcesses.map((name) => [name, lines.filter((line) => line.process === name).slice(-linesPerProcess)]),
    ),
    otherLines: parsed.length - lines.length,
  }
}

/** Whole lines from the end of a file; empty if there is none. */
function tailOf(file: string): string {
  let descriptor: number
  try {
    descriptor = openSync(file, 'r')
  } catch {
    return ''
  }
  try {
    const { size } = fstatSync(descriptor)
    const from = Math.max(0, size - tailBytes)
    const bytes = Buffer.alloc(size - from)
    const read = readSync(descriptor, bytes, 0, bytes.length, from)
    const text = bytes.subarray(0, read).toString('utf8')
    return from === 0 ? text : text.slice(text.indexOf('\n') + 1)
  } finally {
    closeSync(descriptor)
  }
}
