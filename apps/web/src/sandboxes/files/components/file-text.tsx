import { Pencil } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CodeView } from '../../../page/content/components/code-view.tsx'
import { Button } from '../../../ui/button.tsx'
import { type Edit, keepEdit, keptEdit } from '../state/edits.ts'
import { languageOf, textOf } from '../state/kinds.logic.ts'
import { FileContent, type ShownFile } from './file-content.tsx'
import { TextEditor } from './text-editor.tsx'
import { textLimitBytes } from './text-previews.tsx'

/** A text with syntax colors, and the button to edit it. */
export function FileText(props: ShownFile & { isGone: boolean }) {
  const { t } = useTranslation('files')
  const { threadId, entry } = props
  const [edit, setEdit] = useState(() => keptEdit(threadId, entry.path))
  const change = (next: Edit | null) => {
    keepEdit(threadId, entry.path, next)
    setEdit(next)
  }
  if (edit !== null) return <TextEditor {...props} edit={edit} onEdit={change} />
  return (
    <FileContent {...props} limitBytes={textLimitBytes}>
      {({ bytes, version, isWhole }) => {
        const text = textOf(bytes, isWhole)
        if (text === null) return <p className="files-none">{t('binary')}</p>
        return (
          <>
            <CodeView className="viewer-b" code={text} language={languageOf(entry.name)} label={t('content')} />
            <p className="viewer-foot">
              <span className="grow">{isWhole ? '' : t('firstPart')}</span>
              {isWhole && (
                <Button
                  size="sm"
                  icon={<Pencil className="i" size={14} />}
                  onClick={() => change({ text, original: text, version })}
                >
                  {t('edit')}
                </Button>
              )}
            </p>
          </>
        )
      }}
    </FileContent>
  )
}
