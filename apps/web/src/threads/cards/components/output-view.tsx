import type { ToolCallEntry } from '@threadbox/sdk'
import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { useClient } from '../../../page/client/client.ts'
import { useFormat } from '../../../page/client/use-format.ts'
import { AnsiText } from '../../../page/content/components/ansi-text.tsx'
import { lastLines } from '../../../page/content/state/ansi.logic.ts'
import { Button } from '../../../ui/button.tsx'
import { ScrollBox } from '../../../ui/scroll-box.tsx'
import { outputPageCharacters, useOutputPages } from '../state/output-pages.ts'

const shownLines = 12

/** The last lines of an output, with buttons for the full output: page by page, or as a file. */
export function OutputView(props: { threadId: string; entry: ToolCallEntry }) {
  const { t } = useTranslation('cards')
  const client = useClient()
  const format = useFormat()
  const { output } = props.entry
  const notKeptLine = useCallback((bytes: number) => t('notKept', { bytes: format.number(bytes) }), [t, format])
  const pages = useOutputPages({ client, threadId: props.threadId, callId: props.entry.id, notKeptLine })
  const tail = lastLines(output.tail, shownLines)
  if (output.sizeBytes === 0) {
    const hasEnded = props.entry.endedAt !== null
    return hasEnded ? <div className="out out--none">{t('noOutput')}</div> : null
  }
  if (pages.text === null) {
    const isCut = tail.hidden > 0 || output.tailOffset > 0
    return (
      <div className="out">
        {isCut && (
          <div className="out-cut">
            <button type="button" className="link" onClick={() => void pages.loadMore()} aria-busy={pages.isLoading}>
              {t('showAll', { size: format.bytes(output.sizeBytes) })}
            </button>
            <span>{t('lastLines', { count: shownLines })}</span>
            {pages.error !== null && <span className="err">{t('outputFailed')}</span>}
          </div>
        )}
        <KeptNote output={output} />
        <ScrollBox className="out-text" label={t('output')}>
          <AnsiText>{tail.text}</AnsiText>
        </ScrollBox>
      </div>
    )
  }
  const size = Math.max(pages.sizeBytes, output.sizeBytes)
  const isComplete = pages.endOffset >= size
  return (
    <div className="out">
      <div className="out-cut">
        <button type="button" className="link" onClick={pages.close}>
          {t('showLess')}
        </button>
        <span className="num">{t('shownOf', { shown: format.bytes(pages.endOffset), size: format.bytes(size) })}</span>
        <a className="link" href={client.threads.outputUrl(props.threadId, props.entry.id)} download>
          {t('downloadOutput')}
        </a>
      </div>
      <KeptNote output={output} />
      <ScrollBox className="out-text out-text--all" label={t('output')}>
        <AnsiText>{pages.text}</AnsiText>
      </ScrollBox>
      {!isComplete &&
        (pages.text.length < outputPageCharacters ? (
          <Button size="sm" isLoading={pages.isLoading} onClick={() => void pages.loadMore()}>
            {t('showMore')}
          </Button>
        ) : (
          <p className="faint">{t('tooLongForPage')}</p>
        ))}
      {pages.error !== null && <p className="err">{t('outputFailed')}</p>}
    </div>
  )
}

/** How much of an output was written and kept, if not all of it was. */
function KeptNote({ output }: { output: ToolCallEntry['output'] }) {
  const { t } = useTranslation('cards')
  const format = useFormat()
  const { kept, sizeBytes } = output
  if (kept === undefined) return null
  const numbers = {
    written: format.number(sizeBytes),
    head: format.number(kept.headBytes),
    tail: format.number(sizeBytes - kept.tailFrom),
  }
  return (
    <p className="faint">
      {format.sentences([t('outputKept', numbers), ...(kept.limit === 'thread' ? [t('outputKeptThread')] : [])])}
    </p>
  )
}
