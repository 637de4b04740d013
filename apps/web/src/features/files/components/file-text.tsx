import { isThreadboxError } from '@threadbox/sdk'
import { Pencil } from 'lucide-react'
import { type KeyboardEvent, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { CodeView } from '../../cards/components/code-view.tsx'
import { FormProblem } from '../../connection/components/form-problem.tsx'
import { useSaveText } from '../api/save-text.ts'
import { type Edit, keepEdit, keptEdit } from '../state/edits.ts'
import { languageOf, textOf } from '../state/kinds.models.ts'
import { nameOfPath, shownName } from '../state/names.models.ts'
import { FileContent, type ShownFile } from './file-content.tsx'
import { textLimitBytes } from './text-previews.tsx'

/** A text in its colours, and the way to change it. */
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

function TextEditor(props: ShownFile & { isGone: boolean; edit: Edit; onEdit: (edit: Edit | null) => void }) {
  const { t } = useTranslation('files')
  const { threadId, entry, edit, onEdit } = props
  const save = useSaveText(threadId, entry.path)
  const [conflict, setConflict] = useState<{ version: string | null } | null>(null)
  const isDirty = edit.text !== edit.original.replaceAll('\r\n', '\n')
  useUnloadGuard(isDirty)
  const send = (how: { version: string | null } = { version: props.isGone ? null : edit.version }) =>
    save.mutate(
      { edit, ...how },
      {
        onSuccess: () => {
          setConflict(null)
          onEdit(null)
        },
        onError: (error) => setConflict(conflictOf(error)),
      },
    )
  const onKey = (event: KeyboardEvent) => {
    const isSave =
      event.key.toLowerCase() === 's' && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey
    if (!isSave) return
    event.preventDefault()
    if (!save.isPending) send()
  }
  return (
    <>
      <textarea
        className="viewer-b viewer-edit"
        aria-label={t('editOf', { name: shownName(nameOfPath(entry.path)) })}
        value={edit.text.replaceAll('\r\n', '\n')}
        spellCheck={false}
        // biome-ignore lint/a11y/noAutofocus: the person has just asked to write here
        autoFocus
        onKeyDown={onKey}
        onChange={(event) => onEdit({ ...edit, text: event.target.value })}
      />
      {save.error !== null && conflict === null && <FormProblem error={save.error} />}
      <p className="viewer-foot">
        <span className="grow" role="status">
          {entry.version === edit.version || props.isGone ? '' : t('changedMeanwhile')}
        </span>
        <Button size="sm" variant="ghost" onClick={() => onEdit(null)}>
          {isDirty ? t('discard') : t('endEditing')}
        </Button>
        <Button size="sm" variant="primary" isLoading={save.isPending} onClick={() => send()}>
          {t('save')}
        </Button>
      </p>
      {conflict !== null && (
        <ConflictDialog
          name={shownName(nameOfPath(entry.path))}
          isGone={conflict.version === null}
          isPending={save.isPending}
          onOverwrite={() => send(conflict)}
          onReload={() => {
            setConflict(null)
            onEdit(null)
          }}
          onClose={() => setConflict(null)}
        />
      )}
    </>
  )
}

/** What stands in the way of a save; null: something else went wrong. */
function conflictOf(error: unknown): { version: string | null } | null {
  if (!isThreadboxError(error)) return null
  if (error.code !== 'file.changed') return null
  const { version } = error.details
  return { version: typeof version === 'string' ? version : null }
}

/** Somebody else wrote the file, or removed it, since it was read: nothing is decided without the person. */
function ConflictDialog(props: {
  name: string
  isGone: boolean
  isPending: boolean
  onOverwrite: () => void
  onReload: () => void
  onClose: () => void
}) {
  const { t } = useTranslation('files')
  const { name, isGone } = props
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && props.onClose()}
      title={isGone ? t('conflict.goneTitle', { name }) : t('conflict.title', { name })}
      description={isGone ? t('conflict.goneText') : t('conflict.text')}
      closeLabel={t('conflict.keep')}
      footer={
        <>
          <Button size="md" variant="ghost" onClick={props.onReload}>
            {t('conflict.reload')}
          </Button>
          <span className="grow" />
          <Button size="md" onClick={props.onClose} autoFocus>
            {t('conflict.keep')}
          </Button>
          <Button
            size="md"
            variant="primary"
            className="btn--danger"
            isLoading={props.isPending}
            onClick={props.onOverwrite}
          >
            {isGone ? t('conflict.recreate') : t('conflict.overwrite')}
          </Button>
        </>
      }
    />
  )
}

function useUnloadGuard(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isDirty])
}
