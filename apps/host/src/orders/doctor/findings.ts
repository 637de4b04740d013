import { isThreadboxError, toWireError } from '@threadbox/errors'
import type { HostDoctor } from '@threadbox/protocol/host'
import { type FindingCode, findingWords } from './finding-words.ts'

/** One check. An error that it throws is a finding too. */
export type Check = { id: string; title: string; run(): Promise<Finding> }
export type Finding = Omit<HostDoctor['checks'][number], 'id' | 'title'>
export type Values = Record<string, string | number>

/** In English, and by code with its values for those who translate it. */
export function findingWith(state: Finding['state'], code: FindingCode, values: Values = {}): Finding {
  const { detail, cure } = findingWords[code]
  return { state, detail: fill(detail, values), cure: fill(cure, values), code, values }
}

export function findingOf(error: unknown): Finding {
  const { code, message, remedy, details } = toWireError(error).error
  if (isThreadboxError(error)) return { state: 'failed', detail: message, cure: remedy, code, values: details }
  return findingWith('failed', 'check-failed', { message: error instanceof Error ? error.message : message })
}

function fill(words: string, values: Values): string {
  return words.replaceAll(/\{(\w+)(:size)?\}/g, (place, name: string, size?: string) => {
    const value = values[name] ?? place
    return size !== undefined && typeof value === 'number' ? gibibytes(value) : String(value)
  })
}

function gibibytes(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(1)} GiB`
}
