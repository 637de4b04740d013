import { Link } from '@tanstack/react-router'
import type { Machine, NearLimit, QuotaRequest } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { Group } from '../../../page/parts/section.tsx'
import { Meter } from '../../../ui/meter.tsx'
import { usePersonName } from '../../team/api/people.queries.ts'
import { useLimitWords } from '../../usage/components/use-limit-words.ts'

const perMillion = 1_000_000

/** People near a limit, and requests for more, which are decided where people are managed. */
export function MachinePeople({ nearLimits, requests }: Pick<Machine, 'nearLimits' | 'requests'>) {
  const { t } = useTranslation('machine')
  return (
    <Group
      title={t('limits')}
      action={
        <Link to="/settings/$section" params={{ section: 'people' }} className="link">
          {t('toPeople')}
        </Link>
      }
    >
      {nearLimits.length + requests.length === 0 ? (
        <p className="nothing">{t('noLimits')}</p>
      ) : (
        <ul className="rows">
          {requests.map((request) => (
            <RequestRow key={request.id} request={request} />
          ))}
          {nearLimits.map((near) => (
            <NearRow key={`${near.userId} ${near.quota}`} near={near} />
          ))}
        </ul>
      )}
    </Group>
  )
}

function RequestRow({ request }: { request: QuotaRequest }) {
  const { t } = useTranslation(['machine', 'usage'])
  const name = usePersonName(request.userId) ?? t('former')
  return (
    <li className="row">
      <b>{name}</b> <span className="badge badge--acc">{t('asks')}</span>
      <p className="facts">{t(`usage:limits.name.${request.quota}`)}</p>
    </li>
  )
}

function NearRow({ near }: { near: NearLimit }) {
  const { t } = useTranslation(['machine', 'usage'])
  const words = useLimitWords()
  const name = usePersonName(near.userId) ?? t('former')
  const { quota, used, limit } = near
  const text = words.usedOf(quota, used, limit)
  return (
    <li className="row">
      <b>{name}</b>
      <p className="facts">{[t(`usage:limits.name.${quota}`), text].join(' · ')}</p>
      <Meter value={used} maximum={limit} label={text} />
    </li>
  )
}

/** What requests to models cost this month, most expensive first. */
export function MachineSpend({ spend }: Pick<Machine, 'spend'>) {
  const { t } = useTranslation(['machine', 'usage'])
  const format = useFormat()
  return (
    <Group title={t('spend')}>
      {spend.models.length === 0 ? (
        <p className="nothing">{t('usage:empty')}</p>
      ) : (
        <dl className="figures num">
          <div>
            <dt>{t('total')}</dt>
            <dd>{format.usd(spend.costMicroUsd / perMillion)}</dd>
          </div>
          {spend.models.map(({ modelId, name, costMicroUsd, requests }) => (
            <div key={modelId}>
              <dt>{name}</dt>
              <dd>{t('modelCost', { cost: format.usd(costMicroUsd / perMillion), count: requests })}</dd>
            </div>
          ))}
        </dl>
      )}
    </Group>
  )
}
