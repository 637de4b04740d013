import type { Turn } from '@threadbox/sdk'
import { Copy, RotateCw } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { copyText } from '../../../page/client/copy-text.ts'
import { useFormat } from '../../../page/client/use-format.ts'
import { useThreadActions } from '../../../page/thread/state/thread-context.ts'
import { classNames } from '../../../ui/class-names.ts'
import { IconButton } from '../../../ui/icon-button.tsx'

/** Below a finished response: copy, retry, and what the turn used. Subtle, except below the latest. */
export function TurnEndRow(props: { turn: Turn; text: string; isLatest: boolean }) {
  const { t } = useTranslation('threads')
  const actions = useThreadActions()
  const format = useFormat()
  const { turn } = props
  const facts = [
    turn.modelName,
    turn.endedAt === null ? null : format.duration(turn.endedAt - turn.startedAt),
    turn.usage === null
      ? null
      : t('tokens', { tokens: format.count(turn.usage.inputTokens + turn.usage.outputTokens) }),
    turn.usage?.costUsd == null ? null : format.usd(turn.usage.costUsd),
  ].filter((fact) => fact !== null)
  return (
    <div className={classNames('r turn-end', props.isLatest && 'is-latest')}>
      <IconButton size="sm" label={t('copyAnswer')} onClick={() => void copyText(props.text)}>
        <Copy className="i" size={14} />
      </IconButton>
      {props.isLatest && turn.mode === 'agent' && (
        <IconButton
          size="sm"
          label={t('retry')}
          disabledReason={actions.isTurnRunning ? t('editNeedsPause') : undefined}
          onClick={() => void actions.retry('retry')}
        >
          <RotateCw className="i" size={14} />
        </IconButton>
      )}
      <span className="quiet num">{facts.join(' · ')}</span>
    </div>
  )
}
