import { Toaster, toast } from 'sonner'

export type ToastOptions = {
  /** A toast with the same ID is replaced instead of added. */
  id?: string
  description?: string
  action?: { label: string; onClick: () => void }
  durationMs?: number
  onEnd?: () => void
}

function settingsOf(options: ToastOptions) {
  return {
    ...(options.id === undefined ? {} : { id: options.id }),
    ...(options.description === undefined ? {} : { description: options.description }),
    ...(options.action === undefined ? {} : { action: options.action }),
    ...(options.durationMs === undefined ? {} : { duration: options.durationMs }),
    ...(options.onEnd === undefined ? {} : { onAutoClose: options.onEnd, onDismiss: options.onEnd }),
  }
}

/** Shows that something happened, with up to one action. */
export function showToast(message: string, options: ToastOptions = {}): void {
  toast(message, settingsOf(options))
}

/** Shows an error. Screen readers announce it immediately. */
export function showErrorToast(message: string, options: ToastOptions = {}): void {
  toast.error(message, { duration: 8000, ...settingsOf(options) })
}

export function dismissToast(id: string): void {
  toast.dismiss(id)
}

/** The area in which toasts appear; once per page. */
export function ToastRegion(props: { label: string; closeLabel: string; theme: 'light' | 'dark' }) {
  return (
    <Toaster
      position="bottom-left"
      theme={props.theme}
      containerAriaLabel={props.label}
      closeButton
      toastOptions={{
        unstyled: true,
        closeButtonAriaLabel: props.closeLabel,
        classNames: {
          toast: 'toast',
          title: 'toast-title',
          description: 'toast-text',
          actionButton: 'btn btn--sm toast-action',
          closeButton: 'toast-close',
          error: 'toast--error',
        },
      }}
    />
  )
}
