import type { memoryEnds, RestartObstacle, SurvivalItem, SurvivalSpan, uncheckedCauses } from '@threadbox/sdk'
import type { i18n, TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'

type Params = NonNullable<SurvivalItem['because']>['params']
type ReportWords = Record<'name' | 'reason' | 'detail', (item: SurvivalItem) => string>

export function useReportWords(): ReportWords {
  const { t, i18n } = useTranslation('lifecycle')
  return reportWords({ t, exists: i18n.exists.bind(i18n), format: useFormat() })
}

/**
 * Name, reason and detail of an item in the selected language, if the report has codes that this page knows. Output of
 * programs, and texts of older reports, are shown as they are.
 */
export function reportWords(language: {
  t: TFunction<'lifecycle'>
  exists: i18n['exists']
  format: Pick<ReturnType<typeof useFormat>, 'number' | 'fullMoment'>
}): ReportWords {
  const { t, exists, format } = language
  const knows = (key: string, params: Params) =>
    [key, ...codeKeys(params)].every((one) => exists(`lifecycle:report.${one}`, params))
  /** Params as text: codes, numbers of bytes, and times. */
  const words = (params: Params): Params => {
    const { span, why, how, obstacle }: Codes = params
    const { bytes, at } = params
    return {
      ...params,
      ...(span && {
        before: t(`report.before.${span}`),
        after: t(`report.after.${span}`),
        since: t(`report.since.${span}`),
      }),
      ...(why && { why: t(`report.why.${why}`, params) }),
      ...(how && { how: t(`report.how.${how}`) }),
      ...(obstacle && { obstacle: t(`report.obstacle.${obstacle}`) }),
      ...(typeof bytes === 'number' && { bytes: format.number(bytes) }),
      ...(typeof at === 'number' && { at: format.fullMoment(at) }),
    }
  }
  return {
    name: ({ name, standsFor }: SurvivalItem): string =>
      standsFor != null && knows(`standsFor.${standsFor.code}`, standsFor.params)
        ? t(`report.standsFor.${standsFor.code}`, words(standsFor.params))
        : name,
    reason: ({ reason, because }: SurvivalItem): string =>
      because != null && knows(`because.${because.code}`, because.params)
        ? t(`report.because.${because.code}`, words(because.params))
        : reason,
    detail: ({ detail, facts }: SurvivalItem): string =>
      facts != null && knows(`facts.${facts.code}`, facts.params)
        ? t(`report.facts.${facts.code}`, words(facts.params))
        : detail,
  }
}

/** Params that are codes themselves. They are translated only if this page knows them. */
type Codes = {
  span?: SurvivalSpan
  why?: (typeof uncheckedCauses)[number]
  how?: (typeof memoryEnds)[number]
  obstacle?: RestartObstacle
}

function codeKeys(params: Params): string[] {
  const { span, why, how, obstacle } = params
  return [
    ...(span === undefined ? [] : [`before.${span}`, `after.${span}`, `since.${span}`]),
    ...(why === undefined ? [] : [`why.${why}`]),
    ...(how === undefined ? [] : [`how.${how}`]),
    ...(obstacle === undefined ? [] : [`obstacle.${obstacle}`]),
  ]
}
