import { useEffect, useState } from 'react'
import { useStable } from '../../../page/client/use-stable.ts'
import type { Upload } from '../../../page/thread/state/uploads-store.ts'

/**
 * Sends immediately, or when the uploads of the message finish. Doesn’t send after an upload failed, in another thread,
 * or after `cancel`.
 */
export function useSendAfterUploads(options: {
  threadId: string
  uploads: readonly Upload[]
  hasText: boolean
  onSend: () => void
}): { canSend: boolean; isWaiting: boolean; send: () => void; cancel: () => void } {
  const { threadId, uploads, hasText } = options
  const [waitingIn, setWaitingIn] = useState<string | null>(null)
  const isUploading = uploads.some(({ status }) => status === 'uploading')
  const hasFailed = uploads.some(({ status }) => status === 'failed')
  const canSend = !isUploading && (hasText || uploads.some(({ status }) => status === 'done'))
  const isWaiting = waitingIn === threadId && isUploading && !hasFailed
  const finish = useStable(() => {
    setWaitingIn(null)
    if (waitingIn === threadId && canSend && !hasFailed) options.onSend()
  })
  useEffect(() => {
    if (waitingIn !== null && !isWaiting) finish()
  }, [waitingIn, isWaiting, finish])
  return {
    canSend: canSend || isUploading,
    isWaiting,
    send: () => {
      if (canSend) options.onSend()
      else if (isUploading) setWaitingIn(threadId)
    },
    cancel: () => setWaitingIn(null),
  }
}
