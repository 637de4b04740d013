/** The blob key of an attachment. */
export function attachmentKey(threadId: string, attachmentId: string): string {
  return `attachments/${threadId}/${attachmentId}`
}

/** The key prefixes of all blobs of a thread, which are deleted with the thread. */
export function blobPrefixesOf(threadId: string): string[] {
  return [`attachments/${threadId}`, `results/${threadId}`, `outputs/${threadId}`]
}
