import type { ToolCallEntry } from '@threadbox/sdk'
import { Check, CircleHelp, Hand, Square, TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { useNow } from '../../../page/client/use-now.ts'
import { Glyph } from '../../../ui/glyph.tsx'
import { elapsedMsOf, outcomeOf } from '../state/call.logic.ts'

/** The mark, the state and the duration of a call. The duration counts up while it runs. */
export function CallMeta(props: { entry: ToolCallEntry }) {
  const { t } = useTranslation('cards')
  const format = useFormat()
  const outcome = outcomeOf(props.entry)
  const isRunning = outcome === 'running'
  const now = useNow(isRunning ? 1000 : null)
  // The duration of an interrupted call isn’t known.
  const elapsed = outcome === 'interrupted' ? null : elapsedMsOf(props.entry, now)
  // A running call shows whole seconds: tenths would only flicker.
  const shown = elapsed === null ? null : isRunning ? Math.floor(elapsed / 1000) * 1000 : elapsed
  const exitCode = props.entry.result?.kind === 'command' ? props.entry.result.exitCode : null
  return (
    <>
      {outcome === 'waiting' && (
        <span className="busy">
          <Glyph state="waking" />
          {t(props.entry.connection === undefined ? 'outcome.waiting' : 'outcome.allowed')}
        </span>
      )}
      {outcome === 'awaiting-approval' && (
        <span className="warn">
          <Hand className="i" size={14} />
          {t('outcome.awaiting-approval')}
        </span>
      )}
      {isRunning && (
        <span className="busy">
          <Glyph state="waking" />
          {t('outcome.running')}
        </span>
      )}
      {outcome === 'ok' && (
        <span className="ok">
          <Check className="i" size={14} />
          {exitCode === null ? t('outcome.done') : t('outcome.exit', { code: exitCode })}
        </span>
      )}
      {outcome === 'failed' && (
        <span className="err">
          <TriangleAlert className="i" size={14} />
          {exitCode === null ? t('outcome.failed') : t('outcome.exit', { code: exitCode })}
        </span>
      )}
      {outcome === 'stopped' && (
        <span className="stopped">
          <Square className="i" size={12} />
          {t('outcome.stopped')}
        </span>
      )}
      {outcome === 'interrupted' && (
        <span className="warn">
          <CircleHelp className="i" size={14} />
          {t('outcome.interrupted')}
        </span>
      )}
      {shown !== null && <span>{format.duration(shown)}</span>}
    </>
  )
}
