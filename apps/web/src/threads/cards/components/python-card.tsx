import type { ToolCallEntry } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { CodeView } from '../../../page/content/components/code-view.tsx'
import { lastLineOf, plainOutput } from '../../../page/content/state/ansi.logic.ts'
import { useCardActions } from '../../../page/content/state/card-context.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { ScrollBox } from '../../../ui/scroll-box.tsx'
import { inputOf, isOpenByDefault, outcomeOf, tracebackInnermostFirst } from '../state/call.logic.ts'
import { isTableWithFigure } from '../state/displays.logic.ts'
import { useCardOpen } from '../state/use-card-open.ts'
import { CallActions } from './call-actions.tsx'
import { CallError } from './call-error.tsx'
import { CallMeta } from './call-meta.tsx'
import { DisplayView } from './display-view.tsx'
import { LimitNote } from './limit-note.tsx'
import { OutputView } from './output-view.tsx'

/** A Python cell: code, output, tables and figures, traceback. */
export function PythonCard(props: { entry: ToolCallEntry }) {
  const { t } = useTranslation('cards')
  const { threadId } = useCardActions()
  const { entry } = props
  const { code, description } = inputOf(entry)
  const [isOpen, toggle] = useCardOpen(isOpenByDefault(entry))
  const result = entry.result?.kind === 'python' ? entry.result : null
  const displays = result?.displays ?? []
  const lastLine = outcomeOf(entry) === 'running' ? lastLineOf(entry.output.tail) : ''
  const firstLine = code.trim().split('\n', 1)[0] ?? ''
  const hasOutput = entry.output.sizeBytes > 0
  const saysNothing = entry.endedAt !== null && displays.length === 0 && result?.traceback == null
  return (
    <Card
      label={t('pythonLabel', { code: description === '' ? firstLine : description })}
      isOpen={isOpen}
      onToggle={toggle}
      title={
        <>
          <span className="card-name">{t('python')}</span>
          <span className="trunc card-sub">{description === '' ? firstLine : description}</span>
        </>
      }
      meta={<CallMeta entry={entry} />}
      actions={<CallActions entry={entry} text={code} />}
      footer={
        !isOpen && (
          <>
            {lastLine !== '' && <div className="last-line trunc">{lastLine}</div>}
            <LimitNote entry={entry} />
          </>
        )
      }
    >
      <CodeView code={code} language="python" label={t('code')} />
      <CallError entry={entry} />
      <LimitNote entry={entry} />
      {(hasOutput || saysNothing) && <OutputView threadId={threadId} entry={entry} />}
      <div className={isTableWithFigure(displays) ? 'res' : undefined}>
        {displays.map((display) => (
          <DisplayView key={display.id} display={display} />
        ))}
      </div>
      {result?.traceback != null && <Traceback text={result.traceback} />}
    </Card>
  )
}

function Traceback(props: { text: string }) {
  const { t } = useTranslation('cards')
  const cards = useCardActions()
  const { error, frames } = tracebackInnermostFirst(plainOutput(props.text))
  return (
    <div className="traceback">
      <b className="mono">{error}</b>
      {frames.length > 0 && (
        <ScrollBox className="out-text" label={t('traceback')}>
          {frames.join('\n')}
        </ScrollBox>
      )}
      <Button size="sm" onClick={() => cards.ask(t('askToFixText', { error }))}>
        {t('askToFix')}
      </Button>
    </div>
  )
}
