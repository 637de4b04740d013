import type { Translation } from './translation.ts'
import type { ErrorWords, FindingWords, ProblemWords, SettingWords } from './words.ts'

/** One chunk for each language, loaded when it is chosen. */
const sources = {
  de: async () => (await import('./de/index.ts')).german,
  it: async () => (await import('./it/index.ts')).italian,
  ja: async () => (await import('./ja/index.ts')).japanese,
}
export type TranslatedLanguage = keyof typeof sources

export const translatedLanguages = Object.keys(sources) as TranslatedLanguage[]

const loaded = new Map<string, Translation>()

/** Rejects when the chunk can't be loaded. */
export async function loadTranslation(language: TranslatedLanguage): Promise<Translation> {
  const known = loaded.get(language)
  if (known !== undefined) return known
  const source = await sources[language]()
  const translation = { ...source, texts: withAllPlurals(source.texts, language) }
  loaded.set(language, translation)
  return translation
}

/** Italian has a third form, for millions, which none of our texts needs: missing forms are those of `_other`. */
function withAllPlurals<Value extends object>(texts: Value, language: string): Value {
  const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories
  const own = Object.entries(texts).map(([key, value]) =>
    typeof value === 'object' ? [key, withAllPlurals(value, language)] : [key, value],
  )
  const filled = own.flatMap(([key, value]) =>
    key.endsWith('_other') ? forms.map((form) => [key.replace(/other$/, form), value]) : [],
  )
  // What the translation has itself comes last, so it wins.
  return Object.fromEntries([...filled, ...own]) as Value
}

/** Errors by code in a language that was loaded; empty for English. */
export function translatedErrors(language: string): ErrorWords {
  return loaded.get(language)?.errors ?? {}
}

/** Problems by code in a language that was loaded; empty for English. */
export function translatedProblems(language: string): ProblemWords {
  return loaded.get(language)?.problems ?? {}
}

/** Findings of checks by code in a language that was loaded; empty for English. */
export function translatedFindings(language: string): FindingWords {
  return loaded.get(language)?.findings ?? {}
}

/** Settings by name in a language that was loaded; empty for English. */
export function translatedSettings(language: string): SettingWords {
  return loaded.get(language)?.settings ?? {}
}
