import type { SetupState } from '@threadbox/sdk'
import { RefreshCw } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { relativeTime } from '../../../i18n/relative-time.ts'
import { CheckRow } from '../../../page/parts/check-row.tsx'
import { Button } from '../../../ui/button.tsx'
import { Glyph } from '../../../ui/glyph.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { useSetupState } from '../api/session.queries.ts'

/** The column “This server”: the remaining preparation steps, live, and the time of the last check. */
export function ServerChecks() {
  const { t, i18n } = useTranslation('auth')
  const setup = useSetupState()
  const checkedAt = setup.dataUpdatedAt
  const now = Date.now()
  const when = { host: location.host, when: relativeTime(checkedAt, { now, locale: i18n.language }) }
  return (
    <aside className="auth-aside" aria-label={t('server.title')}>
      <h2>{t('server.title')}</h2>
      <p className="muted">{checkedAt === 0 ? location.host : t('server.checked', when)}</p>
      {setup.isPending && <Skeleton rows={4} label={t('server.checking')} />}
      {setup.isError && <p className="muted auth-note">{t('server.failed')}</p>}
      {setup.data !== undefined && <SetupList setup={setup.data} />}
      <Button
        size="sm"
        icon={<RefreshCw className="i" size={14} />}
        isLoading={setup.isFetching}
        onClick={() => void setup.refetch()}
      >
        {t('server.again')}
      </Button>
    </aside>
  )
}

function SetupList(props: { setup: SetupState }) {
  const { t } = useTranslation('auth')
  const { isHostReachable, preparing, steps, version } = props.setup
  return (
    <ul className="checks" aria-live="polite">
      <CheckRow
        check={{ status: 'ok', title: t('server.answers'), detail: t('server.version', { version }), cure: null }}
      />
      <HostRow isReachable={isHostReachable} isReady={preparing.length === 0} />
      {(steps ?? []).map((step) => (
        <li key={step} className="check">
          <Glyph state="waking" />
          <b>{t(`server.step.${step}`)}</b>
        </li>
      ))}
      <CheckRow
        check={{ status: 'skipped', title: t('server.noModel'), detail: t('server.noModelDetail'), cure: null }}
      />
    </ul>
  )
}

function HostRow(props: { isReachable: boolean; isReady: boolean }) {
  const { t } = useTranslation('auth')
  if (props.isReachable && props.isReady) {
    return <CheckRow check={{ status: 'ok', title: t('server.ready'), detail: t('server.readyDetail'), cure: null }} />
  }
  const detail = props.isReachable ? t('server.preparingDetail') : t('server.hostMissingDetail')
  return <CheckRow check={{ status: 'skipped', title: t('server.preparing'), detail, cure: null }} />
}
