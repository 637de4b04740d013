import { parseAccept } from 'hono/utils/accept'

/** The languages of the server's own pages, besides English. */
const translations = ['de', 'it', 'ja'] as const
type Language = (typeof translations)[number] | 'en'

/**
 * The language that an `Accept-Language` header prefers among English and the translations; English when it names none of
 * them. `de-AT` is served by `de`.
 */
export function preferredLanguage(header: string | undefined): Language {
  const wanted = parseAccept(header ?? '')
    .filter(({ q }) => q > 0)
    .toSorted((one, other) => other.q - one.q)
    .map(({ type }) => type.split('-')[0]?.toLowerCase())
  return (
    wanted
      .map((language) => (language === 'en' ? 'en' : translations.find((translation) => translation === language)))
      .find((language) => language !== undefined) ?? 'en'
  )
}
