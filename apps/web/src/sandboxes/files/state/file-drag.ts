import { type DragEvent, useState } from 'react'

/** Of its own kind: nothing outside of this pane takes it for files of the person's device. */
const dragKind = 'application/x-threadbox-files'

export function dragFiles(event: DragEvent, paths: readonly string[]): void {
  event.dataTransfer.setData(dragKind, paths.map(encodeURIComponent).join('\n'))
  event.dataTransfer.effectAllowed = 'move'
}

/** What a folder needs to take files that are dragged within the pane. */
export function useFolderDrop(onDrop: (paths: readonly string[]) => void) {
  const [isOver, setIsOver] = useState(false)
  const isOurs = (event: DragEvent) => event.dataTransfer.types.includes(dragKind)
  return {
    isOver,
    handlers: {
      onDragOver: (event: DragEvent) => {
        if (!isOurs(event)) return
        event.preventDefault()
        event.dataTransfer.dropEffect = 'move'
        setIsOver(true)
      },
      onDragLeave: () => setIsOver(false),
      onDrop: (event: DragEvent) => {
        setIsOver(false)
        if (!isOurs(event)) return
        event.preventDefault()
        event.stopPropagation()
        onDrop(event.dataTransfer.getData(dragKind).split('\n').map(decodeURIComponent))
      },
    },
  }
}
