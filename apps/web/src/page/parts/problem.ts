import { isThreadboxError } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { translatedErrors, translatedProblems } from '../../i18n/translations.ts'
import { formatBinaryBytes } from '../client/format.ts'

/** A translated error: what happened, what to do, and its permanent code. */
export type Problem = { code: string; message: string; remedy: string }

/** Translates errors. The server’s own texts are English; other languages have theirs by code. */
export function useProblem(): (error: unknown) => Problem {
  const { t, i18n } = useTranslation('connection')
  return (error) => {
    if (!isThreadboxError(error)) {
      return { code: 'app.unexpected', message: t('toast.unexpected'), remedy: t('toast.unexpectedRemedy') }
    }
    return inLanguage(error, i18n.language)
  }
}

/** An error that something recorded earlier, in the words of the given language, or in the server's where it has none. */
export function inLanguage(
  error: { code: string; message: string; remedy: string; details?: Record<string, unknown> | undefined },
  language: string,
): Problem {
  const { code, message, remedy, details } = error
  const translated = translatedErrors(language)[code]
  // Calls of earlier versions have no details; their sentences may need some.
  if (
    translated === undefined ||
    (details === undefined && /\{\w+(:size)?\}/.test(translated.message + translated.remedy))
  ) {
    return { code, message, remedy }
  }
  const known = withProblem(details ?? {}, language)
  const filled = (sentence: string) => fill(sentence, { details: known, language })
  return { code, message: filled(translated.message), remedy: filled(translated.remedy) }
}

/** The same details with the problem in the reader's language, if the error says which one it is. */
function withProblem(details: Record<string, unknown>, language: string): Record<string, unknown> {
  const words = translatedProblems(language)[String(details.problemCode)]
  return words === undefined ? details : { ...details, problem: fill(words, { details, language }) }
}

/**
 * Puts details into `{name}` places, and sizes into `{name:size}`; a place without a detail stays visible instead of
 * becoming a wrong sentence.
 */
function fill(sentence: string, options: { details: Record<string, unknown>; language: string }): string {
  return sentence.replaceAll(/\{(\w+)(:size)?\}/g, (place, name: string, isSize?: string) => {
    const value = options.details[name]
    if (value === undefined || value === null) return place
    if (isSize !== undefined && typeof value === 'number') return formatBinaryBytes(value, options.language)
    return Array.isArray(value) ? value.join('; ') : String(value)
  })
}
