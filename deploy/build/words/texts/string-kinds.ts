import type { Kind } from '../text.ts'

/** The context of a string in a source file. */
export type Context = {
  path: string
  /** The variable whose value it is in. */
  variable?: string | undefined
  /** The keys of the enclosing objects, from the outside. */
  properties?: readonly string[]
  /** The function that is called with it, and `it` for `it.each(…)(…)`. */
  callee?: string | undefined
  isFirstArgument?: boolean
}

const isTest = /\.(test|test-suite|test-utils)\.tsx?$|^tests\/|\/testing\.ts$|^packages\/testkit\/|^apps\/web\/dev\//
const isForModel = /^apps\/server\/src\/turns\/(tools\/|engine\/(system-prompt|titles|compaction\.\w+)\.ts)/

/** Languages without a dictionary here. */
const isUnchecked = /^(italian|it|japanese|ja)$/

/** Returns `undefined` for a string without a reader, or with only the reader of a failed test. */
export function kindOfString(context: Context, words: string): Kind | undefined {
  const { path, callee, properties = [], variable } = context
  if (isTest.test(path)) {
    return context.isFirstArgument && /^(it|test|describe)$/.test(callee ?? '') ? 'tests' : undefined
  }
  if (/^(apps\/web\/src\/i18n|docs-site\/src\/words)\//.test(path)) return kindOfScreen(path)
  if (variable === 'german' || properties.includes('de')) return 'german'
  if (isUnchecked.test(variable ?? '') || properties.some((property) => isUnchecked.test(property))) return undefined
  if (properties.includes('message') || properties.includes('remedy')) return 'errors'
  if (properties.includes('doc')) return 'settings'
  if (!isProse(words)) return undefined
  if (isForModel.test(path)) return 'tools'
  return path.endsWith('.routes.ts') ? 'routes' : 'messages'
}

function kindOfScreen(path: string): Kind {
  return /^(apps\/web\/src\/i18n\/de\/|docs-site\/src\/words\/de\.ts$)/.test(path) ? 'german' : 'screens'
}

/** Three consecutive words that are not an SQL statement. */
function isProse(words: string): boolean {
  const isSql =
    /^\s*(select|insert into|update|delete from|create|alter|pragma)\b.*\b(from|set|table|index|values|where)\b/is
  return /(\p{L}[\p{L}'’-]*[,.:;]? ){2}\p{L}/u.test(words) && !isSql.test(words)
}
