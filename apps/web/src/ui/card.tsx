import { ChevronDown, ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'

/** A card of the conversation: one line that opens to its content. The whole line opens it; its controls are on top. */
export function Card(props: {
  isOpen: boolean
  onToggle: () => void
  title: ReactNode
  meta: ReactNode
  actions?: ReactNode
  /** Shown below the line, whether the card is open or not. */
  footer?: ReactNode
  label: string
  children?: ReactNode
}) {
  const Chevron = props.isOpen ? ChevronDown : ChevronRight
  return (
    <section className="card" aria-label={props.label}>
      <div className="h-line">
        <button type="button" className="h" aria-expanded={props.isOpen} onClick={props.onToggle}>
          <Chevron className="i chev" size={14} aria-hidden="true" />
          {props.title}
        </button>
        {props.actions !== undefined && <div className="h-acts">{props.actions}</div>}
        <span className="meta num">{props.meta}</span>
      </div>
      {props.isOpen && props.children}
      {props.footer}
    </section>
  )
}
