import type { UsageReport } from '@threadbox/sdk'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useClient } from '../../../page/client/client.ts'
import { download } from '../../../page/client/download.ts'
import { useFormat } from '../../../page/client/use-format.ts'
import { LearnMore } from '../../../page/docs/docs-link.tsx'
import { docsPlaces } from '../../../page/docs/docs-places.ts'
import { Loaded } from '../../../page/parts/loaded.tsx'
import { Group, SectionHead } from '../../../page/parts/section.tsx'
import { Button } from '../../../ui/button.tsx'
import { Select } from '../../../ui/select.tsx'
import { useMe } from '../../auth/api/session.queries.ts'
import { useWorkspaces } from '../../workspaces/api/workspaces.queries.ts'
import { useUsage } from '../api/usage.queries.ts'
import { daysOf, recentMonths } from '../state/months.ts'
import { OwnLimits } from './own-limits.tsx'
import { type Grouping, UsageTable } from './usage-table.tsx'

const perMillion = 1_000_000

/** `mine`, `everyone`, or the id of a workspace. */
type Scope = string

const groupings: Record<'mine' | 'workspace' | 'everyone', readonly Grouping[]> = {
  mine: ['day', 'thread', 'model', 'workspace', 'kind'],
  workspace: ['day', 'person', 'thread', 'model', 'kind'],
  everyone: ['day', 'person', 'model', 'workspace', 'kind'],
}

/** What requests to models cost in a month: the person’s own, a workspace’s, or everyone’s. */
export function UsageSection() {
  const { t, i18n } = useTranslation('usage')
  const client = useClient()
  const months = recentMonths(new Date())
  const [month, setMonth] = useState(months[0] ?? '')
  const [scope, setScope] = useState<Scope>('mine')
  const [by, setBy] = useState<Grouping>('day')
  const of = scope === 'mine' || scope === 'everyone' ? scope : 'workspace'
  const period = { of, ...(of === 'workspace' ? { workspaceId: scope } : {}), ...daysOf(month) } as const
  const report = useUsage({ ...period, by })
  const monthName = new Intl.DateTimeFormat(i18n.language, { month: 'long', year: 'numeric', timeZone: 'UTC' })
  const choose = (next: Scope) => {
    setScope(next)
    const isKept = groupings[next === 'mine' || next === 'everyone' ? next : 'workspace'].includes(by)
    if (!isKept) setBy('day')
  }
  return (
    <>
      <SectionHead title={t('title')} lead={t('lead')} />
      <OwnLimits />
      <div className="row-flex usage-choices">
        <Select
          label={t('month')}
          value={month}
          options={months.map((value) => ({ value, label: monthName.format(Date.parse(`${value}-01`)) }))}
          onChange={setMonth}
        />
        <ScopeSelect value={scope} onChange={choose} />
        <Select
          label={t('group')}
          value={by}
          options={groupings[of].map((value) => ({ value, label: t(`byLabel.${value}`) }))}
          onChange={setBy}
        />
      </div>
      <Loaded query={report}>{(data) => <Report report={data} by={by} />}</Loaded>
      <p className="section-note">
        <Button
          variant="ghost"
          size="sm"
          icon={<Download className="i" size={14} />}
          onClick={() => download(client.usage.csvUrl(period))}
        >
          {t('download')}
        </Button>{' '}
        <LearnMore to={docsPlaces.usage} />
      </p>
    </>
  )
}

/** Whose usage: hidden when there is only one’s own. */
function ScopeSelect(props: { value: Scope; onChange: (scope: Scope) => void }) {
  const { t } = useTranslation('usage')
  const me = useMe().data
  const managed = useWorkspaces().filter(({ allowed }) => allowed.includes('manage'))
  const isAdministrator = me !== undefined && me.role !== 'member'
  if (managed.length === 0 && !isAdministrator) return null
  const options = [
    { value: 'mine', label: t('mine') },
    ...(isAdministrator ? [{ value: 'everyone', label: t('everyone') }] : []),
    ...managed.map(({ id, name }) => ({ value: id, label: name })),
  ]
  return <Select label={t('of')} value={props.value} options={options} onChange={props.onChange} />
}

function Report({ report, by }: { report: UsageReport; by: Grouping }) {
  const { t } = useTranslation('usage')
  const format = useFormat()
  const { total, groups } = report
  if (total.requests === 0) return <p className="nothing">{t('empty')}</p>
  const notes = [
    total.unpricedRequests > 0 ? t('unpricedNote', { count: total.unpricedRequests }) : '',
    total.estimatedRequests > 0 ? t('estimatedNote', { count: total.estimatedRequests }) : '',
    t('zoneNote', { zone: report.timeZone }),
  ]
  return (
    <>
      <dl className="figures">
        <Figure name={t('cost')} value={format.usd(total.costMicroUsd / perMillion)} />
        <Figure name={t('requests')} value={format.number(total.requests)} />
        <Figure name={t('input')} value={format.count(total.inputTokens)} />
        <Figure name={t('output')} value={format.count(total.outputTokens)} />
      </dl>
      <Group title={t(`byLabel.${by}`)}>
        <UsageTable by={by} groups={groups} />
      </Group>
      <p className="section-note">{format.sentences(notes)}</p>
    </>
  )
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="num">{value}</dd>
    </div>
  )
}
