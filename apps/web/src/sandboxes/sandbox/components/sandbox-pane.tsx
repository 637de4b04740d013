import { useQuery } from '@tanstack/react-query'
import type { SandboxDetail, Thread } from '@threadbox/sdk'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useClient } from '../../../page/client/client.ts'
import { useFormat } from '../../../page/client/use-format.ts'
import { useNow } from '../../../page/client/use-now.ts'
import { LoadFailed } from '../../../page/parts/load-failed.tsx'
import { threadQuery } from '../../../page/thread/api/thread-queries.ts'
import { ThreadGitCredentials } from '../../../people/git-credentials/components/thread-git-credentials.tsx'
import { ThreadNetwork } from '../../../people/network/components/thread-network.tsx'
import { ThreadSecrets } from '../../../people/secrets/components/thread-secrets.tsx'
import { ThreadSkills } from '../../../people/skills/components/thread-skills.tsx'
import { Glyph } from '../../../ui/glyph.tsx'
import { Pane } from '../../../ui/pane.tsx'
import { Resizer } from '../../../ui/resizer.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { usePageThread } from '../../panes/state/page-thread.ts'
import { closePane, wasPaneOpenedByUser } from '../../panes/state/pane-store.ts'
import type { PaneProps } from '../../panes/state/panes-context.ts'
import { useSandboxDetail } from '../api/sandbox.queries.ts'
import { withTurnMode } from '../state/chip.logic.ts'
import { LimitsForm } from './limits-form.tsx'
import { LogSection } from './log-section.tsx'
import { PolicySection } from './policy-section.tsx'
import { ProcessesSection } from './processes-section.tsx'
import { SnapshotsSection } from './snapshots-section.tsx'
import { StateSection } from './state-section.tsx'
import { SurvivalCard } from './survival-card.tsx'
import { UsageSection } from './usage-section.tsx'

/** A thread’s sandbox: its state, what happens next, its usage, its limits and policy, and its log. */
export function SandboxPane(props: PaneProps) {
  const { t } = useTranslation('sandbox')
  const client = useClient()
  const page = usePageThread()
  const { data } = useQuery(threadQuery(client, props.threadId))
  const isOwnPage = page?.threadId === props.threadId
  const turnMode = isOwnPage ? page.turnMode : undefined
  const thread = useMemo(() => data && { ...data, sandbox: withTurnMode(data.sandbox, turnMode) }, [data, turnMode])
  return (
    <Pane
      title={t('title')}
      isSheet={props.isSheet}
      takesFocus={wasPaneOpenedByUser()}
      closeLabel={t('pane.close')}
      onClose={closePane}
      resizer={<Resizer label={t('pane.resize')} width={props.width} minimum={400} onChange={props.onWidth} />}
    >
      {thread !== undefined && (
        <SandboxContent thread={thread} isTurnRunning={thread.isTurnRunning || (isOwnPage && page.isTurnRunning)} />
      )}
    </Pane>
  )
}

function SandboxContent(props: { thread: Thread; isTurnRunning: boolean }) {
  const { t } = useTranslation('sandbox')
  const { thread } = props
  const query = useSandboxDetail(thread.id, thread.sandbox)
  const now = useNow(5000)
  const detail = query.data
  return (
    <>
      <StateSection thread={thread} detail={detail} isTurnRunning={props.isTurnRunning} now={now} />
      {query.isError && detail !== undefined && <Stale at={query.dataUpdatedAt} now={now} />}
      {detail === undefined && query.isError && (
        <div className="sec">
          <LoadFailed
            error={query.error}
            title={t('pane.failed')}
            isRetrying={query.isFetching}
            onRetry={() => void query.refetch()}
          />
        </div>
      )}
      {detail === undefined && !query.isError && (
        <div className="sec">
          <Skeleton rows={6} label={t('pane.loading')} />
        </div>
      )}
      {detail !== undefined && <Detail thread={thread} detail={detail} isStale={query.isError} now={now} />}
    </>
  )
}

function Detail(props: { thread: Thread; detail: SandboxDetail; isStale: boolean; now: number }) {
  const { t } = useTranslation('sandbox')
  const { thread, detail, now } = props
  const { sandbox } = thread
  return (
    <>
      <div className={props.isStale ? 'is-stale' : undefined}>
        <UsageSection sandbox={sandbox} usage={detail.usage} />
        <ProcessesSection sandbox={sandbox} detail={detail} />
      </div>
      <SnapshotsSection threadId={thread.id} sandbox={sandbox} />
      <LimitsForm
        threadId={thread.id}
        limits={sandbox.limits}
        sources={{ own: detail.ownLimits ?? [], workspace: detail.workspaceLimits ?? [] }}
        usedDiskBytes={detail.usage?.diskBytes ?? null}
      />
      <PolicySection threadId={thread.id} detail={detail} />
      <ThreadNetwork threadId={thread.id} />
      <ThreadSkills threadId={thread.id} />
      <ThreadGitCredentials threadId={thread.id} />
      <ThreadSecrets threadId={thread.id} />
      {detail.latestReport !== null && (
        <section className="sec" aria-label={t('pane.report')}>
          <div className="sec-h">{t('pane.report')}</div>
          <SurvivalCard report={detail.latestReport} threadId={thread.id} isInPane />
        </section>
      )}
      <LogSection threadId={thread.id} log={detail.log} now={now} />
    </>
  )
}

/** The sandbox didn’t respond: shows the time of the displayed values. */
function Stale(props: { at: number; now: number }) {
  const { t } = useTranslation('sandbox')
  const format = useFormat()
  return (
    <p className="sec pane-stale" role="status">
      <Glyph state="error" />
      {t('pane.stale', { at: format.deadline(props.at, props.now) })}
    </p>
  )
}
