import { type DragEvent, useState } from 'react'

const types = { thread: 'application/x-threadbox-thread', workspace: 'application/x-threadbox-workspace' } as const
type Kind = keyof typeof types

/** Makes a row something that can be dragged. */
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

/** Makes an element take what is dragged. What comes from outside the sidebar is left to others. */
export function useDropTarget(onDrop: Partial<Record<Kind, (id: string) => void>>) {
  const [isOver, setIsOver] = useState(false)
  const kinds = Object.keys(onDrop) as Kind[]
  const accepted = (event: DragEvent) => kinds.find((kind) => event.dataTransfer.types.includes(types[kind]))
  const target = {
    onDragOver: (event: DragEvent) => {
      if (accepted(event) === undefined) return
      event.preventDefault()
      setIsOver(true)
    },
    onDragLeave: (event: DragEvent) => {
      if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setIsOver(false)
    },
    onDrop: (event: DragEvent) => {
      const kind = accepted(event)
      setIsOver(false)
      if (kind === undefined) return
      event.preventDefault()
      onDrop[kind]?.(event.dataTransfer.getData(types[kind]))
    },
  }
  return { isOver, target }
}
