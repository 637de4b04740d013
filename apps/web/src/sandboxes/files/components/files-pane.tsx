import { useQuery } from '@tanstack/react-query'
import { type Dispatch, type SetStateAction, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useClient } from '../../../page/client/client.ts'
import { parentOf } from '../../../page/content/state/names.logic.ts'
import { useErrorToast } from '../../../page/parts/use-error-toast.ts'
import { threadQuery } from '../../../page/thread/api/thread-queries.ts'
import { changedFiles } from '../../../page/thread/state/turn-changes.logic.ts'
import { Pane } from '../../../ui/pane.tsx'
import { Resizer } from '../../../ui/resizer.tsx'
import { usePageThread } from '../../panes/state/page-thread.ts'
import { closePane, wasPaneOpenedByUser } from '../../panes/state/pane-store.ts'
import type { PaneProps } from '../../panes/state/panes-context.ts'
import { useFolders, useWatchedFolders } from '../api/files.queries.ts'
import { useMoveInto } from '../api/several-files.ts'
import { useFilesView } from '../state/files-store.ts'
import { withFile, withFolder, withSort, withToggled } from '../state/files-view.logic.ts'
import {
  nothingSelected,
  type Selection,
  selectAll,
  selectedEntries,
  selectedWith,
  selectionMoved,
  selectOnly,
} from '../state/selection.logic.ts'
import { foldersOf, treeRows } from '../state/tree.logic.ts'
import { ChangedList } from './changed-list.tsx'
import { Crumbs } from './crumbs.tsx'
import { DropTarget } from './drop-target.tsx'
import { FileDialogs, type FileQuestion } from './file-dialogs.tsx'
import { FileList, type FileListActions } from './file-list.tsx'
import { FileViewer } from './file-viewer.tsx'
import { FilesActions } from './files-actions.tsx'
import { FilesBar } from './files-bar.tsx'
import { SleepNotice } from './sleep-notice.tsx'
import { TransferStrip } from './transfer-strip.tsx'

/** The files of a thread’s sandbox: folders above, the open file below. */
export function FilesPane(props: PaneProps) {
  const { t } = useTranslation('files')
  const { threadId, isSheet } = props
  const client = useClient()
  const [view, change] = useFilesView(threadId)
  const [question, setQuestion] = useState<FileQuestion | null>(null)
  const selectionState = useState(() => selectOnly(view.file))
  const [, setSelection] = selectionState
  const { data: thread } = useQuery(threadQuery(client, threadId))
  const state = thread?.sandbox.state
  const isAwake = state === 'active'
  const isReadable = isAwake || state === 'paused' || state === 'cold'
  const toFolder = (folder: string) => change((before) => withFolder(before, folder))
  const onError = useErrorToast()
  const moveInto = useMoveInto(threadId, change)
  const onMoveInto = (paths: readonly string[], folder: string) => moveInto.mutate({ paths, folder }, { onError })
  return (
    <Pane
      title={t('title')}
      isSheet={isSheet}
      isFilled
      takesFocus={wasPaneOpenedByUser()}
      closeLabel={t('close')}
      onClose={() => closePane()}
      resizer={<Resizer label={t('resize')} width={props.width} minimum={400} onChange={props.onWidth} />}
      lead={<Crumbs folder={view.folder} onFolder={toFolder} onMoveInto={onMoveInto} />}
      actions={<FilesActions threadId={threadId} folder={view.folder} isAwake={isAwake} onAsk={setQuestion} />}
    >
      {state !== undefined && !isAwake && <SleepNotice threadId={threadId} state={state} />}
      <DropTarget threadId={threadId} folder={view.folder}>
        <Listings
          threadId={threadId}
          isAwake={isAwake}
          isReadable={isReadable}
          onMoveInto={onMoveInto}
          selectionState={selectionState}
          onAsk={setQuestion}
        />
      </DropTarget>
      <TransferStrip threadId={threadId} />
      {view.file !== null && (
        <FileViewer
          key={view.file}
          threadId={threadId}
          path={view.file}
          isReadable={isReadable}
          onFolder={(folder) => change((before) => ({ ...withFolder(before, folder), file: null }))}
          onClose={() => change((before) => ({ ...before, file: null }))}
        />
      )}
      {question !== null && (
        <FileDialogs
          threadId={threadId}
          question={question}
          onView={change}
          onRenamed={(from, to) => setSelection((before) => selectionMoved(before, from, to))}
          onClose={() => setQuestion(null)}
        />
      )}
    </Pane>
  )
}

