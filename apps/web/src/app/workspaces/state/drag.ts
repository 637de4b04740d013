import { type DragEvent, useState } from 'react'

const types = { thread: 'application/x-threadbox-thread', workspace: 'application/x-threadbox-workspace' } as const
type Kind = keyof typeof types

/** Makes a row draggable. */
export function dragSource(kind: Kind, id: string) {
  return {
    draggable: true,
    onDragStart: (event: DragEvent) => {
      event.stopPropagation()
      event.dataTransfer.setData(types[kind], id)
      event.dataTransfer.effectAllowed = 'move'
    },
  }
}

/** Makes an element a drop target for rows of the sidebar. Other drags are ignored. */
export function useDropTarget(onDrop: Partial<Record<Kind, (id: string) => void>>) {
  const [isDraggedOver, setIsDraggedOver] = useState(false)
  const kinds = Object.keys(onDrop) as Kind[]
  const accepted = (event: DragEvent) => kinds.find((kind) => event.dataTransfer.types.includes(types[kind]))
  const target = {
    onDragOver: (event: DragEvent) => {
      if (accepted(event) === undefined) return
      event.preventDefault()
      setIsDraggedOver(true)
    },
    onDragLeave: (event: DragEvent) => {
      if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setIsDraggedOver(false)
    },
    onDrop: (event: DragEvent) => {
      const kind = accepted(event)
      setIsDraggedOver(false)
      if (kind === undefined) return
      event.preventDefault()
      onDrop[kind]?.(event.dataTransfer.getData(types[kind]))
    },
  }
  return { isDraggedOver, target }
}
