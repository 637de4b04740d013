import { useTranslation } from 'react-i18next'
import type { sandbox } from '../../../i18n/en/sandbox.ts'
import { useFormat } from '../../../page/client/use-format.ts'

/** A value in a sentence. Times and durations are formatted in your language where the sentence is shown. */
export type PhraseValue = string | number | { deadline: number } | { age: number } | { duration: number }

type WithoutPlural<Key> = Key extends `${infer Base}_one` | `${infer Base}_other` ? Base : Key
export type PhraseKey = WithoutPlural<keyof (typeof sandbox)['phrase']>

/** A sentence chosen by pure code and translated where it is shown. */
export type Phrase = { key: PhraseKey; values?: Readonly<Record<string, PhraseValue>> }

/** Translates phrases. Deadlines are relative to `now`. */
export function usePhrase(): (phrase: Phrase, now: number) => string {
  const { t } = useTranslation('sandbox')
  const format = useFormat()
  return ({ key, values = {} }, now) => {
    const text = (value: PhraseValue) => {
      if (typeof value !== 'object') return value
      if ('deadline' in value) return format.deadline(value.deadline, now)
      return 'age' in value ? format.shortAge(value.age) : format.duration(value.duration)
    }
    return t(`phrase.${key}`, Object.fromEntries(Object.entries(values).map(([name, value]) => [name, text(value)])))
  }
}
