import { describe, expect, test } from 'vitest'
import { en } from './en/index.ts'
import { loadTranslation, translatedErrors, translatedLanguages, translatedSettings } from './translations.ts'

type Texts = { [key: string]: string | Texts }

function keysOf(texts: Texts, prefix = ''): string[] {
  return Object.entries(texts).flatMap(([key, value]) =>
    typeof value === 'string' ? [`${prefix}${key}`] : keysOf(value, `${prefix}${key}.`),
  )
}

function textOf(texts: Texts, key: string): string {
  const value = key.split('.').reduce<string | Texts>((at, part) => (at as Texts)[part] ?? '', texts)
  return typeof value === 'string' ? value : ''
}

const files = import.meta.glob<string>(['../**/*.{ts,tsx}', '!../**/*.test.{ts,tsx}', '!../i18n/**'], {
  query: '?raw',
  import: 'default',
  eager: true,
})
const sources = Object.values(files).join('\n')

/** `a.b` and `namespace:a.b` as written in the source, and the fixed beginnings of `a.${b}`. */
const written = new Set([...sources.matchAll(/['"`](?:\w+:)?([\w.-]+)['"`]/g)].map((match) => match[1]))
const beginnings = [...sources.matchAll(/`(?:\w+:)?([\w.-]+[.-])\$\{/g)].map((match) => match[1] ?? '')

const pluralForm = /_(?:zero|one|two|few|many|other)$/

const formsOf = (language: string) => new Intl.PluralRules(language).resolvedOptions().pluralCategories

describe('texts of the app', () => {
  const english = keysOf(en)

  test('no English text is empty', () => {
    expect(english.filter((key) => textOf(en, key).trim() === '')).toEqual([])
  })

  test('every key is used', () => {
    const unused = english
      .map((key) => key.replace(/^\w+\./, '').replace(pluralForm, ''))
      .filter((key) => !written.has(key) && !beginnings.some((beginning) => key.startsWith(beginning)))
    expect(unused).toEqual([])
  })
})

describe.each(translatedLanguages)('the texts in %s', (language) => {
  const english = keysOf(en)
  const translation = loadTranslation(language)
  const own = async () => (await translation).texts as Texts
  const isNeeded = (key: string) => {
    const form = /_(one|other)$/.exec(key)?.[1]
    return form === undefined || (formsOf(language) as string[]).includes(form)
  }

  test('have exactly the keys of English, with each plural form of the language', async () => {
    const keys = keysOf(await own()).filter((key) => !/_(?:two|few|many)$/.test(key))
    expect(keys.toSorted()).toEqual(english.filter(isNeeded).toSorted())
  })

  test('are not empty', async () => {
    const texts = await own()
    expect(keysOf(texts).filter((key) => textOf(texts, key).trim() === '')).toEqual([])
  })

  test('use the same values and tags as the English texts', async () => {
    const texts = await own()
    const marks = (text: string) =>
      [...text.matchAll(/\{\{\s*(\w+)|<(\w+)/g)].map((match) => match[1] ?? match[2]).sort()
    const differing = english
      .filter(isNeeded)
      .filter((key) => !key.endsWith('_one') && marks(textOf(en, key)).join() !== marks(textOf(texts, key)).join())
    expect(differing).toEqual([])
  })

  test('translate the same errors and settings as every other language', async () => {
    await Promise.all(translatedLanguages.map(loadTranslation))
    for (const other of translatedLanguages) {
      expect(Object.keys(translatedErrors(language)).toSorted()).toEqual(
        Object.keys(translatedErrors(other)).toSorted(),
      )
      const settings = Object.keys(translatedSettings(other)).toSorted()
      expect(Object.keys(translatedSettings(language)).toSorted()).toEqual(settings)
    }
  })
})
