import { type KeyboardEvent, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useStable } from '../../../page/client/use-stable.ts'
import { nameOfPath, shownName } from '../../../page/content/state/names.logic.ts'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { Button } from '../../../ui/button.tsx'
import { useFileBytes } from '../api/files.queries.ts'
import { type SaveConflict, useSaveText } from '../api/save-text.ts'
import type { Edit } from '../state/edits.ts'
import { textOf } from '../state/kinds.logic.ts'
import type { ShownFile } from './file-content.tsx'
import { SaveConflictDialog } from './save-conflict-dialog.tsx'
import { textLimitBytes } from './text-previews.tsx'

/**
 * A text while it is edited. Changes by others in the meantime are shown, and never overwritten without confirmation.
 */
export function TextEditor(props: ShownFile & { isGone: boolean; edit: Edit; onEdit: (edit: Edit | null) => void }) {
  const { t } = useTranslation('files')
  const { threadId, entry, edit, onEdit } = props
  const save = useSaveText(threadId, entry.path)
  const [conflict, setConflict] = useState<SaveConflict | null>(null)
  const isDirty = edit.text !== edit.original.replaceAll('\r\n', '\n')
  const isChangedByOthers = useChangedByOthers(props)
  useUnloadGuard(isDirty)
  const send = (version: string | null) =>
    save.mutate(
      { edit, version },
      {
        onSuccess: (result) => {
          setConflict(result.kind === 'conflict' ? result.conflict : null)
          if (result.kind === 'saved') onEdit(null)
        },
      },
    )
  const sendOwn = () => send(props.isGone ? null : edit.version)
  const onKey = (event: KeyboardEvent) => {
    const isSave =
      event.key.toLowerCase() === 's' && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey
    if (!isSave) return
    event.preventDefault()
    if (!save.isPending) sendOwn()
  }
  return (
    <>
      <textarea
        className="viewer-b viewer-edit"
        aria-label={t('editOf', { name: shownName(nameOfPath(entry.path)) })}
        value={edit.text.replaceAll('\r\n', '\n')}
        spellCheck={false}
        // biome-ignore lint/a11y/noAutofocus: the user has just chosen to edit
        autoFocus
        onKeyDown={onKey}
        onChange={(event) => onEdit({ ...edit, text: event.target.value })}
      />
      {save.error !== null && conflict === null && <FormProblem error={save.error} />}
      <p className="viewer-foot">
        <span className="grow" role="status">
          {isChangedByOthers ? t('changedMeanwhile') : ''}
        </span>
        <Button size="sm" variant="ghost" onClick={() => onEdit(null)}>
          {isDirty ? t('discard') : t('endEditing')}
        </Button>
        <Button size="sm" variant="primary" isLoading={save.isPending} onClick={sendOwn}>
          {t('save')}
        </Button>
      </p>
      {conflict !== null && (
        <SaveConflictDialog
          path={entry.path}
          conflict={conflict}
          mine={edit.text}
          isPending={save.isPending}
          onOverwrite={() => send(conflict.version)}
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

/** True if another text was written since the edit began. A new version with the original text is adopted. */
function useChangedByOthers(
  props: ShownFile & { isGone: boolean; edit: Edit; onEdit: (edit: Edit | null) => void },
): boolean {
  const { entry, edit } = props
  const isOtherVersion = entry.version !== edit.version && !props.isGone
  const { data, isPlaceholderData } = useFileBytes(props.threadId, entry, {
    limitBytes: textLimitBytes,
    isEnabled: isOtherVersion && props.isReadable,
  })
  const now = isOtherVersion && data !== undefined && !isPlaceholderData ? data : null
  const isSameText = now?.isWhole && textOf(now.bytes, true) === edit.original
  const version = isSameText ? now.version : edit.version
  const takeOver = useStable((known: string) => props.onEdit({ ...edit, version: known }))
  useEffect(() => {
    if (version !== edit.version) takeOver(version)
  }, [version, edit.version, takeOver])
  return now !== null && !isSameText
}

function useUnloadGuard(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isDirty])
}
