import type { LifecycleLogEntry } from '@threadbox/sdk'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { Button } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { Glyph } from '../../../ui/glyph.tsx'
import { logDuration, logMark, sleepGaps } from '../state/log.logic.ts'
import { useLogWords } from '../state/log-words.ts'
import { ReportDialog } from './report-dialog.tsx'

const firstShown = 8

/** The events of the sandbox, newest first, on a thread line of their own: dashed where it slept. */
export function LogSection(props: { threadId: string; log: readonly LifecycleLogEntry[]; now: number }) {
  const { t } = useTranslation('sandbox')
  const [isOpen, setIsOpen] = useState(false)
  const [reportId, setReportId] = useState<string | null>(null)
  const { log, now } = props
  const shown = isOpen ? log : log.slice(0, firstShown)
  const slept = sleepGaps(log)
  return (
    <section className="sec" aria-label={t('pane.log')}>
      <div className="sec-h">{t('pane.log')}</div>
      {log.length === 0 && <p className="muted">{t('pane.noLog')}</p>}
      <ol className="tl">
        {shown.map((entry, index) => (
          <LogLine
            key={entry.id}
            className={classNames(slept[index] === true && 'to-sleep', slept[index - 1] === true && 'from-sleep')}
            entry={entry}
            now={now}
            onReport={setReportId}
          />
        ))}
      </ol>
      {shown.length < log.length && (
        <Button variant="ghost" size="sm" onClick={() => setIsOpen(true)}>
          {t('pane.logMore', { count: log.length - shown.length })}
        </Button>
      )}
      {reportId !== null && (
        <ReportDialog threadId={props.threadId} reportId={reportId} onClose={() => setReportId(null)} />
      )}
    </section>
  )
}

function LogLine(props: {
  className: string
  entry: LifecycleLogEntry
  now: number
  onReport: (reportId: string) => void
}) {
  const { t } = useTranslation('sandbox')
  const format = useFormat()
  const words = useLogWords()
  const { entry, now } = props
  const { glyph } = logMark(entry.code)
  const duration = logDuration(entry)
  const { reportId } = entry
  const text = words(entry, now)
  return (
    <li className={props.className}>
      <span className="nd">{glyph === null ? <i className="nd-dot" /> : <Glyph state={glyph} />}</span>
      <span className="tl-text">
        <span title={text}>{text}</span>
        {reportId !== null && (
          <button type="button" className="link" onClick={() => props.onReport(reportId)}>
            {t('pane.showReport')}
          </button>
        )}
      </span>
      <span className="dur">{duration === undefined ? '' : format.seconds(duration)}</span>
      <time className="tm num" dateTime={new Date(entry.at).toISOString()} title={format.fullMoment(entry.at)}>
        {format.deadline(entry.at, now)}
      </time>
    </li>
  )
}
