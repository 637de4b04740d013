import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { problemWords } from '../../apps/server/src/turns/connections/problem-words.logic.ts'
import { loadTranslation, translatedLanguages } from '../../apps/web/src/i18n/translations.ts'
import { findErrors } from './docs-sources.ts'

describe.each(translatedLanguages)('in %s', (language) => {
  it('every error has its sentences, and none is left over', async () => {
    const { errors: translated } = await loadTranslation(language)
    const codes = (await findErrors(join(import.meta.dirname, '../..'))).map((error) => error.code)
    const ofClient = ['server.unreachable', 'server.answer-unknown', 'internal.unexpected']
    expect(Object.keys(translated).toSorted()).toEqual([...new Set([...codes, ...ofClient])].toSorted())
  })

  it('every problem of a connection has its words, with the same values', async () => {
    const { problems } = await loadTranslation(language)
    const valuesOf = (words: Readonly<Record<string, string>>) =>
      Object.fromEntries(Object.entries(words).map(([code, text]) => [code, text.match(/\{\w+\}/g)]))
    expect(valuesOf(problems)).toEqual(valuesOf(problemWords))
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
