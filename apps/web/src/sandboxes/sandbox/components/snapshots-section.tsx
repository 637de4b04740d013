import type { SandboxView, ThreadSnapshots } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { HelpLink } from '../../../page/docs/docs-link.tsx'
import { docsPlaces } from '../../../page/docs/docs-places.ts'
import { Meter } from '../../../ui/meter.tsx'
import { useSnapshots } from '../api/sandbox.queries.ts'

/** The disk snapshots after earlier turns, and the space they use of their limit. */
export function SnapshotsSection(props: { threadId: string; sandbox: SandboxView }) {
  const { t } = useTranslation('sandbox')
  const { data } = useSnapshots(props.threadId, props.sandbox)
  if (props.sandbox.state === 'fresh' || data === undefined) return null
  return (
    <section className="sec" aria-label={t('pane.snapshots')}>
      <div className="sec-h">
        <span>
          {t('pane.snapshots')} <HelpLink to={docsPlaces.snapshots} about={t('pane.snapshots')} />
        </span>
        <span className="help">
          {t(data.limits.memoryPerThread > 0 ? 'pane.snapshotsHelpMemory' : 'pane.snapshotsHelp')}
        </span>
      </div>
      {data.limits.perThread === 0 ? <p className="muted">{t('pane.snapshotsOff')}</p> : <Figures known={data} />}
    </section>
  )
}

function Figures({ known: { snapshots, usage, limits } }: { known: ThreadSnapshots }) {
  const { t } = useTranslation('sandbox')
  // Those that the user keeps don’t count toward the number.
  const pinned = snapshots.filter(({ isPinned, memoryBytes }) => isPinned && memoryBytes !== null)
  const mostWithMemory = limits.memoryPerThread + new Set(pinned.map(({ id }) => id)).size
  return (
    <>
      <div className="pane-usage num">
        <Share
          label={t('pane.snapshotsKept', { count: usage.count })}
          used={usage.writtenBytes}
          total={limits.bytesPerThread}
        />
        <Share
          label={t('pane.snapshotsOfAll', { count: usage.installationCount })}
          used={usage.installationWrittenBytes}
          total={limits.bytes}
        />
      </div>
      {limits.memoryPerThread > 0 && (
        <div className="pane-usage num">
          <Share
            label={t('pane.snapshotsWithMemory', { count: usage.memoryCount, total: mostWithMemory })}
            used={usage.memoryBytes}
            total={limits.memoryBytes}
          />
          <Share label={t('pane.memoryOfAll')} used={usage.installationMemoryBytes} total={limits.memoryBytes} />
        </div>
      )}
    </>
  )
}

function Share(props: { label: string; used: number; total: number }) {
  const { t } = useTranslation('sandbox')
  const format = useFormat()
  return (
    <div>
      <div className="pane-share">
        <span className="faint">{props.label}</span>
        <span>
          {format.binaryBytes(props.used)}{' '}
          <span className="faint">{t('pane.of', { total: format.binaryBytes(props.total) })}</span>
        </span>
      </div>
      <Meter value={props.used} maximum={props.total} label={props.label} />
    </div>
  )
}
