import type { FileEntry } from '@threadbox/sdk'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import {
  cleanPath,
  isInside,
  joinPath,
  nameOfPath,
  parentOf,
  problemOfName,
  shownName,
} from '../../../page/content/state/names.logic.ts'
import { ConfirmDialog } from '../../../page/parts/confirm-dialog.tsx'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { SaveFolderDialog } from '../../../people/skills/components/save-folder-dialog.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { DialogActions } from '../../../ui/dialog-actions.tsx'
import { Field } from '../../../ui/field.tsx'
import { Input } from '../../../ui/input.tsx'
import { useFileActions } from '../api/files.queries.ts'
import { useMoveInto, useRemoveAll } from '../api/several-files.ts'
import { type FilesView, withFile, withMoved } from '../state/files-view.logic.ts'
import { isFolder } from '../state/tree.logic.ts'
import { CopyFromThread } from './copy-from-thread.tsx'

/** The open dialog. `path` is the parent folder for new entries, else the entry itself. */
export type FileQuestion =
  | { kind: 'new-file' | 'new-folder' | 'rename'; path: string }
  | { kind: 'copy-from'; folder: string }
  | { kind: 'save-skill'; path: string }
  | { kind: 'move'; entries: readonly FileEntry[] }
  | { kind: 'remove'; entries: readonly FileEntry[] }

type DialogProps = {
  threadId: string
  onView: (update: (view: FilesView) => FilesView) => void
  onRenamed: (from: string, to: string) => void
  onClose: () => void
}

export function FileDialogs(props: DialogProps & { question: FileQuestion }) {
  const { question, ...rest } = props
  if (question.kind === 'remove') return <RemoveDialog {...rest} entries={question.entries} />
  if (question.kind === 'move') return <MoveDialog {...rest} entries={question.entries} />
  if (question.kind === 'copy-from') {
    return <CopyFromThread threadId={rest.threadId} folder={question.folder} onClose={rest.onClose} />
  }
  if (question.kind === 'save-skill') {
    return <SaveFolderDialog threadId={rest.threadId} path={question.path} onClose={rest.onClose} />
  }
  return <NameDialog {...rest} question={{ kind: question.kind, path: question.path }} />
}

function NameDialog(props: DialogProps & { question: { kind: 'new-file' | 'new-folder' | 'rename'; path: string } }) {
  const { t } = useTranslation('files')
  const { kind, path } = props.question
  const { makeFile, makeFolder, move } = useFileActions(props.threadId)
  const isRename = kind === 'rename'
  const [name, setName] = useState(isRename ? nameOfPath(path) : '')
  const [isChecked, setIsChecked] = useState(false)
  const problem = problemOfName(name)
  const target = joinPath(isRename ? parentOf(path) : path, name)
  const done = {
    onSuccess: () => {
      if (kind === 'rename') {
        props.onView((view) => withMoved(view, path, target))
        props.onRenamed(path, target)
      }
      if (kind === 'new-file') props.onView((view) => withFile(view, target))
      props.onClose()
    },
  }
  const submit = () => {
    setIsChecked(true)
    if (problem !== null) return
    if (kind === 'new-file') makeFile.mutate(target, done)
    else if (kind === 'new-folder') makeFolder.mutate(target, done)
    else if (target === path) props.onClose()
    else move.mutate({ from: path, to: target }, done)
  }
  return (
    <QuestionForm
      title={t(`dialog.${kind}`)}
      label={t('name')}
      action={isRename ? t('rename') : t('create')}
      value={name}
      onValue={setName}
      problem={isChecked && problem !== null ? t(`nameProblem.${problem}`) : undefined}
      error={makeFile.error ?? makeFolder.error ?? move.error}
      isPending={makeFile.isPending || makeFolder.isPending || move.isPending}
      selection={isRename ? name.lastIndexOf('.') : undefined}
      onSubmit={submit}
      onClose={props.onClose}
    />
  )
}

