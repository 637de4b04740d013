import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { CardProvider } from '../../../page/content/state/card-context.ts'
import { ScrollBox } from '../../../ui/scroll-box.tsx'
import { showFile } from '../state/files-store.ts'
import { textOf } from '../state/kinds.logic.ts'
import { FileContent, type ShownFile } from './file-content.tsx'

const Markdown = lazy(() =>
  import('../../../page/content/components/markdown.tsx').then(({ Markdown }) => ({ default: Markdown })),
)

export const textLimitBytes = 1024 * 1024
const noPaths: ReadonlySet<string> = new Set()

/** Rendered Markdown. It is as restricted as text of a model: no HTML, no images from other sites. */
export function MarkdownText(props: { threadId: string; children: string }) {
  const cards = {
    threadId: props.threadId,
    knownPaths: noPaths,
    showFile: (path: string) => showFile(props.threadId, path),
    stop: () => {},
    runAgain: () => {},
    decide: async () => false,
    ask: () => {},
  }
  return (
    <CardProvider value={cards}>
      <Suspense>
        <Markdown>{props.children}</Markdown>
      </Suspense>
    </CardProvider>
  )
}

export function MarkdownPreview(props: ShownFile) {
  const { t } = useTranslation('files')
  return (
    <FileContent {...props} limitBytes={textLimitBytes}>
      {({ bytes, isWhole }) => {
        const text = textOf(bytes, isWhole)
        if (text === null) return <p className="files-none">{t('binary')}</p>
        return (
          <ScrollBox className="viewer-b viewer-text" label={t('content')}>
            <MarkdownText threadId={props.threadId}>{text}</MarkdownText>
          </ScrollBox>
        )
      }}
    </FileContent>
  )
}
