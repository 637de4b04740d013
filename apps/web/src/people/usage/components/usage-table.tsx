import { Link } from '@tanstack/react-router'
import type { UsageGroup, UsageReportQuery } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { usePeople } from '../../team/api/people.queries.ts'

export type Grouping = NonNullable<UsageReportQuery['by']>

const perMillion = 1_000_000

/** What each day, person, thread or model cost, with a bar for its share of the largest. */
export function UsageTable(props: { by: Grouping; groups: readonly UsageGroup[] }) {
  const { t } = useTranslation('usage')
  const format = useFormat()
  const { by, groups } = props
  const largest = Math.max(1, ...groups.map(({ sums }) => sums.costMicroUsd))
  return (
    <table className="usage-table">
      <thead>
        <tr>
          <th scope="col">{t(`by.${by}`)}</th>
          <th scope="col" className="rt wide">
            {t('requests')}
          </th>
          <th scope="col" className="rt wide">
            {t('input')}
          </th>
          <th scope="col" className="rt wide">
            {t('output')}
          </th>
          <th scope="col" className="rt">
            {t('cost')}
          </th>
        </tr>
      </thead>
      <tbody>
        {groups.map(({ key, name, sums }) => (
          <tr key={key}>
            <th scope="row">
              <GroupName by={by} name={name} value={key} />
              <span className="meter" aria-hidden="true">
                <i style={{ width: `${(sums.costMicroUsd / largest) * 100}%` }} />
              </span>
            </th>
            <td className="rt wide">{format.number(sums.requests)}</td>
            <td className="rt wide">{format.count(sums.inputTokens)}</td>
            <td className="rt wide">{format.count(sums.outputTokens)}</td>
            <td className="rt">
              {sums.unpricedRequests === sums.requests ? t('unknown') : format.usd(sums.costMicroUsd / perMillion)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const kinds = ['step', 'run', 'title', 'compaction', 'test'] as const

function GroupName({ by, name, value }: { by: Grouping; name: string | null; value: string | null }) {
  const { t, i18n } = useTranslation('usage')
  const people = usePeople().data
  switch (by) {
    case 'day': {
      const date = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium', timeZone: 'UTC' })
      return date.format(Date.parse(value ?? ''))
    }
    case 'person':
      return people?.find(({ id }) => id === value)?.name ?? t('former')
    case 'workspace':
      return value === null ? t('outside') : (name ?? t('hidden'))
    case 'thread':
      if (value === null) return t('noThread')
      if (name === null) return t('hidden')
      return (
        <Link to="/threads/$threadId" params={{ threadId: value }}>
          {name === '' ? t('untitled') : name}
        </Link>
      )
    case 'model':
      return name
    case 'kind': {
      const kind = kinds.find((known) => known === value)
      return kind === undefined ? value : t(`kind.${kind}`)
    }
  }
}
