import type { ReactNode } from 'react'
import { Button } from './button.tsx'

/** The foot of a dialog that does something: the way out, and beside it the button that does it. */
export function DialogActions(props: {
  cancelLabel: string
  onCancel: () => void
  /** The way out has the focus when the dialog opens, because what the dialog does cannot be taken back. */
  autoFocusCancel?: boolean
  children: ReactNode
}) {
  return (
    <>
      <span className="grow" />
      <Button size="md" onClick={props.onCancel} {...(props.autoFocusCancel === true ? { autoFocus: true } : {})}>
        {props.cancelLabel}
      </Button>
      {props.children}
    </>
  )
}
