import type { SandboxDetail, SandboxView } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { Meter } from '../../../ui/meter.tsx'

/** The resources in use, with their limits. Values that weren’t measured aren’t shown as zero. */
export function UsageSection(props: { sandbox: SandboxView; usage: SandboxDetail['usage'] }) {
  const { t } = useTranslation('sandbox')
  const format = useFormat()
  const { usage, sandbox } = props
  const { limits } = sandbox
  if (usage === null) {
    if (sandbox.state === 'fresh') return null
    return <p className="sec muted">{t('pane.asleepUsage')}</p>
  }
  return (
    <section className="sec pane-usage num" aria-label={t('pane.usage')}>
      {(usage.memoryBytes !== null || sandbox.state === 'active') && (
        <Share label={t('pane.memory')} used={usage.memoryBytes} total={limits.memoryBytes} />
      )}
      <Share label={t('pane.disk')} used={usage.diskBytes} total={limits.diskBytes} />
      {usage.memoryImageBytes !== null && (
        <div>
          <div className="pane-share">
            <span className="faint">{t('pane.memoryImage')}</span>
            <span>{format.binaryBytes(usage.memoryImageBytes)}</span>
          </div>
        </div>
      )}
    </section>
  )
}

function Share(props: { label: string; used: number | null; total: number }) {
  const { t } = useTranslation('sandbox')
  const format = useFormat()
  const { used, total } = props
  return (
    <div>
      <div className="pane-share">
        <span className="faint">{props.label}</span>
        {used === null ? (
          <span className="faint">{t('pane.notMeasured')}</span>
        ) : (
          <span>
            {format.binaryBytes(used)}{' '}
            <span className="faint">{t('pane.of', { total: format.binaryBytes(total) })}</span>
          </span>
        )}
      </div>
      {used !== null && <Meter value={used} maximum={total} label={props.label} />}
    </div>
  )
}
