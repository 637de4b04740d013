import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type CallExpression, Visitor } from 'oxc-parser'
import { findingWords } from '../../apps/host/src/orders/doctor/finding-words.ts'
import { readSources } from './house/read-sources.ts'
import { isTestFile, type SourceFile } from './house/source.ts'

/** The words of our code that a support bundle shows of a log line. Any other text in a line could be a person’s. */
export type SupportWords = {
  /** Messages of log lines that are constants in the code. */
  events: string[]
  /** Codes of errors. */
  codes: string[]
  /** Codes of what the checks of `doctor` find. */
  findings: string[]
  /** Names of fields with a duration. */
  durations: string[]
}

const levels = ['debug', 'info', 'warn', 'error', 'fatal']
const durationName = /\b[a-z][A-Za-z0-9]*(?:Ms|Seconds)\b/g

export async function writeSupportWords(options: { root: string; file: string }): Promise<void> {
  await mkdir(dirname(options.file), { recursive: true })
  await writeFile(options.file, `${JSON.stringify(findSupportWords(options.root))}\n`)
}

/** Of all programs of an installation; the guest logs inside its sandbox. */
export function findSupportWords(root: string): SupportWords {
  const sources = readSources(root).filter(({ path }) => !isTestFile(path) && !/^apps\/(web|guest)\//.test(path))
  return {
    events: unique(sources.flatMap(eventsIn)),
    codes: unique([...sources.flatMap(codesIn), 'internal.unexpected']),
    findings: Object.keys(findingWords),
    durations: unique(sources.flatMap(({ text }) => text.match(durationName) ?? [])),
  }
}

/** Constant last arguments of `logger.warn(…)`, and the first of the supervisor’s `report(…)`. */
function eventsIn({ program }: SourceFile): string[] {
  const found: string[] = []
  new Visitor({
    CallExpression({ callee, arguments: given }: CallExpression) {
      const isLog =
        callee.type === 'MemberExpression' &&
        callee.property.type === 'Identifier' &&
        levels.includes(callee.property.name)
      const isReport = callee.type === 'Identifier' && callee.name === 'report'
      const message = isLog ? given.at(-1) : isReport ? given[0] : undefined
      if (message?.type === 'Literal' && typeof message.value === 'string') found.push(message.value)
    },
  }).visit(program)
  return found
}

function codesIn({ program }: SourceFile): string[] {
  const found: string[] = []
  new Visitor({
    CallExpression({ callee, arguments: [definition] }: CallExpression) {
      if (callee.type !== 'Identifier' || callee.name !== 'defineError') return
      if (definition?.type !== 'ObjectExpression') return
      for (const property of definition.properties) {
        if (property.type !== 'Property' || property.key.type !== 'Identifier' || property.key.name !== 'code') continue
        if (property.value.type === 'Literal' && typeof property.value.value === 'string') {
          found.push(property.value.value)
        }
      }
    },
  }).visit(program)
  return found
}

function unique(words: readonly string[]): string[] {
  return [...new Set(words)].sort()
}
