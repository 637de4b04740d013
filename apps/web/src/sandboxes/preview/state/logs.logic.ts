import { plainOutput } from '../../../page/content/state/ansi.logic.ts'
import type { ConsoleLine } from '../../../preview-bridge/messages.ts'

/** The part of a log that is scanned for errors and the last line: the rest scrolled away long ago. */
const scannedCharacters = 64 * 1024
/** Enough for a model to see what went wrong. */
const sentLines = 40
const sentCharacters = 6000

const errorLine = /\b(?:error|exception|fatal|panic|critical)\b|\w(?:Error|Exception)\b|^Traceback /i

export type LogSummary = { lastLine: string; errors: number }

/**
 * The summary of a log for the closed drawer. An error and its stack count once: only lines that name an error count.
 */
export function summaryOf(log: string): LogSummary {
  const lines = linesOf(log.slice(-scannedCharacters)).map((line) => line.trim())
  const named = lines.filter((line) => errorLine.test(line) && !/^Traceback /.test(line))
  return { lastLine: lines.at(-1) ?? '', errors: named.length }
}

/** The end of a log, or the selection in it, as it is sent to the chat. */
export function excerptOf(log: string, selection: string): string {
  const text = selection.trim() === '' ? linesOf(log).slice(-sentLines).join('\n') : selection.trim()
  return text.length <= sentCharacters ? text : text.slice(-sentCharacters)
}

/** The console of a page as text. Each line other than plain output is labeled. */
export function consoleText(lines: readonly ConsoleLine[]): string {
  return lines.map(({ level, text }) => (level === 'log' ? text : `${level}: ${text}`)).join('\n')
}

/** A text in a code fence longer than any fence in the text. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([fence]) => fence.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}

function linesOf(log: string): string[] {
  return plainOutput(log)
    .split('\n')
    .filter((line) => line.trim() !== '')
}
