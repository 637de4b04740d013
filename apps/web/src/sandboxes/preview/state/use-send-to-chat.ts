import { useNavigate } from '@tanstack/react-router'
import { readDraft, writeDraft } from '../../../page/thread/state/draft.ts'
import { usePageThread } from '../../panes/state/page-thread.ts'
import { closePane } from '../../panes/state/pane-store.ts'

/**
 * Adds a text to the message that is being written in the thread of a preview, and goes there when another page is open; an
 * empty text only goes there. A sheet gives way to the message.
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
    // After the next paint: what lay under the sheet cannot take the focus before.
    requestAnimationFrame(() => page.append(text))
  }
}
