import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import * as format from './format.ts'

/** The formatters for the selected language. */
export function useFormat() {
  const { i18n } = useTranslation()
  const locale = i18n.language
  return useMemo(
    () => ({
      bytes: (bytes: number) => format.formatBytes(bytes, locale),
      binaryBytes: (bytes: number) => format.formatBinaryBytes(bytes, locale),
      duration: (milliseconds: number) => format.formatDuration(milliseconds, locale),
      seconds: (milliseconds: number) => format.formatSeconds(milliseconds, locale),
      shortAge: (milliseconds: number) => format.formatShortAge(milliseconds, locale),
      moment: (at: number, now: number) => format.formatMoment(at, { now, locale }),
      deadline: (at: number, now: number) => format.formatDeadline(at, { now, locale }),
      momentIn: (at: number, timeZone: string) => format.formatMomentIn(at, { timeZone, locale }),
      fullMoment: (at: number) => format.formatFullMoment(at, locale),
      count: (count: number) => format.formatCount(count, locale),
      usd: (amount: number) => format.formatUsd(amount, locale),
      list: (items: readonly string[]) => new Intl.ListFormat(locale).format(items),
      items: (items: readonly string[]) => format.joinItems(items, locale),
      sentences: (sentences: readonly string[]) => format.joinSentences(sentences, locale),
      number: (value: number) => new Intl.NumberFormat(locale).format(value),
    }),
    [locale],
  )
}
