import { type DragEvent, type ReactNode, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'

/** Accepts files that are dropped anywhere on the conversation. */
export function DropZone(props: { onFiles: (files: readonly File[]) => void; children: ReactNode }) {
  const { t } = useTranslation('composer')
  const [isDraggedOver, setIsDraggedOver] = useState(false)
  // Moving between children leaves one and enters the next: only the sum shows whether the pointer left the zone.
  const depth = useRef(0)
  const hasFiles = (event: DragEvent) => event.dataTransfer.types.includes('Files')
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is an extra way; the button in the composer is the other
    <div
      className="drop-zone"
      onDragEnter={(event) => {
        if (!hasFiles(event)) return
        depth.current += 1
        setIsDraggedOver(true)
      }}
      onDragLeave={(event) => {
        if (!hasFiles(event)) return
        depth.current -= 1
        if (depth.current <= 0) setIsDraggedOver(false)
      }}
      onDragOver={(event) => hasFiles(event) && event.preventDefault()}
      onDrop={(event) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        depth.current = 0
        setIsDraggedOver(false)
        props.onFiles([...event.dataTransfer.files])
      }}
    >
      {props.children}
      {isDraggedOver && (
        <div className="drop-sign">
          <b>{t('dropHere')}</b>
          <span>{t('dropText')}</span>
        </div>
      )}
    </div>
  )
}
