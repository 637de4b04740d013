import type { Check, Machine } from '@threadbox/sdk'
import { RefreshCw } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { en } from '../../../i18n/en/index.ts'
import { useFormat } from '../../../page/client/use-format.ts'
import { ErrorCode } from '../../../page/docs/docs-link.tsx'
import { CheckRow } from '../../../page/parts/check-row.tsx'
import { findingInLanguage } from '../../../page/parts/problem.ts'
import { Group } from '../../../page/parts/section.tsx'
import { useErrorToast } from '../../../page/parts/use-error-toast.ts'
import { Button } from '../../../ui/button.tsx'
import { useMachineChecks } from '../api/machine.queries.ts'

type KnownCheck = keyof (typeof en)['settings']['about']['check']

/** The host’s checks with their fixes. They start a sandbox, so they run on request. */
export function MachineChecks({ checks }: { checks: readonly Check[] }) {
  const { t, i18n } = useTranslation(['machine', 'settings'])
  const run = useMachineChecks()
  const showError = useErrorToast()
  const shown = run.data ?? checks
  const titleOf = ({ id, title }: Check) =>
    i18n.exists(`settings:about.check.${id}`) ? t(`settings:about.check.${id as KnownCheck}`) : title
  const check = async () => {
    const { error } = await run.refetch()
    if (error !== null) showError(error)
  }
  return (
    <Group
      title={t('checks')}
      action={
        <Button icon={<RefreshCw className="i" size={14} />} isLoading={run.isFetching} onClick={() => void check()}>
          {run.isFetching ? t('checking') : t('check')}
        </Button>
      }
    >
      <ul className="checks">
        {shown.map((each) => (
          <CheckRow key={each.id} check={{ ...findingInLanguage(each, i18n.language), title: titleOf(each) }} />
        ))}
      </ul>
    </Group>
  )
}

export function MachineVersions({ versions }: Pick<Machine, 'versions'>) {
  const { t } = useTranslation('machine')
  const { release, driver, guests } = versions
  return (
    <Group title={t('versions')}>
      <dl className="figures">
        <div>
          <dt>{t('release')}</dt>
          <dd className="mono">{release}</dd>
        </div>
        {driver !== null && (
          <div>
            <dt>{t('driver')}</dt>
            <dd className="mono">{driver}</dd>
          </div>
        )}
        {guests.map(({ name, boots }) => (
          <div key={name}>
            <dt>{t('guest')}</dt>
            <dd>
              <span className="mono">{name}</span> {t('guestBoots', { count: boots })}
            </dd>
          </div>
        ))}
      </dl>
    </Group>
  )
}

export function MachineErrors({ errors }: Pick<Machine, 'errors'>) {
  const { t } = useTranslation('machine')
  const format = useFormat()
  return (
    <Group title={t('errors')}>
      {errors.length === 0 ? (
        <p className="nothing">{t('noErrors')}</p>
      ) : (
        <ul className="rows">
          {errors.map(({ code, count, lastAt }) => (
            <li key={code} className="row">
              <ErrorCode code={code} />
              <p className="facts num">{t('errorTimes', { count, when: format.moment(lastAt, Date.now()) })}</p>
            </li>
          ))}
        </ul>
      )}
    </Group>
  )
}
