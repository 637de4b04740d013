import { useClient } from '../../../page/client/client.ts'
import { useErrorToast } from '../../../page/parts/use-error-toast.ts'
import { useRefusal } from './use-refusal.ts'

/** Opens a page of the sandbox in a new tab with an address of its own. If that fails, the tab is closed. */
export function useOpenTab(threadId: string): (port: number, path: string) => void {
  const client = useClient()
  const showError = useErrorToast()
  const refusalOf = useRefusal()
  return (port, path) => {
    // Immediately: browsers block a tab that is opened later than the click as a pop-up.
    const tab = window.open('about:blank', '_blank')
    if (tab !== null) tab.opener = null
    client.previews.open(threadId, { port, path }).then(
      (preview) => {
        const refusal = refusalOf(preview)
        if (refusal === null && preview.url !== null && tab !== null) return tab.location.replace(preview.url)
        tab?.close()
        if (refusal !== null) showError(refusal)
      },
      (error: unknown) => {
        tab?.close()
        showError(error)
      },
    )
  }
}
