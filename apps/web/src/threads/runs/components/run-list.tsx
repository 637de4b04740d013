import { Link } from '@tanstack/react-router'
import type { Run, RunStatus } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { LearnMore } from '../../../page/docs/docs-link.tsx'
import { docsPlaces } from '../../../page/docs/docs-places.ts'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { inLanguage } from '../../../page/parts/problem.ts'
import { Button } from '../../../ui/button.tsx'
import { Glyph, type GlyphState } from '../../../ui/glyph.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { useCancelRun, useRuns } from '../api/runs.queries.ts'

const glyphs: Record<RunStatus, GlyphState> = {
  queued: 'fresh',
  running: 'waking',
  succeeded: 'active',
  failed: 'error',
  skipped: 'suspended',
  cancelled: 'stopped',
}

/** The history of an agent’s runs, newest first, and how long it is kept. */
export function RunList(props: { agentId: string }) {
  const { t } = useTranslation('runs')
  const runs = useRuns(props.agentId)
  const format = useFormat()
  if (runs.isError && runs.data === undefined) return <FormProblem error={runs.error} />
  if (runs.data === undefined) return <Skeleton rows={4} label={t('loading')} />
  const list = runs.data.pages.flatMap((page) => page.runs)
  const kept = runs.data.pages[0]?.kept
  return (
    <>
      {list.length === 0 ? (
        <p className="nothing">
          {t('none')} <LearnMore to={docsPlaces.runs} />
        </p>
      ) : (
        <ul className="rows">
          {list.map((run) => (
            <RunItem key={run.id} run={run} />
          ))}
        </ul>
      )}
      {runs.hasNextPage && (
        <p>
          <Button size="md" isLoading={runs.isFetchingNextPage} onClick={() => void runs.fetchNextPage()}>
            {t('older')}
          </Button>
        </p>
      )}
      {kept !== undefined && (
        <p className="facts">{t('kept', { days: format.number(kept.days), runs: format.number(kept.runs) })}</p>
      )}
    </>
  )
}

function RunItem(props: { run: Run }) {
  const { t } = useTranslation('runs')
  const cancel = useCancelRun()
  const format = useFormat()
  const { run } = props
  const isOpen = run.endedAt === null
  const lines = (run.output ?? '').trim().split('\n')
  return (
    <li className="row">
      <div className="row-line">
        <Glyph state={glyphs[run.status]} />
        <div className="grow">
          <b>{run.title}</b> · <span className="run-status">{t(`status.${run.status}`)}</span>
          <Facts run={run} />
        </div>
        {isOpen && (
          <Button
            aria-label={t('cancelOf', { name: run.title })}
            isLoading={cancel.isPending}
            onClick={() => cancel.mutate(run.id)}
          >
            {t('cancel')}
          </Button>
        )}
        {run.threadId !== null && (
          <Link className="btn" to="/threads/$threadId" params={{ threadId: run.threadId }}>
            {t('openThread')}
          </Link>
        )}
      </div>
      {run.threadRemovedAt !== null && (
        <p className="run-reason">{t('threadRemoved', { when: format.deadline(run.threadRemovedAt, Date.now()) })}</p>
      )}
      {run.reason !== null && <Reason reason={run.reason} />}
      {run.output !== null && run.output.trim() !== '' && (
        <details className="run-output">
          <summary className="trunc">{lines[0]}</summary>
          <pre className="mono">{run.output}</pre>
        </details>
      )}
      {cancel.error !== null && <FormProblem error={cancel.error} title={t('cancel')} />}
    </li>
  )
}

function Facts(props: { run: Run }) {
  const { t } = useTranslation('runs')
  const format = useFormat()
  const { run } = props
  const { usage } = run
  const facts = [
    t(`trigger.${run.trigger}`),
    t('version', { version: run.agentVersion }),
    format.deadline(run.startedAt ?? run.createdAt, Date.now()),
    run.startedAt !== null && run.endedAt !== null && run.status !== 'skipped'
      ? format.duration(run.endedAt - run.startedAt)
      : null,
    usage === null ? null : t('tokens', { shown: format.count(usage.inputTokens + usage.outputTokens) }),
    usage?.costUsd == null ? null : format.usd(usage.costUsd),
    run.missed > 0 && run.status !== 'skipped' ? t('missedToo', { count: run.missed }) : null,
  ]
  return (
    <p className="facts" title={format.fullMoment(run.createdAt)}>
      {facts.filter((fact) => fact !== null).join(' · ')}
    </p>
  )
}

function Reason(props: { reason: NonNullable<Run['reason']> }) {
  const { i18n } = useTranslation()
  const { message, remedy } = inLanguage(props.reason, i18n.language)
  return (
    <p className="run-reason">
      {message} {remedy}
    </p>
  )
}
