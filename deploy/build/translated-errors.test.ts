import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findingWords } from '../../apps/host/src/orders/doctor/finding-words.ts'
import { reachabilityWords } from '../../apps/server/src/installation/status.ts'
import { problemWords } from '../../apps/server/src/turns/connections/problem-words.logic.ts'
import { loadTranslation, translatedLanguages } from '../../apps/web/src/i18n/translations.ts'
import type { FindingWords } from '../../apps/web/src/i18n/words.ts'
import { findErrors } from './docs-sources.ts'

/** The names of the values in texts. */
const valuesOf = (texts: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(texts).map(([code, text]) => [code, [...new Set(text.match(/\{\w+/g))].toSorted()]))

describe.each(translatedLanguages)('in %s', (language) => {
  it('every error has its sentences, and none is left over', async () => {
    const { errors: translated } = await loadTranslation(language)
    const codes = (await findErrors(join(import.meta.dirname, '../..'))).map((error) => error.code)
    const ofClient = ['server.unreachable', 'server.answer-unknown', 'internal.unexpected']
    expect(Object.keys(translated).toSorted()).toEqual([...new Set([...codes, ...ofClient])].toSorted())
  })

  it('every problem of a connection has its words, with the same values', async () => {
    const { problems } = await loadTranslation(language)
    expect(valuesOf(problems)).toEqual(valuesOf(problemWords))
  })

  it('every finding of a check has its words, with the same values', async () => {
    const { findings } = await loadTranslation(language)
    const english: FindingWords = { ...findingWords, ...reachabilityWords }
    for (const part of ['detail', 'cure'] as const) {
      const wordsOf = (found: FindingWords) =>
        Object.fromEntries(Object.entries(found).map(([code, words]) => [code, words[part]]))
      expect(valuesOf(wordsOf(findings))).toEqual(valuesOf(wordsOf(english)))
    }
  })

  it('a sentence names only details that the error has', async () => {
    const { errors: translated } = await loadTranslation(language)
    for (const error of await findErrors(join(import.meta.dirname, '../..'))) {
      const words = translated[error.code]
      if (words === undefined) continue
      const known = `${error.message} ${error.remedy}`
      for (const place of `${words.message} ${words.remedy}`.match(/\{\w+\}/g) ?? []) {
        expect(known, `${error.code} has no ${place}`).toContain(place)
      }
    }
  })
})
