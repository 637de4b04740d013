import { type KeyboardEvent, type PointerEvent, useRef } from 'react'

const stepPx = 16

/** The edge of a pane on the right: dragged, or moved with the arrow keys. A double click restores the default. */
export function Resizer(props: {
  label: string
  /** Null: the default width. */
  width: number | null
  minimum: number
  onChange: (width: number | null) => void
}) {
  const { minimum, onChange } = props
  const edge = useRef<HTMLDivElement>(null)
  const measure = () => {
    const pane = edge.current?.parentElement
    const room = pane?.parentElement?.clientWidth ?? 0
    return { width: pane?.offsetWidth ?? minimum, maximum: Math.max(minimum, Math.round(room * 0.7)), pane }
  }
  const change = (width: number) => {
    const { maximum } = measure()
    onChange(Math.round(Math.min(maximum, Math.max(minimum, width))))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const { width, maximum } = measure()
    if (event.key === 'ArrowLeft') change(width + stepPx)
    else if (event.key === 'ArrowRight') change(width - stepPx)
    else if (event.key === 'Home') change(minimum)
    else if (event.key === 'End') change(maximum)
    else return
    event.preventDefault()
  }
  const onPointerMove = (event: PointerEvent) => {
    const { pane } = measure()
    if (!event.currentTarget.hasPointerCapture(event.pointerId) || pane === null || pane === undefined) return
    change(pane.getBoundingClientRect().right - event.clientX)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: an <hr> cannot be moved
    <div
      ref={edge}
      className="resize"
      role="separator"
      aria-orientation="vertical"
      aria-label={props.label}
      aria-valuenow={props.width ?? 0}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onDoubleClick={() => onChange(null)}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={onPointerMove}
    />
  )
}
