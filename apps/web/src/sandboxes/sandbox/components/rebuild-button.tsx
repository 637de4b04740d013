import { WandSparkles } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { useThreadActions } from '../../../page/thread/state/thread-context.ts'
import { Button } from '../../../ui/button.tsx'

const namedAtMost = 20

/** Writes a request to rebuild what was lost into the composer, for the user to review and send. */
export function RebuildButton(props: { names: readonly string[]; isAfterRewind: boolean }) {
  const { t } = useTranslation('lifecycle')
  const format = useFormat()
  const actions = useThreadActions()
  const named = format.items(props.names.slice(0, namedAtMost))
  const names = props.names.length > namedAtMost ? `${named} …` : named
  return (
    <Button
      variant="primary"
      size="md"
      icon={<WandSparkles className="i" size={14} />}
      onClick={() =>
        actions.insert(t(props.isAfterRewind ? 'report.rebuildRewound' : 'report.rebuildMessage', { names }))
      }
    >
      {t('report.rebuild')}
    </Button>
  )
}
