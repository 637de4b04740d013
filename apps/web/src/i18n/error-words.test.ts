import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadTranslation, translatedErrors, translatedLanguages } from './translations.ts'

const page = readFileSync(join(import.meta.dirname, '../../../../docs/errors.md'), 'utf8')
/** Code, message and remedy; the kinds of errors stand in another table. */
const errors = [...page.matchAll(/^\| `([\w-]+\.[\w.-]+)` \| `[\w-]+` \| (.*?) \| (.*?) \|$/gm)].map((row) => ({
  code: row[1] ?? '',
  english: `${row[2]} ${row[3]}`,
}))
/** What the app itself says when there is no response to show. */
const ownCodes = ['internal.unexpected', 'server.answer-unknown', 'server.unreachable']

const placesOf = (sentences: string) => [...sentences.matchAll(/\{(\w+)(?::size)?\}/g)].map((match) => match[1])

describe.each(translatedLanguages)('the errors in %s', (language) => {
  const loaded = loadTranslation(language)

  test('are those of the list of errors', async () => {
    await loaded
    const codes = errors.map(({ code }) => code)
    expect(Object.keys(translatedErrors(language)).toSorted()).toEqual([...new Set([...codes, ...ownCodes])].toSorted())
  })

  test('name the same details as the English sentences', async () => {
    await loaded
    const differing = errors.filter(({ code, english }) => {
      const words = translatedErrors(language)[code]
      // A part that the English sentence computes is an ellipsis in the list.
      if (words === undefined || english.includes('…')) return false
      const wanted = new Set(placesOf(english))
      return placesOf(`${words.message} ${words.remedy}`).some((place) => !wanted.has(place))
    })
    expect(differing).toEqual([])
  })
})
