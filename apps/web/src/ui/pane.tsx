import { X } from 'lucide-react'
import { type PointerEvent, type ReactNode, useEffect, useRef } from 'react'
import { IconButton } from './icon-button.tsx'

/**
 * What stands beside the main column; a sheet over the whole page where `isSheet`. The heading takes the focus when
 * the pane was asked for. Whoever shows it makes what lies below a sheet inert and gives the focus back afterwards.
 */
export function Pane(props: {
  title: string
  subtitle?: ReactNode
  actions?: ReactNode
  isSheet: boolean
  takesFocus: boolean
  closeLabel: string
  onClose: () => void
  resizer?: ReactNode
  children: ReactNode
}) {
  const heading = useRef<HTMLHeadingElement>(null)
  const { isSheet, takesFocus, onClose } = props
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it opens
  useEffect(() => {
    if (takesFocus) heading.current?.focus()
  }, [])
  const drag = useDragDown(isSheet, onClose)
  return (
    <aside
      className="pane"
      data-region="pane"
      aria-label={props.title}
      {...(isSheet ? { role: 'dialog', 'aria-modal': true } : {})}
      onKeyDown={(event) => {
        if (!isSheet || event.key !== 'Escape' || event.defaultPrevented) return
        event.preventDefault()
        onClose()
      }}
    >
      {!isSheet && props.resizer}
      <header className="pane-h" {...drag}>
        <h2 ref={heading} tabIndex={-1}>
          {props.title}
        </h2>
        {props.subtitle}
        <span className="grow" />
        {props.actions}
        <IconButton label={props.closeLabel} onClick={onClose}>
          <X className="i" size={16} />
        </IconButton>
      </header>
      <div className="pane-b">{props.children}</div>
    </aside>
  )
}

/** A sheet is also closed by dragging its head down. */
function useDragDown(isOn: boolean, onEnd: () => void) {
  const start = useRef<number | null>(null)
  if (!isOn) return {}
  return {
    onPointerDown: (event: PointerEvent) => {
      start.current = event.pointerType === 'touch' ? event.clientY : null
    },
    onPointerUp: (event: PointerEvent) => {
      if (start.current !== null && event.clientY - start.current > 80) onEnd()
      start.current = null
    },
  }
}
