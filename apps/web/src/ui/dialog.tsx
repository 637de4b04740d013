import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { IconButton } from './icon-button.tsx'
import { ScrollBox } from './scroll-box.tsx'
import { useFocusReturn } from './use-focus-return.ts'

/** A modal dialog: traps focus, closes on Esc and on a click outside, and restores the focus. */
export function Dialog(props: {
  isOpen: boolean
  onOpenChange: (isOpen: boolean) => void
  title: string
  description?: ReactNode
  closeLabel: string
  footer?: ReactNode
  className?: string
  /**
   * The accessible name of the content, for content that may be long and has nothing to focus: the keyboard can scroll
   * it then.
   */
  contentLabel?: string
  children?: ReactNode
}) {
  const returnFocus = useFocusReturn(props.isOpen)
  return (
    <Radix.Root open={props.isOpen} onOpenChange={props.onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="scrim">
          <Radix.Content
            className={classNames('dialog', props.className)}
            onOpenAutoFocus={focusContent}
            onCloseAutoFocus={returnFocus}
            {...(props.description === undefined ? { 'aria-describedby': undefined } : {})}
          >
            <header className="dh">
              <Radix.Title asChild>
                <h2>{props.title}</h2>
              </Radix.Title>
              {props.description !== undefined && (
                <Radix.Description asChild>
                  <p>{props.description}</p>
                </Radix.Description>
              )}
              <Radix.Close asChild>
                <IconButton label={props.closeLabel}>
                  <X className="i" size={16} />
                </IconButton>
              </Radix.Close>
            </header>
            {props.children !== undefined &&
              (props.contentLabel === undefined ? (
                <div className="db">{props.children}</div>
              ) : (
                <ScrollBox className="db" label={props.contentLabel}>
                  {props.children}
                </ScrollBox>
              ))}
            {props.footer !== undefined && <footer className="dfoot">{props.footer}</footer>}
          </Radix.Content>
        </Radix.Overlay>
      </Radix.Portal>
    </Radix.Root>
  )
}

/**
 * Focuses the element marked with `data-first-focus`, else the first control, but not the close button: its tooltip
 * would consume the first Esc.
 */
function focusContent(event: Event): void {
  if (!(event.currentTarget instanceof HTMLElement)) return
  event.preventDefault()
  const marked = event.currentTarget.querySelector<HTMLElement>('[data-first-focus]')
  const first =
    marked ?? event.currentTarget.querySelector<HTMLElement>('.db :is(input, textarea, button, summary), .dfoot button')
  const target = first ?? event.currentTarget
  target.focus()
}
