import { useNavigate } from '@tanstack/react-router'
import { readDraft, writeDraft } from '../../../page/thread/state/draft.ts'
import { usePageThread } from '../../panes/state/page-thread.ts'
import { closePane } from '../../panes/state/pane-store.ts'

/**
 * Appends a text to the draft in the thread of a preview, and opens the thread if another page is open. An empty text
 * only opens it. A sheet closes to show the draft.
 */
export function useSendToChat(threadId: string, isSheet: boolean): (text: string) => void {
  const page = usePageThread()
  const navigate = useNavigate()
  return (text) => {
    if (page?.threadId !== threadId) {
      const draft = readDraft(threadId).trimEnd()
      if (text !== '') writeDraft(threadId, draft === '' ? text : `${draft}\n\n${text}`)
      void navigate({ to: '/threads/$threadId', params: { threadId } })
      return
    }
    if (!isSheet) return page.append(text)
    closePane({ keepsFocus: true })
    // After the next paint: content below the sheet can’t take the focus before.
    requestAnimationFrame(() => page.append(text))
  }
}
