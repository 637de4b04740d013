import { parseAccept } from 'hono/utils/accept'

/**
 * The language that an `Accept-Language` header prefers among English and the translations; English when it names none of
 * them. `de-AT` is served by `de`.
 */
export function preferredLanguage<Language extends string>(
  header: string | undefined,
  translations: readonly Language[],
): Language | 'en' {
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
