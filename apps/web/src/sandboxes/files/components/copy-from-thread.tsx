import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ArrowUp, ChevronRight } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useClient } from '../../../page/client/client.ts'
import { randomId } from '../../../page/client/random-id.ts'
import { useFormat } from '../../../page/client/use-format.ts'
import { homeFolder, nameOfPath, parentOf, shownName } from '../../../page/content/state/names.logic.ts'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { threadsQuery } from '../../../page/thread/api/thread-queries.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { DialogActions } from '../../../ui/dialog-actions.tsx'
import { Field } from '../../../ui/field.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Select } from '../../../ui/select.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { renewFolder, useCopying, useFolders } from '../api/files.queries.ts'
import { isFolder, type Listing, sorted } from '../state/tree.logic.ts'
import { FileName } from './file-name.tsx'
import { EntryIcon } from './file-row.tsx'

/** The most entries shown per folder. Longer folders are for the thread itself. */
const mostShown = 500

/** Selects files of another thread, without waking its sandbox, and copies them into a folder of this one. */
export function CopyFromThread(props: { threadId: string; folder: string; onClose: () => void }) {
  const { t } = useTranslation('files')
  const { t: common } = useTranslation('common')
  const client = useClient()
  const threads = useQuery(threadsQuery(client)).data?.filter(({ id }) => id !== props.threadId)
  const [fromThreadId, setFromThreadId] = useState<string | null>(null)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [copyId] = useState(() => randomId())
  const copy = useCopy({ ...props, copyId })
  const submit = () => {
    if (fromThreadId !== null && chosen.size > 0) copy.mutate({ fromThreadId, paths: [...chosen] })
  }
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && props.onClose()}
      title={t('copyFrom.title')}
      description={t('copyFrom.into', { name: shownName(nameOfPath(props.folder)) || '/' })}
      closeLabel={common('close')}
      footer={
        <DialogActions cancelLabel={common('cancel')} onCancel={props.onClose}>
          <Button
            size="md"
            variant="primary"
            isDisabled={chosen.size === 0}
            isLoading={copy.isPending}
            onClick={submit}
          >
            {chosen.size === 0 ? t('copyFrom.none') : t('copyFrom.action', { count: chosen.size })}
          </Button>
        </DialogActions>
      }
    >
      <div className="dialog-form">
        {threads?.length === 0 && <p>{t('copyFrom.noThreads')}</p>}
        {threads !== undefined && threads.length > 0 && (
          <Field label={t('copyFrom.thread')}>
            {(control) => (
              <Select
                {...control}
                label={t('copyFrom.thread')}
                value={fromThreadId ?? ' '}
                options={[
                  ...(fromThreadId === null ? [{ value: ' ', label: t('copyFrom.choose') }] : []),
                  ...threads.map(({ id, title }) => ({ value: id, label: title })),
                ]}
                onChange={(id) => {
                  setChosen(new Set())
                  setFromThreadId(id.trim() === '' ? null : id)
                }}
              />
            )}
          </Field>
        )}
        {fromThreadId !== null && (
          <FilesOfThread key={fromThreadId} threadId={fromThreadId} chosen={chosen} onChosen={setChosen} />
        )}
        {copy.isPending && <CopyProgress copyId={copyId} />}
        {copy.error !== null && <FormProblem error={copy.error} />}
      </div>
    </Dialog>
  )
}

function CopyProgress(props: { copyId: string }) {
  const { t } = useTranslation('files')
  const format = useFormat()
  const { files, bytes } = useCopying(props.copyId) ?? { files: 0, bytes: 0 }
  return (
    <p className="facts" role="status">
      {t('copyFrom.sofar', { count: files, total: format.number(files), size: format.bytes(bytes) })}
    </p>
  )
}

function useCopy(props: { threadId: string; folder: string; copyId: string; onClose: () => void }) {
  const { t } = useTranslation('files')
  const client = useClient()
  const queryClient = useQueryClient()
  const { threadId, folder, copyId } = props
  return useMutation({
    mutationFn: (from: { fromThreadId: string; paths: string[] }) =>
      client.files.copy(threadId, { ...from, to: folder, copyId }),
    onSuccess: ({ files, skipped }) => {
      showToast(t('copyFrom.done', { count: files }), {
        ...(skipped.length === 0 ? {} : { description: t('copyFrom.skipped', { count: skipped.length }) }),
      })
      props.onClose()
    },
    // Files that were copied before a failure exist.
    onSettled: () => renewFolder(queryClient, threadId, folder),
  })
}

/** One folder of a thread at a time, with a checkbox before each entry. */
function FilesOfThread(props: {
  threadId: string
  chosen: ReadonlySet<string>
  onChosen: (chosen: ReadonlySet<string>) => void
}) {
  const { t } = useTranslation('files')
  const [folder, setFolder] = useState(homeFolder)
  const folders = useMemo(() => [folder], [folder])
  const listing = useFolders(props.threadId, folders, true).get(folder)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot scroll
    <div className="pick" role="group" aria-label={t('copyFrom.files')}>
      <div className="pick-h">
        <IconButton label={t('copyFrom.up')} isDisabled={folder === '/'} onClick={() => setFolder(parentOf(folder))}>
          <ArrowUp className="i" size={14} />
        </IconButton>
        <bdi className="mono trunc">{shownName(folder)}</bdi>
      </div>
      <PickList {...props} listing={listing} onFolder={setFolder} />
    </div>
  )
}

function PickList(props: {
  chosen: ReadonlySet<string>
  onChosen: (chosen: ReadonlySet<string>) => void
  listing: Listing | undefined
  onFolder: (folder: string) => void
}) {
  const { t } = useTranslation('files')
  const { chosen, listing, onFolder } = props
  const entries = useMemo(() => sorted(listing?.entries ?? [], { by: 'name', isDescending: false }), [listing?.entries])
  if (listing === undefined || listing.isLoading) return <Skeleton rows={3} label={t('loading')} />
  if (listing.error !== null && entries.length === 0) return <FormProblem error={listing.error} />
  const toggle = (path: string) => {
    const next = new Set(chosen)
    if (!next.delete(path)) next.add(path)
    props.onChosen(next)
  }
  return (
    <ul className="pick-list">
      {entries.length === 0 && <li className="faint">{t('emptyFolder')}</li>}
      {entries.slice(0, mostShown).map((entry) => (
        <li key={entry.path}>
          <label className="grow">
            <input type="checkbox" checked={chosen.has(entry.path)} onChange={() => toggle(entry.path)} />
            <EntryIcon entry={entry} />
            <FileName name={entry.name} />
          </label>
          {isFolder(entry) && (
            <IconButton
              label={t('copyFrom.folder', { name: shownName(entry.name) })}
              onClick={() => onFolder(entry.path)}
            >
              <ChevronRight className="i" size={14} />
            </IconButton>
          )}
        </li>
      ))}
      {entries.length > mostShown && <li className="faint">{t('copyFrom.more')}</li>}
    </ul>
  )
}
