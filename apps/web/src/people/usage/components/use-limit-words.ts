import type { QuotaName, QuotaState } from '@threadbox/sdk'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'

/** How limits are written: money in dollars, disk space in GiB, everything else as a number. */
export function useLimitWords() {
  const { t } = useTranslation('usage')
  const format = useFormat()
  return useMemo(() => {
    const inWords = (quota: QuotaName, value: number) => {
      if (quota === 'modelMicroUsdPerMonth') return format.usd(value / 1_000_000)
      return quota === 'diskBytes' ? format.binaryBytes(value) : format.number(value)
    }
    return {
      limit: (quota: QuotaName, limit: number | null) =>
        limit === null ? t('limits.unlimited') : inWords(quota, limit),
      usedOf: (quota: QuotaName, used: number, limit: number) =>
        t('limits.usedOf', { used: inWords(quota, used), limit: inWords(quota, limit) }),
      /** Empty if it isn’t known. */
      largest: ({ quota, largest }: Pick<QuotaState, 'quota' | 'largest'>) =>
        largest == null
          ? ''
          : t('limits.largest', { title: largest.title || t('untitled'), used: inWords(quota, largest.used) }),
    }
  }, [t, format])
}
