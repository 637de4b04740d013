import type { ToolCallEntry } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { CodeView } from '../../../page/content/components/code-view.tsx'
import { lastLineOf } from '../../../page/content/state/ansi.logic.ts'
import { useCardActions } from '../../../page/content/state/card-context.ts'
import { shortPath } from '../../../page/content/state/paths.logic.ts'
import { Card } from '../../../ui/card.tsx'
import { inputOf, isOpenByDefault, outcomeOf } from '../state/call.logic.ts'
import { useCardOpen } from '../state/use-card-open.ts'
import { CallActions } from './call-actions.tsx'
import { CallError } from './call-error.tsx'
import { CallMeta } from './call-meta.tsx'
import { LimitNote } from './limit-note.tsx'
import { OutputView } from './output-view.tsx'

/** A command: one line with its state, which opens to the full command and its output. */
export function CommandCard(props: { entry: ToolCallEntry }) {
  const { t } = useTranslation('cards')
  const { threadId } = useCardActions()
  const { entry } = props
  const { command } = inputOf(entry)
  const [isOpen, toggle] = useCardOpen(isOpenByDefault(entry))
  const firstLine = command.split('\n', 1)[0] ?? ''
  const isMultiline = command.trim().includes('\n')
  const lastLine = outcomeOf(entry) === 'running' ? lastLineOf(entry.output.tail) : ''
  const cwd = entry.result?.kind === 'command' ? entry.result.cwd : null
  return (
    <Card
      label={t('commandLabel', { command: firstLine })}
      isOpen={isOpen}
      onToggle={toggle}
      title={
        <span className="cmd trunc">
          <i>{'$'}</i>
          {firstLine}
          {isMultiline && ' …'}
        </span>
      }
      meta={<CallMeta entry={entry} />}
      actions={<CallActions entry={entry} text={command} />}
      footer={
        !isOpen && (
          <>
            {lastLine !== '' && <div className="last-line trunc">{lastLine}</div>}
            <LimitNote entry={entry} />
          </>
        )
      }
    >
      {(isMultiline || firstLine.length > 60) && <CodeView code={command} language="bash" label={t('command')} />}
      <CallError entry={entry} />
      <LimitNote entry={entry} />
      <OutputView threadId={threadId} entry={entry} />
      {cwd !== null && cwd !== '' && <div className="card-foot mono">{t('inFolder', { path: shortPath(cwd) })}</div>}
    </Card>
  )
}