function MoveDialog(props: DialogProps & { entries: readonly FileEntry[] }) {
  const { t } = useTranslation('files')
  const { entries } = props
  const moveInto = useMoveInto(props.threadId, props.onView)
  const [folder, setFolder] = useState(parentOf(entries[0]?.path ?? '/'))
  const cleaned = cleanPath(folder.trim())
  const isInItself = cleaned !== null && entries.some(({ path }) => isInside(cleaned, path))
  const problem = cleaned === null ? t('pathProblem') : isInItself ? t('insideItself') : undefined
  const submit = () => {
    if (cleaned === null || isInItself) return
    moveInto.mutate({ paths: entries.map(({ path }) => path), folder: cleaned }, { onSuccess: props.onClose })
  }
  const [only] = entries
  return (
    <QuestionForm
      title={
        entries.length === 1
          ? t('dialog.move', { name: shownName(only?.name ?? '') })
          : t('dialog.moveSeveral', { count: entries.length })
      }
      label={t('moveTo')}
      action={t('moveAction')}
      value={folder}
      onValue={setFolder}
      problem={problem}
      error={moveInto.error}
      isPending={moveInto.isPending}
      selection={undefined}
      onSubmit={submit}
      onClose={props.onClose}
    />
  )
}

function RemoveDialog(props: DialogProps & { entries: readonly FileEntry[] }) {
  const { t } = useTranslation('files')
  const format = useFormat()
  const { entries } = props
  const remove = useRemoveAll(props.threadId, props.onView)
  const [only] = entries
  const isOfFolder = only !== undefined && isFolder(only)
  const name = shownName(only?.path ?? '')
  const isOne = entries.length === 1
  return (
    <ConfirmDialog
      title={isOne ? t(isOfFolder ? 'removeFolder' : 'removeFile') : t('removeSeveral', { count: entries.length })}
      text={
        isOne
          ? t(isOfFolder ? 'removeFolderText' : 'removeFileText', { name })
          : t('removeSeveralText', { names: format.items(someNames(entries.map((entry) => shownName(entry.name)))) })
      }
      action={t('remove')}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() =>
        remove.mutate(
          entries.map(({ path }) => path),
          { onSuccess: props.onClose },
        )
      }
      onClose={props.onClose}
    />
  )
}

/** The first names of many. */
function someNames(names: readonly string[]): readonly string[] {
  return names.length <= 5 ? names : [...names.slice(0, 5), '…']
}

/** One text field and a button. The part of the text before `selection` is selected at first; undefined: all of it. */
function QuestionForm(props: {
  title: string
  label: string
  action: string
  value: string
  onValue: (value: string) => void
  problem: string | undefined
  error: unknown
  isPending: boolean
  selection: number | undefined
  onSubmit: () => void
  onClose: () => void
}) {
  const { t } = useTranslation('common')
  const { selection } = props
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && props.onClose()}
      title={props.title}
      closeLabel={t('close')}
      footer={
        <DialogActions cancelLabel={t('cancel')} onCancel={props.onClose}>
          <Button size="md" variant="primary" isLoading={props.isPending} onClick={props.onSubmit}>
            {props.action}
          </Button>
        </DialogActions>
      }
    >
      <form
        className="dialog-form"
        onSubmit={(event) => {
          event.preventDefault()
          if (!props.isPending) props.onSubmit()
        }}
      >
        <Field label={props.label} error={props.problem}>
          {(control) => (
            <Input
              {...control}
              value={props.value}
              autoComplete="off"
              spellCheck={false}
              dir="auto"
              onFocus={(event) =>
                event.target.setSelectionRange(
                  0,
                  selection !== undefined && selection > 0 ? selection : event.target.value.length,
                )
              }
              onChange={(event) => props.onValue(event.target.value)}
            />
          )}
        </Field>
        {props.error !== null && props.error !== undefined && <FormProblem error={props.error} />}
      </form>
    </Dialog>
  )
}
