/** Where the bytes of an attachment are kept. */
export function attachmentKey(threadId: string, attachmentId: string): string {
  return `attachments/${threadId}/${attachmentId}`
}

/** Everything that is kept of a thread, by beginning of its keys: what goes when the thread goes. */
export function blobPrefixesOf(threadId: string): string[] {
  return [`attachments/${threadId}`, `results/${threadId}`, `outputs/${threadId}`]
}