function Listings(props: {
  threadId: string
  isAwake: boolean
  isReadable: boolean
  onAsk: (question: FileQuestion) => void
  onMoveInto: (paths: readonly string[], folder: string) => void
  selectionState: readonly [Selection, Dispatch<SetStateAction<Selection>>]
}) {
  const { t } = useTranslation('files')
  const { threadId, isAwake, onAsk } = props
  const [view, change] = useFilesView(threadId)
  const [selection, setSelection] = props.selectionState
  const [isSelecting, setIsSelecting] = useState(false)
  const page = usePageThread()
  const changes = page?.threadId === threadId ? page.turnChanges : null
  const folders = useMemo(() => foldersOf(view.folder, view.open), [view.folder, view.open])
  const listings = useFolders(threadId, folders, props.isReadable)
  useWatchedFolders(threadId, folders, isAwake)
  const open = useMemo(() => new Set(view.open), [view.open])
  const rows = useMemo(
    () => treeRows(view.folder, { listings, open, sort: view.sort }),
    [view.folder, listings, open, view.sort],
  )
  const changed = useMemo(
    () =>
      changedFiles(
        changes,
        [...listings.values()].flatMap(({ entries }) => entries),
      ),
    [changes, listings],
  )
  const selected = useMemo(() => selectedEntries(selection, rows), [selection, rows])
  const actions: FileListActions = {
    onToggle: (folder) => change((before) => withToggled(before, folder)),
    onFolder: (folder) => {
      setSelection(nothingSelected)
      change((before) => withFolder(before, folder))
    },
    onFile: (path) => change((before) => withFile(before, path)),
    onSort: (by) => change((before) => withSort(before, by)),
    onRename: (path) => onAsk({ kind: 'rename', path }),
    onRemove: () => selected.length > 0 && onAsk({ kind: 'remove', entries: selected }),
    onMoveInto: props.onMoveInto,
    onUp: () => {
      setSelection(selectOnly(view.folder))
      change((before) => withFolder(before, parentOf(before.folder)))
    },
    onRetry: (folder) => listings.get(folder)?.retry(),
  }
  return (
    <>
      <FilesBar
        threadId={threadId}
        listing={listings.get(view.folder)}
        changedCount={changed.length}
        isChangedOnly={view.isChangedOnly}
        onChangedOnly={(isChangedOnly) => change((before) => ({ ...before, isChangedOnly }))}
        selected={selected}
        isSelecting={isSelecting}
        onSelecting={(isOn) => {
          setIsSelecting(isOn)
          setSelection(nothingSelected)
        }}
        folder={view.folder}
        onAsk={onAsk}
      />
      {view.isChangedOnly ? (
        <ChangedList
          changed={changed}
          shownFile={view.file}
          onFile={(path) => change((before) => ({ ...before, file: path }))}
        />
      ) : (
        <FileList
          label={t('title')}
          rows={rows}
          sort={view.sort}
          selection={selection}
          isSelecting={isSelecting}
          onSelect={(path, how) => setSelection((before) => selectedWith(before, path, { how, rows }))}
          onSelectAll={() => setSelection((before) => selectAll(before, rows))}
          shownFile={view.file}
          changes={changes}
          changed={changed}
          actions={actions}
        />
      )}
    </>
  )
}
