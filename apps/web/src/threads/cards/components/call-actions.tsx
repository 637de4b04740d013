import type { ToolCallEntry } from '@threadbox/sdk'
import { Copy, RotateCw, Square } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { copyText } from '../../../page/client/copy-text.ts'
import { useCardActions } from '../../../page/content/state/card-context.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { outcomeOf } from '../state/call.logic.ts'

/** Stop while the call runs; copy and run again at any time. */
export function CallActions(props: { entry: ToolCallEntry; text: string }) {
  const { t } = useTranslation('cards')
  const cards = useCardActions()
  const outcome = outcomeOf(props.entry)
  const isRunning = outcome === 'running' || outcome === 'waiting'
  return (
    <>
      {isRunning ? (
        <IconButton size="sm" label={t('stop')} onClick={cards.stop}>
          <Square className="i" size={12} fill="currentColor" />
        </IconButton>
      ) : (
        <IconButton size="sm" label={t('runAgain')} onClick={() => cards.runAgain(props.entry.id)}>
          <RotateCw className="i" size={14} />
        </IconButton>
      )}
      <IconButton size="sm" label={t('copy')} onClick={() => void copyText(props.text)}>
        <Copy className="i" size={14} />
      </IconButton>
    </>
  )
}
