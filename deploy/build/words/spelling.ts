import { fileURLToPath } from 'node:url'
import {
  type CSpellSettings,
  combineTextAndLanguageSettings,
  getDefaultSettings,
  getDictionary,
  loadConfig,
  mergeSettings,
} from 'cspell-lib'
import { type Hit, lineOf, type Text } from './text.ts'

/** Whether a word is spelled correctly. */
export type Dictionary = (word: string) => boolean
export type Dictionaries = { english: Dictionary; german: Dictionary }

/** US English with software terms; German; each with the project’s words. */
export async function loadDictionaries(words: { english: string[]; german: string[] }): Promise<Dictionaries> {
  const defaults = await getDefaultSettings()
  const germanSettings = await loadConfig(fileURLToPath(import.meta.resolve('@cspell/dict-de-de')))
  return {
    english: await dictionary({ ...defaults, language: 'en-US' }, words.english),
    german: await dictionary({ ...mergeSettings(defaults, germanSettings ?? {}), language: 'de' }, words.german),
  }
}

async function dictionary(settings: CSpellSettings, words: string[]): Promise<Dictionary> {
  const languages = ['typescript', 'shellscript', 'python', 'markdown', 'html', 'sql']
  const found = await getDictionary(combineTextAndLanguageSettings({ ...settings, words }, '', languages))
  const known = new Map<string, boolean>()
  return (word) => {
    const isKnown = known.get(word) ?? (found.has(word) && !found.isForbidden(word))
    known.set(word, isKnown)
    return isKnown
  }
}

/** Words in no dictionary. Names of the program are not words: those with a digit, `_`, or a capital inside. */
export function spellingHits(texts: readonly Text[], { english, german }: Dictionaries): Hit[] {
  return texts
    .filter(({ kind }) => kind !== 'names')
    .flatMap((text) => {
      const isKnown = text.kind === 'german' ? german : english
      return [...text.words.matchAll(token)]
        .filter(([word]) => word.length > 2 && isWord.test(word) && !isKnown(withoutEnding(word)))
        .map((match) => ({
          rule: 'spelling',
          kind: text.kind,
          path: text.path,
          line: text.line + lineOf(text.words, match.index) - 1,
          text: match[0],
          advice: 'Not in the dictionary: correct it, or add a term to deploy/build/words/dictionary.txt.',
        }))
    })
}

const token = /[\p{L}\p{M}\d_]+(?:['’.][\p{L}\d_]+)*/gu
const isWord = /^\p{L}\p{Ll}+(?:['’]\p{Ll}+)?$/u

function withoutEnding(word: string): string {
  return word.replace('’', "'").replace(/'s$/, '')
}
