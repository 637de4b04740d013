import { type Check, isThreadboxError } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { translatedErrors, translatedFindings, translatedProblems } from '../../i18n/translations.ts'
import { formatBinaryBytes, formatDuration } from '../client/format.ts'

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

/** A check's finding in the given language; the words of a newer or older host stay as they are. */
export function findingInLanguage(check: Check, language: string): Check {
  const { code, values, detail, cure } = check
  if (code === undefined) return check
  const words = translatedFindings(language)[code]
  if (words !== undefined) {
    const filled = (text: string) => fill(text, { details: values ?? {}, language })
    const isKnown = placesOf(words.detail + words.cure).every((name) => values?.[name] !== undefined)
    return isKnown ? { ...check, detail: filled(words.detail), cure: filled(words.cure) || null } : check
  }
  const problem = inLanguage({ code, message: detail, remedy: cure ?? '', details: values }, language)
  return { ...check, detail: problem.message, cure: problem.remedy || null }
}

function placesOf(sentence: string): string[] {
  return [...sentence.matchAll(/\{(\w+)/g)].map(([, name = '']) => name)
}

/** The same details with the problem in the reader's language, if the error says which one it is. */
function withProblem(details: Record<string, unknown>, language: string): Record<string, unknown> {
  const words = translatedProblems(language)[String(details.problemCode)]
  return words === undefined ? details : { ...details, problem: fill(words, { details, language }) }
}

/**
 * Puts details into `{name}` places, sizes into `{name:size}` and milliseconds into `{name:duration}`; a place without a
 * detail stays visible instead of becoming a wrong sentence.
 */
function fill(sentence: string, options: { details: Record<string, unknown>; language: string }): string {
  return sentence.replaceAll(/\{(\w+)(?::(\w+))?\}/g, (place, name: string, format?: string) => {
    const value = options.details[name]
    if (value === undefined || value === null) return place
    if (format === 'size' && typeof value === 'number') return formatBinaryBytes(value, options.language)
    if (format === 'duration' && typeof value === 'number') return formatDuration(value, options.language)
    return Array.isArray(value) ? value.join('; ') : String(value)
  })
}
