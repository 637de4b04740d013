import type { SurvivalReport } from '@threadbox/sdk'
import { wakeCauses } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { exchangedWithMemory, isMemoryKept, type LinePart, linePartsOf } from './report.logic.ts'

/** The texts for a report: its summary line, and why memory was not used. */
export function useWakeWords() {
  const { t } = useTranslation('lifecycle')
  const format = useFormat()
  const partText = ({ outcome, counts }: LinePart) =>
    t(`line.${outcome}`, {
      things: format.items(counts.map(({ kind, count }) => t(`count.${kind ?? 'thing'}`, { count }))),
    })
  const survived = (report: SurvivalReport): string => {
    if (report.status === 'checking') return t('checking')
    const parts = linePartsOf(report).map(partText)
    if (parts.length > 0) return format.items(parts)
    return Object.keys(report.counts).length === 0 ? t('nothing') : t('all')
  }
  return {
    woke: (report: SurvivalReport) =>
      t(`from.${exchangedWithMemory(report) ?? report.from}`, { time: format.seconds(report.wakeMs) }),
    survived,
    slept: (report: SurvivalReport): string | undefined => {
      if (report.pausedAt === null) return undefined
      const age = format.shortAge(report.wokenAt - report.pausedAt)
      return isMemoryKept(report) ? t('asleep', { age }) : t('away', { age })
    },
    cause: (report: SurvivalReport): string => {
      const exchanged = exchangedWithMemory(report)
      if (exchanged !== undefined) return t(`report.exchanged.${exchanged}`)
      if (report.cause === null) return isMemoryKept(report) ? t('report.memoryKept') : t('report.noCause')
      const { code, detail } = report.cause
      const known = wakeCauses.find((candidate) => candidate === code)
      const sentence = known === undefined ? `${t('report.noCause')} (${code})` : t(`cause.${known}`)
      return format.sentences([sentence, detail])
    },
  }
}
