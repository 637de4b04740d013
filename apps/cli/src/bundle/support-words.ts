import { readFileSync } from 'node:fs'
import { constants } from 'node:os'

/** The words of the release’s code that can stand in a bundle. `undefined` for a release without a list. */
export type SupportWords = Readonly<Record<'events' | 'codes' | 'findings' | 'durations', ReadonlySet<string>>>

const none: ReadonlySet<string> = new Set()
export const noWords: SupportWords = { events: none, codes: none, findings: none, durations: none }

/** Reads the list that the build of a release wrote. */
export function readSupportWords(file: string): SupportWords | undefined {
  let list: unknown
  try {
    list = JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
  const { events, codes, findings, durations } = (list ?? {}) as Record<string, unknown>
  return {
    events: textsOf(events),
    codes: textsOf(codes),
    findings: textsOf(findings),
    durations: textsOf(durations),
  }
}

function textsOf(value: unknown): Set<string> {
  return new Set(Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [])
}

const systemCodes = new Set(Object.keys(constants.errno))

/** Codes of the system, of Node and of SQLite are in capitals, which codes from elsewhere are not. */
export function isKnownCode(code: unknown, { codes }: SupportWords): code is string {
  if (typeof code !== 'string') return false
  return codes.has(code) || systemCodes.has(code) || /^(ERR|SQLITE)_[A-Z0-9_]{1,40}$/.test(code)
}
