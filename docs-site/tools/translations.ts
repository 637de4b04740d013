import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import {
  fingerprint,
  stateOf,
  type TranslationLanguage,
  type TranslationState,
  translationLanguages,
} from './translation-state.ts'

export const contentDirectory = join(import.meta.dirname, '../src/content/docs')

export type Translation = { path: string; language: TranslationLanguage; originalPath: string; state: TranslationState }

/** Every translated page below a content directory, in the order of paths. */
export function findTranslations(directory: string = contentDirectory): Translation[] {
  return translationLanguages.flatMap((language) =>
    globSync(`${language}/**/*.{md,mdx}`, { cwd: directory })
      .sort()
      .map((path) => {
        const originalPath = relative(language, path)
        const read = (name: string) => readFileSync(join(directory, name), 'utf8')
        const english = existsSync(join(directory, originalPath)) ? read(originalPath) : undefined
        return { path, language, originalPath, state: stateOf(read(path), english) }
      }),
  )
}

/** Records in a translation which version of the English page it was made from. */
export function stamp(path: string, directory: string = contentDirectory): void {
  const translation = findTranslations(directory).find((found) => found.path === path)
  if (translation === undefined || translation.state === 'orphaned') throw new Error(`${path} translates no page.`)
  const source = readFileSync(join(directory, path), 'utf8')
  const original = fingerprint(readFileSync(join(directory, translation.originalPath), 'utf8'))
  const without = source.replace(/^original:.*\n/m, '')
  writeFileSync(join(directory, path), without.replace(/^---\n/, `---\noriginal: '${original}'\n`))
}
