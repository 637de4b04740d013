import { expect, test } from 'vitest'
import { survivalWords } from '../../apps/server/src/sandboxes/lifecycle/survival-words.logic.ts'
import { survivalReport as english } from '../../apps/web/src/i18n/en/survival-report.ts'
import { loadTranslation, translatedLanguages } from '../../apps/web/src/i18n/translations.ts'
import { survivalFacts, survivalGroups, survivalReasons } from '../../packages/protocol/src/public/survival-codes.ts'

/** As the app writes texts that depend on a number. */
function flat(table: Record<string, string | { one: string; other: string }>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(table).flatMap(([code, words]) =>
      typeof words === 'string'
        ? [[code, words]]
        : [
            [`${code}_one`, words.one],
            [`${code}_other`, words.other],
          ],
    ),
  )
}

test('the app’s English texts of a survival report match the server’s', () => {
  const served = Object.entries(survivalWords).map(([name, table]) => [name, flat(table)])
  expect(english).toEqual(Object.fromEntries(served))
})

test('the words of a code use its params, and those of its params that are codes', async () => {
  const ofSpan = ['before', 'after', 'since']
  const translations = await Promise.all(translatedLanguages.map(loadTranslation))
  for (const words of [english, ...translations.map(({ texts }) => texts.lifecycle.report)]) {
    for (const [name, codes] of [
      ['because', survivalReasons],
      ['standsFor', survivalGroups],
      ['facts', survivalFacts],
    ] as const) {
      const known: Record<string, readonly string[]> = codes
      for (const [key, text] of Object.entries(words[name])) {
        const params = known[key.replace(/_(one|many|other)$/, '')] ?? []
        const used = [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, param = '']) =>
          ofSpan.includes(param) ? 'span' : param,
        )
        // If the text is a program’s own, the text of `why` contains it.
        const said = params.filter((param) => !(param === 'detail' && params.includes('why')))
        expect([...new Set(used)].sort(), `${name}.${key}: ${text}`).toEqual([...said].sort())
      }
    }
  }
})
