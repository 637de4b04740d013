import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/** English is the language of the root folder. */
export const translationLanguages = ['de', 'it', 'ja'] as const
export type TranslationLanguage = (typeof translationLanguages)[number]

export const contentDirectory = join(import.meta.dirname, '../src/content/docs')

export type TranslationState = 'current' | 'outdated' | 'unmarked' | 'orphaned'
export type Translation = { path: string; language: TranslationLanguage; originalPath: string; state: TranslationState }

/** What a translation carries as `original`: it changes with every change of the English page. */
export function fingerprint(englishSource: string): string {
  const lines = englishSource.replaceAll('\r\n', '\n').trimEnd()
  return createHash('sha256').update(lines).digest('hex').slice(0, 12)
}

/** The `original` of a page's front matter. */
export function originalIn(source: string): string | undefined {
  const frontMatter = /^---\n([\s\S]*?)\n---\n/.exec(source)?.[1] ?? ''
  return /^original: *'?([0-9a-f]+)'? *$/m.exec(frontMatter)?.[1]
}

/** `unmarked`: without a fingerprint, so its age is unknown. `orphaned`: its English page is gone. */
export function stateOf(source: string, englishSource: string | undefined): TranslationState {
  if (englishSource === undefined) return 'orphaned'
  const original = originalIn(source)
  if (original === undefined) return 'unmarked'
  return original === fingerprint(englishSource) ? 'current' : 'outdated'
}

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

/** Whether a page is a translation of an earlier version of its English page. `filePath` is below the work tree. */
export function isOutdated(filePath: string): boolean {
  const path = /src\/content\/docs\/(.*)$/.exec(filePath)?.[1]
  return findTranslations().some((translation) => translation.path === path && translation.state === 'outdated')
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
