import { plainOutput } from '../../../page/content/state/ansi.models.ts'
import type { ConsoleLine } from '../../../preview-bridge/messages.ts'

/** As much of a log as is looked through for errors and the last line: the rest scrolled away long ago. */
const lookedAtCharacters = 64 * 1024
/** As much as a model needs to see what went wrong. */
const sentLines = 40
const sentCharacters = 6000

const errorLine = /\b(?:error|exception|fatal|panic|critical)\b|\w(?:Error|Exception)\b|^Traceback /i

export type LogSummary = { lastLine: string; errors: number }

/** What the closed drawer says of a log. An error and its stack are one: only lines that name one count. */
export function summaryOf(log: string): LogSummary {
  const lines = linesOf(log.slice(-lookedAtCharacters)).map((line) => line.trim())
  const named = lines.filter((line) => errorLine.test(line) && !/^Traceback /.test(line))
  return { lastLine: lines.at(-1) ?? '', errors: named.length }
}

/** The end of a log, or what is selected in it, as it is sent to the chat. */
export function excerptOf(log: string, selection: string): string {
  const text = selection.trim() === '' ? linesOf(log).slice(-sentLines).join('\n') : selection.trim()
  return text.length <= sentCharacters ? text : text.slice(-sentCharacters)
}

/** The console of a page as text; what is no plain print says what it is. */
export function consoleText(lines: readonly ConsoleLine[]): string {
  return lines.map(({ level, text }) => (level === 'log' ? text : `${level}: ${text}`)).join('\n')
}

/** A text in a fence that it cannot close. */
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
