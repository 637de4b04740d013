import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { CodeView } from '../../../page/content/components/code-view.tsx'
import { HtmlView } from '../../../page/content/components/html-view.tsx'
import { ScrollBox } from '../../../ui/scroll-box.tsx'
import { textOf } from '../state/kinds.logic.ts'
import { type NotebookCell, type NotebookOutput, notebookOf } from '../state/notebook.logic.ts'
import { type FileBytes, FileContent, type ShownFile } from './file-content.tsx'
import { MarkdownText } from './text-previews.tsx'

const limitBytes = 16 * 1024 * 1024

/** A Jupyter notebook with the stored outputs of its cells. None of it is run. */
export function NotebookPreview(props: ShownFile) {
  return (
    <FileContent {...props} limitBytes={limitBytes} isAllNeeded>
      {(content) => <Cells content={content} threadId={props.threadId} />}
    </FileContent>
  )
}

function Cells(props: { content: FileBytes; threadId: string }) {
  const { t } = useTranslation('files')
  const { bytes } = props.content
  const book = useMemo(() => {
    const text = textOf(bytes, true)
    return text === null ? null : notebookOf(text)
  }, [bytes])
  if (book === null) return <p className="files-none">{t('notUnderstood')}</p>
  return (
    <ScrollBox className="viewer-b notebook" label={t('content')}>
      {book.cells.map((cell, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: cells have no identity but their place
        <Cell key={index} cell={cell} language={book.language} threadId={props.threadId} />
      ))}
      {book.isCut && <p className="files-none">{t('moreCells')}</p>}
    </ScrollBox>
  )
}

function Cell(props: { cell: NotebookCell; language: string; threadId: string }) {
  const { t } = useTranslation('files')
  const { cell } = props
  if (cell.kind === 'markdown') return <MarkdownText threadId={props.threadId}>{cell.source}</MarkdownText>
  return (
    <div className="notebook-cell">
      <CodeView
        code={cell.source}
        language={cell.kind === 'code' ? props.language : ''}
        label={t('cell', { count: cell.count ?? 0 })}
      />
      {cell.outputs.map((output, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: outputs have no identity but their place
        <Output key={index} output={output} />
      ))}
    </div>
  )
}

function Output(props: { output: NotebookOutput }) {
  const { t } = useTranslation('files')
  const { output } = props
  if (output.kind === 'image') return <img src={output.address} alt={t('figure')} />
  if (output.kind === 'html') return <NotebookHtml html={output.html} />
  return <pre className={output.isError ? 'is-error' : undefined}>{output.text}</pre>
}

/** HTML other than a plain table is shown in a frame without an origin and without scripts. */
function NotebookHtml(props: { html: string }) {
  const { t } = useTranslation('files')
  const frame = <iframe className="frame-html" sandbox="" srcDoc={props.html} title={t('content')} />
  return <HtmlView html={props.html} address={undefined} fallback={frame} />
}
