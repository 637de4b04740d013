import { describe, expect, test } from 'vitest'
import { de } from './de/index.ts'
import { en } from './en/index.ts'

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

describe('texts of the app', () => {
  const english = keysOf(en)

  test('German has exactly the keys of English', () => {
    expect(keysOf(de)).toEqual(english)
  })

  test('no text is empty', () => {
    for (const texts of [en, de]) expect(keysOf(texts).filter((key) => textOf(texts, key).trim() === '')).toEqual([])
  })

  test('a translation uses the same values and tags as the English text', () => {
    const marks = (text: string) =>
      [...text.matchAll(/\{\{\s*(\w+)|<(\w+)/g)].map((match) => match[1] ?? match[2]).sort()
    const differing = english.filter(
      (key) => !key.endsWith('_one') && marks(textOf(en, key)).join() !== marks(textOf(de, key)).join(),
    )
    expect(differing).toEqual([])
  })

  test('every key is used', () => {
    const unused = english
      .map((key) => key.replace(/^\w+\./, '').replace(pluralForm, ''))
      .filter((key) => !written.has(key) && !beginnings.some((beginning) => key.startsWith(beginning)))
    expect(unused).toEqual([])
  })
})
