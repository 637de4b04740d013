import type { ReactNode } from 'react'
import { Button } from './button.tsx'

/** The footer of a dialog: Cancel, and beside it the button for the action. */
export function DialogActions(props: {
  cancelLabel: string
  onCancel: () => void
  /** Cancel has the focus when the dialog opens, because the action can’t be undone. */
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
