import { Upload } from 'lucide-react'
import { type DragEvent, type ReactNode, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { nameOfPath, shownName } from '../../../page/content/state/names.logic.ts'
import { chosenFiles, droppedFiles } from '../state/dropped-files.ts'
import { useTransfersStore } from '../state/transfers-context.tsx'

/** Accepts files and folders that are dropped on the list, into the shown folder. */
export function DropTarget(props: { threadId: string; folder: string; children: ReactNode }) {
  const { t } = useTranslation('files')
  const { threadId, folder } = props
  const transfers = useTransfersStore()
  const name = shownName(nameOfPath(folder)) || '/'
  const [isDraggedOver, setIsDraggedOver] = useState(false)
  // Moving between children leaves one and enters the next: only the sum shows whether the pointer left the list.
  const depth = useRef(0)
  const hasFiles = (event: DragEvent) => event.dataTransfer.types.includes('Files')
  const move = (event: DragEvent, by: number) => {
    if (!hasFiles(event)) return
    depth.current = Math.max(0, depth.current + by)
    setIsDraggedOver(depth.current > 0)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is an extra way; the button in the head is the other
    <div
      className="files-drop"
      onDragEnter={(event) => move(event, 1)}
      onDragLeave={(event) => move(event, -1)}
      onDragOver={(event) => hasFiles(event) && event.preventDefault()}
      onDrop={(event) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        event.stopPropagation()
        depth.current = 0
        setIsDraggedOver(false)
        void droppedFiles(event.dataTransfer).then((dropped) => transfers.add(threadId, folder, dropped))
      }}
    >
      {props.children}
      <DropHint name={name} onFiles={(files) => transfers.add(threadId, folder, chosenFiles(files))} />
      {isDraggedOver && (
        <div className="drop-sign">
          <b>{t('dropHere', { name })}</b>
        </div>
      )}
    </div>
  )
}

/** Says that files can be dropped, on devices where that is possible, with a button for choosing them instead. */
function DropHint(props: { name: string; onFiles: (files: FileList) => void }) {
  const { t } = useTranslation('files')
  const input = useRef<HTMLInputElement>(null)
  return (
    <div className="drop-hint not-m">
      <Upload className="i" size={14} />
      <span className="trunc">{t('dropHint', { name: props.name })}</span>
      <button type="button" className="link" onClick={() => input.current?.click()}>
        {t('chooseFiles')}
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={({ target }) => {
          if (target.files !== null) props.onFiles(target.files)
          target.value = ''
        }}
      />
    </div>
  )
}
