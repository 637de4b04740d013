import type { WakeEntry } from '@threadbox/sdk'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { useThreadActions } from '../../../page/thread/state/thread-context.ts'
import { classNames } from '../../../ui/class-names.ts'
import { Glyph } from '../../../ui/glyph.tsx'
import { isMemoryKept, isOpenByDefault } from '../state/report.logic.ts'
import { useWakeWords } from '../state/wake-words.ts'
import { SurvivalCard } from './survival-card.tsx'

/**
 * A wake: one line, which opens to the complete report. The thread line above it is dashed if memory was kept, and
 * broken if it wasn’t.
 */
export function WakeRow(props: { entry: WakeEntry; isLatest: boolean }) {
  const { t } = useTranslation('lifecycle')
  const format = useFormat()
  const words = useWakeWords()
  const id = useId()
  const { threadId } = useThreadActions()
  const { report } = props.entry
  const [chosen, setChosen] = useState<boolean | null>(null)
  const opens = isOpenByDefault(report, props.isLatest)
  // Once open it stays open: restarting a process may leave no losses while the reader is still in the list.
  const [hasOpened, setHasOpened] = useState(opens)
  if (opens && !hasOpened) setHasOpened(true)
  const isOpen = chosen ?? hasOpened
  const isKept = isMemoryKept(report)
  const slept = words.slept(report)
  const Chevron = isOpen ? ChevronDown : ChevronRight
  return (
    <>
      <div className={classNames('r wake', isKept ? 'r--asleep' : 'r--gap')} data-entry={props.entry.id}>
        <span className="node" aria-hidden="true">
          <Glyph state={report.status === 'checking' ? 'waking' : isKept ? 'active' : 'cold'} />
        </span>
        <button
          type="button"
          className="wake-line"
          aria-expanded={isOpen}
          aria-controls={isOpen ? id : undefined}
          title={isOpen ? t('report.close') : t('report.open')}
          onClick={() => setChosen(!isOpen)}
        >
          <b>{words.woke(report)}</b>
          <span className="dash" aria-hidden="true">
            {'—'}
          </span>
          <span className="rest">{words.survived(report)}</span>
          <Chevron className="i" size={14} aria-hidden="true" />
        </button>
        {slept !== undefined && (
          <time
            className="when num"
            dateTime={new Date(report.wokenAt).toISOString()}
            title={format.fullMoment(report.wokenAt)}
          >
            {slept}
          </time>
        )}
      </div>
      {isOpen && (
        <div className="r" id={id}>
          <SurvivalCard report={report} threadId={threadId} />
        </div>
      )}
    </>
  )
}
