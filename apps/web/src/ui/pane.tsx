import { X } from 'lucide-react'
import { type PointerEvent, type ReactNode, useEffect, useRef } from 'react'
import { classNames } from './class-names.ts'
import { IconButton } from './icon-button.tsx'

/**
 * A pane beside the main column; with `isSheet`, a sheet over the whole page. When the user opens the pane, its heading
 * or the tab in front gets the focus. The component that shows it makes the content below a sheet inert, and restores
 * the focus afterwards.
 */
export function Pane(props: {
  title: string
  /** Replaces the title in the header; the title is then for screen readers only. */
  lead?: ReactNode
  actions?: ReactNode
  isSheet: boolean
  takesFocus: boolean
  closeLabel: string
  onClose: () => void
  resizer?: ReactNode
  /** The content manages its own height instead of scrolling as a whole. */
  isFilled?: boolean
  className?: string
  children: ReactNode
}) {
  const heading = useRef<HTMLHeadingElement>(null)
  const { isSheet, takesFocus, onClose } = props
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it opens
  useEffect(() => {
    if (!takesFocus) return
    const tab = heading.current?.parentElement?.querySelector<HTMLElement>('[role=tab][aria-selected=true]')
    const target = tab ?? heading.current
    target?.focus()
  }, [])
  const drag = useDragDown(isSheet, onClose)
  return (
    <aside
      className={classNames('pane', props.className)}
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
        <h2 ref={heading} tabIndex={-1} className={props.lead === undefined ? undefined : 'sr'}>
          {props.title}
        </h2>
        {props.lead}
        <span className="grow" />
        {props.actions}
        <IconButton label={props.closeLabel} onClick={onClose}>
          <X className="i" size={16} />
        </IconButton>
      </header>
      <div className={classNames('pane-b', props.isFilled && 'pane-b--fill')}>{props.children}</div>
    </aside>
  )
}

/** A sheet can also be closed by dragging its header down. */
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
