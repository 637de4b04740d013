import { isThreadboxError, type Status } from '@threadbox/sdk'
import { RefreshCw } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../app/use-format.ts'
import { relativeTime } from '../../../i18n/relative-time.ts'
import { Button } from '../../../ui/button.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { useStatus } from '../../settings/api/settings.queries.ts'
import { CheckRow } from '../../settings/components/check-row.tsx'

/** The column “This server”: what was really checked, when, and the way to check again. */
export function ServerChecks() {
  const { t, i18n } = useTranslation('auth')
  const status = useStatus({ retry: false })
  const checkedAt = status.dataUpdatedAt
  const when = { host: location.host, when: relativeTime(checkedAt, { now: Date.now(), locale: i18n.language }) }
  const isRecent = Date.now() - checkedAt < 60_000
  return (
    <aside className="auth-aside" aria-label={t('server.title')}>
      <h2>{t('server.title')}</h2>
      <p className="muted">
        {status.isFetching || checkedAt === 0
          ? location.host
          : isRecent
            ? t('server.checkedNow', when)
            : t('server.checkedAt', when)}
      </p>
      {status.isPending ? <Skeleton rows={4} label={t('server.checking')} /> : null}
      {status.error === null ? null : <p className="muted auth-note">{failureText(status.error, t)}</p>}
      {status.data === undefined ? null : <StatusList status={status.data} />}
      <Button
        size="sm"
        icon={<RefreshCw className="i" size={14} />}
        isLoading={status.isFetching}
        onClick={() => void status.refetch()}
      >
        {status.isFetching ? t('server.checking') : t('server.again')}
      </Button>
    </aside>
  )
}

function failureText(error: unknown, t: ReturnType<typeof useTranslation<'auth'>>['t']): string {
  return isThreadboxError(error) && error.code === 'auth.required' ? t('server.private') : t('server.failed')
}

function StatusList(props: { status: Status }) {
  const { t } = useTranslation('auth')
  const format = useFormat()
  const { host, checks, hasModel } = props.status
  return (
    <ul className="checks">
      {checks.map((check) => (
        <CheckRow key={check.id} check={check} />
      ))}
      {host === null || !host.isReachable ? (
        <CheckRow
          check={{
            status: 'skipped',
            title: t('server.hostMissing'),
            detail: t('server.hostMissingDetail'),
            cure: null,
          }}
        />
      ) : (
        <CheckRow
          check={{
            status: 'ok',
            title: t('server.room'),
            detail: t('server.roomDetail', {
              memory: format.binaryBytes(host.memoryTotalBytes),
              disk: format.binaryBytes(Math.max(0, host.poolTotalBytes - host.poolUsedBytes)),
            }),
            cure: null,
          }}
        />
      )}
      <CheckRow
        check={
          hasModel
            ? { status: 'ok', title: t('server.hasModel'), detail: '', cure: null }
            : { status: 'skipped', title: t('server.noModel'), detail: t('server.noModelDetail'), cure: null }
        }
      />
    </ul>
  )
}
