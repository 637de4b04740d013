import { errors as german } from './de/errors.ts'
import type { ErrorWords } from './words.ts'

/** The sentences of errors by code, where a language has its own; the server's are English. */
export function translatedErrors(language: string): ErrorWords {
  return language.startsWith('de') ? german : {}
}
