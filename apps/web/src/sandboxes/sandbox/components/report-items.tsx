import type { SurvivalItem } from '@threadbox/sdk'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../../ui/button.tsx'
import type { ReportGroup } from '../state/report.logic.ts'
import { useReportWords } from '../state/report-words.ts'
import { KindIcon } from './kind-icon.tsx'
import { RestartProcess } from './start-again.tsx'

/** How many items a list shows before it is expanded: a report may name hundreds. */
const firstShown = 12

/** The items of one outcome, each with its reason. */
export function ReportItems(props: { group: ReportGroup; threadId: string }) {
  const { t } = useTranslation('lifecycle')
  const { group } = props
  const [isAll, setIsAll] = useState(false)
  const shown = isAll ? group.items : group.items.slice(0, firstShown)
  const rest = group.items.length - shown.length
  return (
    <>
      <ul>
        {shown.map((item) => (
          <ReportItem key={`${item.kind}:${item.name}:${item.detail}`} item={item} threadId={props.threadId} />
        ))}
      </ul>
      {rest > 0 && (
        <Button variant="ghost" size="sm" onClick={() => setIsAll(true)}>
          {t('report.showAll', { count: rest })}
        </Button>
      )}
      {rest === 0 && group.unlisted > 0 && <p className="faint">{t('report.unlisted', { count: group.unlisted })}</p>}
    </>
  )
}

/** One item: what it was, its outcome and the reason, and a button to restart it if that is possible. */
export function ReportItem(props: { item: SurvivalItem; threadId: string }) {
  const { t } = useTranslation('lifecycle')
  const words = useReportWords()
  const { item } = props
  const [name, reason] = [words.name(item), words.reason(item)]
  // Lost and kept items are under a title that says so. For restarted ones, a reason replaces the short label.
  const isPlain = item.outcome === 'lost' || item.outcome === 'kept' || (item.outcome === 'restarted' && reason !== '')
  const facts = [isPlain ? '' : t(`report.outcome.${item.outcome}`), words.detail(item)].filter((fact) => fact !== '')
  return (
    <li className={item.outcome}>
      <KindIcon kind={item.kind} />
      <b className="mono trunc" title={name}>
        {name}
      </b>
      {item.restartId === null ? (
        <span />
      ) : (
        <RestartProcess threadId={props.threadId} restartId={item.restartId} name={name} />
      )}
      <p>
        {reason}
        {facts.length > 0 && (
          <span className="faint">
            {reason === '' ? '' : ' · '}
            {facts.join(' · ')}
          </span>
        )}
      </p>
    </li>
  )
}
