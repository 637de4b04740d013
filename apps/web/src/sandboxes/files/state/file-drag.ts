import { type DragEvent, useState } from 'react'

/** A type of our own, so that nothing outside this pane takes it for files from your device. */
const dragKind = 'application/x-threadbox-files'

export function dragFiles(event: DragEvent, paths: readonly string[]): void {
  event.dataTransfer.setData(dragKind, paths.map(encodeURIComponent).join('\n'))
  event.dataTransfer.effectAllowed = 'move'
}

/** State and handlers for a folder onto which files of the pane can be dropped. */
export function useFolderDrop(onDrop: (paths: readonly string[]) => void) {
  const [isDraggedOver, setIsDraggedOver] = useState(false)
  const hasFiles = (event: DragEvent) => event.dataTransfer.types.includes(dragKind)
  return {
    isDraggedOver,
    handlers: {
      onDragOver: (event: DragEvent) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        event.dataTransfer.dropEffect = 'move'
        setIsDraggedOver(true)
      },
      onDragLeave: () => setIsDraggedOver(false),
      onDrop: (event: DragEvent) => {
        setIsDraggedOver(false)
        if (!hasFiles(event)) return
        event.preventDefault()
        event.stopPropagation()
        onDrop(event.dataTransfer.getData(dragKind).split('\n').map(decodeURIComponent))
      },
    },
  }
}
