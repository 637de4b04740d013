import type { SandboxView } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { useNow } from '../../../page/client/use-now.ts'
import { Chip } from '../../../ui/chip.tsx'
import { togglePane } from '../../panes/state/pane-store.ts'
import { useShownPane } from '../../panes/state/use-shown-pane.ts'
import { glyphOf } from '../state/chip.logic.ts'
import { useSandboxWords } from '../state/sandbox-words.ts'

/** The state of the thread’s sandbox in a word with a detail. Opens the panel. */
export function SandboxChip(props: { threadId: string; sandbox: SandboxView }) {
  const { t } = useTranslation('sandbox')
  const words = useSandboxWords()
  const shown = useShownPane(props.threadId)
  const now = useNow(15_000)
  const { sandbox } = props
  const detail = words.detail(sandbox, now)
  return (
    <Chip
      state={glyphOf(sandbox)}
      word={words.word(sandbox)}
      detail={detail}
      title={detail ?? t('chip')}
      aria-expanded={shown?.threadId === props.threadId && shown.pane === 'sandbox'}
      data-pane-toggle="sandbox"
      onClick={() => togglePane('sandbox')}
    />
  )
}
