import { createHash } from 'node:crypto'

/** English is the language of the root folder. */
export const translationLanguages = ['de', 'it', 'ja'] as const
export type TranslationLanguage = (typeof translationLanguages)[number]

export type TranslationState = 'current' | 'outdated' | 'unmarked' | 'orphaned'

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
