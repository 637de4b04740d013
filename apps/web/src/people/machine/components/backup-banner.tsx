import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Backups } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { useClient } from '../../../page/client/client.ts'
import { meQuery } from '../../../page/client/session.ts'
import { useFormat } from '../../../page/client/use-format.ts'
import { Glyph } from '../../../ui/glyph.tsx'
import { useBackups } from '../api/machine.queries.ts'

/** Tells the owner and admins that the last backup failed or is missing. It stays until there is one. */
export function BackupBanner() {
  const me = useQuery(meQuery(useClient())).data
  const isAdministrator = me !== undefined && me.role !== 'member' && !me.needsPasskey
  const backups = useBackups({ isEnabled: isAdministrator }).data
  if (!isAdministrator || backups === undefined || backups.attention === null) return null
  return <Banner backups={backups} />
}

function Banner({ backups }: { backups: Backups }) {
  const { t } = useTranslation('machine')
  const reason = useReason(backups)
  const isInDoubt = backups.failure?.step === 'verify'
  return (
    <div className="banner">
      <Glyph state="error" />
      <p className="grow">
        <span role="status">
          <b>{t(isInDoubt ? 'backup.banner.inDoubt' : 'backup.banner.atRisk')}</b> {reason}
        </span>
      </p>
      <Link className="btn btn--sm" to="/settings/$section" params={{ section: 'machine' }} hash="backups">
        {t('backup.banner.show')}
      </Link>
    </div>
  )
}

function useReason({ attention, failure, succeededAt }: Backups): string {
  const { t } = useTranslation('machine')
  const format = useFormat()
  if (attention === 'failed' && failure !== null && failure.step !== 'prune') return t(`backup.banner.${failure.step}`)
  if (succeededAt === null) return t('backup.banner.none')
  return t('backup.banner.old', { when: format.moment(succeededAt, Date.now()) })
}
