import { withoutSecrets } from '@threadbox/telemetry'
import { isKnownCode, type SupportWords } from './support-words.ts'

/** What a bundle has of a line. Everything else of it is left out, whatever it is. */
export type BundledLine = {
  time: string
  process: LoggingProcess
  level?: string
  event?: string
  code?: string
  requestId?: string
  durations?: Record<string, number>
}

export const loggingProcesses = ['server', 'host', 'gateway', 'egress', 'names', 'supervisor'] as const
export type LoggingProcess = (typeof loggingProcesses)[number]

const levels: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
}
/** The server makes these itself. */
const requestIdPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Returns undefined for a line that none of our loggers wrote, such as the trace of a crash. */
export function bundledLine(text: string, words: SupportWords): BundledLine | undefined {
  const fields = withoutSecrets(parseLine(text)) as Record<string, unknown> | undefined
  const process = loggingProcesses.find((name) => name === fields?.process)
  const at = typeof fields?.time === 'string' ? new Date(fields.time) : undefined
  if (fields === undefined || process === undefined || at === undefined || Number.isNaN(at.getTime())) return undefined
  const { level, msg, requestId } = fields
  const code = codeOf(fields, words)
  const durations = durationsOf(fields, words)
  return {
    time: at.toISOString(),
    process,
    ...(typeof level === 'number' && levels[level] !== undefined && { level: levels[level] }),
    ...(typeof msg === 'string' && words.events.has(msg) && { event: msg }),
    ...(code !== undefined && { code }),
    ...(typeof requestId === 'string' && requestIdPattern.test(requestId) && { requestId }),
    ...(Object.keys(durations).length > 0 && { durations }),
  }
}

function parseLine(text: string): Record<string, unknown> | undefined {
  if (!text.startsWith('{')) return undefined
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return undefined
  }
}

function codeOf({ err, code }: Record<string, unknown>, words: SupportWords): string | undefined {
  const ofError = typeof err === 'object' && err !== null ? (err as Record<string, unknown>).code : undefined
  return [ofError, code].find((value) => isKnownCode(value, words)) as string | undefined
}

function durationsOf(fields: Record<string, unknown>, { durations }: SupportWords): Record<string, number> {
  return Object.fromEntries(
    Object.entries(fields).filter(
      (entry): entry is [string, number] => durations.has(entry[0]) && typeof entry[1] === 'number',
    ),
  )
}

export type ErrorCount = { code: string; count: number; lastAt: string }

/** Codes in warnings and errors, most frequent first. */
export function countCodes(lines: readonly BundledLine[]): ErrorCount[] {
  const counted = new Map<string, ErrorCount>()
  for (const { code, level, time } of lines) {
    if (code === undefined || !['warn', 'error', 'fatal'].includes(level ?? '')) continue
    const known = counted.get(code) ?? { code, count: 0, lastAt: time }
    counted.set(code, { code, count: known.count + 1, lastAt: time > known.lastAt ? time : known.lastAt })
  }
  return [...counted.values()].sort((one, other) => other.count - one.count || (one.code < other.code ? -1 : 1))
}
