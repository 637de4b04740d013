import { isExchangeCause, type SurvivalReport } from '@threadbox/sdk'
import { Check, Minus } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { HelpLink } from '../../../page/docs/docs-link.tsx'
import { docsPlaces } from '../../../page/docs/docs-places.ts'
import { classNames } from '../../../ui/class-names.ts'
import { Glyph } from '../../../ui/glyph.tsx'
import { groupsOf, type ReportGroup, rebuildable } from '../state/report.logic.ts'
import { useReportWords } from '../state/report-words.ts'
import { useWakeWords } from '../state/wake-words.ts'
import { KindLine } from './kind-line.tsx'
import { RebuildButton } from './rebuild-button.tsx'
import { ReportItem, ReportItems } from './report-items.tsx'

/**
 * The complete report of a wake: losses first, each with its reason, then unchecked items, then restored ones. Kept
 * items are one line per kind until it is opened.
 */
export function SurvivalCard(props: { report: SurvivalReport; threadId: string; isInPane?: boolean }) {
  const { t } = useTranslation('lifecycle')
  const format = useFormat()
  const words = useWakeWords()
  const { report, threadId } = props
  const groups = groupsOf(report)
  const bad = groups.filter(({ outcome }) => outcome === 'lost' || outcome === 'unchecked')
  const good = groups.filter(({ outcome }) => outcome !== 'lost' && outcome !== 'unchecked')
  const itemWords = useReportWords()
  const names = rebuildable(report).map(itemWords.name)
  const isChecking = report.status === 'checking'
  // One level below the heading of the pane or of the page.
  const Heading = props.isInPane === true ? 'h3' : 'h2'
  return (
    <section className={classNames('report', props.isInPane && 'report--pane')} aria-label={t('report.title')}>
      <header className="rh">
        <div className="grow">
          <Heading>
            {props.isInPane === true ? words.woke(report) : t('report.title')}{' '}
            <HelpLink to={docsPlaces.report} about={t('report.title')} />
          </Heading>
          <p className="muted">
            {format.sentences([
              words.cause(report),
              report.pausedAt === null
                ? ''
                : t('report.when', {
                    paused: format.deadline(report.pausedAt, Date.now()),
                    woken: format.deadline(report.wokenAt, Date.now()),
                  }),
              report.checkedAt == null
                ? ''
                : t('report.checkedAt', { time: format.deadline(report.checkedAt, Date.now()) }),
            ])}
          </p>
        </div>
      </header>
      {isChecking && (
        <p className="report-note" role="status">
          <Glyph state="waking" />
          {t('report.checkingText')}
        </p>
      )}
      {!isChecking && groups.length === 0 && <p className="report-note">{t('report.emptyText')}</p>}
      {groups.length > 0 && (
        <div className={classNames('cols', (bad.length === 0 || good.length === 0) && 'cols--one')}>
          {bad.length > 0 && (
            <Column icon={<Minus className="i" size={14} />} title={t('report.notKept')}>
              {bad.map((group) => (
                <ReportItems key={group.outcome} group={group} threadId={threadId} />
              ))}
            </Column>
          )}
          {good.length > 0 && (
            <Column icon={<Check className="i" size={14} />} title={t('report.kept')}>
              {good.map((group) => (
                <GoodGroup key={group.outcome} report={report} group={group} threadId={threadId} />
              ))}
            </Column>
          )}
        </div>
      )}
      {props.isInPane !== true && names.length > 0 && (
        <footer className="rf">
          <RebuildButton names={names} isAfterRewind={isExchangeCause(report.cause?.code)} />
        </footer>
      )}
    </section>
  )
}

function Column(props: { icon: ReactNode; title: string; children: ReactNode }) {
  return (
    <div>
      <h2 className="ch">
        {props.icon}
        {props.title}
      </h2>
      {props.children}
    </div>
  )
}

/** Rescued and restarted items are named while they are few; kept ones are one line per kind. */
function GoodGroup(props: { report: SurvivalReport; group: ReportGroup; threadId: string }) {
  const { report, group, threadId } = props
  if (group.outcome === 'restarted') {
    return (
      <ul>
        {group.items.map((item) => (
          <ReportItem key={`${item.kind}:${item.name}:${item.detail}`} item={item} threadId={threadId} />
        ))}
      </ul>
    )
  }
  return <KindLine report={report} group={group} threadId={threadId} />
}
