import type { SurvivalReport } from '@threadbox/sdk'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { type KindSummary, kindsOf, type ReportGroup } from '../state/report.logic.ts'
import { useReportWords } from '../state/report-words.ts'
import { KindIcon } from './kind-icon.tsx'
import { ReportItems } from './report-items.tsx'

const namesShown = 3

/** Kept items, one line per kind: their number, the first names, and all of them when it is opened. */
export function KindLine(props: { report: SurvivalReport; group: ReportGroup; threadId: string }) {
  return (
    <ul>
      {kindsOf(props.report, props.group).map((summary) => (
        <KindRow key={summary.kind} summary={summary} group={props.group} threadId={props.threadId} />
      ))}
    </ul>
  )
}

function KindRow(props: { summary: KindSummary; group: ReportGroup; threadId: string }) {
  const { t } = useTranslation('lifecycle')
  const words = useReportWords()
  const format = useFormat()
  const [isOpen, setIsOpen] = useState(false)
  const { summary, group } = props
  const { kind, items, count } = summary
  const Chevron = isOpen ? ChevronDown : ChevronRight
  const names = items.slice(0, namesShown).map(words.name)
  const title = t(`count.${kind}`, { count })
  return (
    <li className="kept kind">
      <KindIcon kind={kind} />
      {items.length === 0 ? (
        <b>{title}</b>
      ) : (
        <button type="button" className="kind-h" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          <b>{title}</b>
          <Chevron className="i" size={14} aria-hidden="true" />
        </button>
      )}
      <span />
      {!isOpen && (
        <p>
          {group.outcome !== 'kept' && `${t(`report.outcome.${group.outcome}`)}${names.length > 0 ? ': ' : ''}`}
          {names.length > 0 && (
            <span className="mono">
              {format.items(names)}
              {count > names.length ? ' …' : ''}
            </span>
          )}
        </p>
      )}
      {isOpen && (
        <div className="kind-items">
          <ReportItems
            group={{ outcome: group.outcome, items, count, unlisted: count - items.length }}
            threadId={props.threadId}
          />
        </div>
      )}
    </li>
  )
}
