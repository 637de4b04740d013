import type { Check, Status } from '@threadbox/sdk'
import { RefreshCw } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { en } from '../../../i18n/en/index.ts'
import { useFormat } from '../../../page/client/use-format.ts'
import { CheckRow } from '../../../page/parts/check-row.tsx'
import { Loaded } from '../../../page/parts/loaded.tsx'
import { findingInLanguage } from '../../../page/parts/problem.ts'
import { Group, SectionHead } from '../../../page/parts/section.tsx'
import { usePreviewCheck } from '../../../sandboxes/preview/api/preview-check.queries.ts'
import { Button } from '../../../ui/button.tsx'
import { Meter } from '../../../ui/meter.tsx'
import { useStatus } from '../api/settings.queries.ts'
import { PreviewChecks } from './preview-checks.tsx'

type KnownCheck = keyof (typeof en)['settings']['about']['check']

export function AboutSection() {
  const { t, i18n } = useTranslation('settings')
  const status = useStatus()
  const previews = usePreviewCheck()
  const isChecking = status.isFetching || previews.isFetching
  // A newer host may report checks that this app doesn’t know; they come with a title.
  const titleOf = ({ id, title }: Check) => {
    return i18n.exists(`settings:about.check.${id}`) ? t(`about.check.${id as KnownCheck}`) : title
  }
  const checkAgain = () => {
    void status.refetch()
    void previews.refetch()
  }
  return (
    <>
      <SectionHead title={t('about.title')} lead={t('about.lead')} />
      <Loaded query={status}>
        {(answer) => (
          <>
            <dl className="figures">
              <div>
                <dt>{t('about.version')}</dt>
                <dd className="mono">{answer.version}</dd>
              </div>
            </dl>
            <Group title={t('about.host')}>
              <HostFigures host={answer.host} />
            </Group>
            <Group
              title={t('about.checks')}
              action={
                <Button
                  size="sm"
                  icon={<RefreshCw className="i" size={14} />}
                  isLoading={isChecking}
                  onClick={checkAgain}
                >
                  {isChecking ? t('about.checking') : t('about.again')}
                </Button>
              }
            >
              <ul className="checks">
                {answer.checks.map((check) => (
                  <CheckRow
                    key={check.id}
                    check={{ ...findingInLanguage(check, i18n.language), title: titleOf(check) }}
                  />
                ))}
                <PreviewChecks query={previews} />
              </ul>
            </Group>
          </>
        )}
      </Loaded>
      <p className="faint section-note">{t('about.licence')}</p>
    </>
  )
}

function HostFigures(props: { host: Status['host'] }) {
  const { t } = useTranslation('settings')
  const format = useFormat()
  const { host } = props
  if (host === null || !host.isReachable) return <p className="nothing">{t('about.hostMissing')}</p>
  const used = (usedBytes: number, totalBytes: number) => ({
    used: format.binaryBytes(usedBytes),
    total: format.binaryBytes(totalBytes),
  })
  return (
    <dl className="figures num">
      <div>
        <dt>{t('about.memory')}</dt>
        <dd>
          {t('about.memoryUsed', used(host.memoryUsedBytes, host.memoryTotalBytes))}
          <Meter value={host.memoryUsedBytes} maximum={host.memoryTotalBytes} label={t('about.memory')} />
        </dd>
      </div>
      <div>
        <dt>{t('about.pool')}</dt>
        <dd>
          {t('about.poolUsed', used(host.poolUsedBytes, host.poolTotalBytes))}
          <Meter value={host.poolUsedBytes} maximum={host.poolTotalBytes} label={t('about.pool')} />
        </dd>
      </div>
      <div>
        <dt>{t('about.awake')}</dt>
        <dd>{format.number(host.awakeSandboxes)}</dd>
      </div>
    </dl>
  )
}
