import type { Turn } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { useNow } from '../../../page/client/use-now.ts'
import { Glyph } from '../../../ui/glyph.tsx'
import { Node } from './node.tsx'

/** The turn is running without a visible sign: the model has not responded yet. */
export function WorkingRow(props: { turn: Turn }) {
  const { t } = useTranslation('threads')
  const format = useFormat()
  const now = useNow(1000)
  const elapsed = Math.floor(Math.max(0, now - props.turn.startedAt) / 1000) * 1000
  const { modelName } = props.turn
  return (
    <div className="r r--quiet">
      <Node>
        <Glyph state="waking" />
      </Node>
      <span className="quiet num">
        {modelName === null ? t('working') : t('waitingForModel', { model: modelName })}
        {elapsed >= 3000 && ` · ${format.duration(elapsed)}`}
      </span>
    </div>
  )
}
