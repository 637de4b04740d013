/** An unsaved text, and the version of the file that it began from. */
export type Edit = { text: string; original: string; version: string }

/** Unsaved texts outlive the view of their file: opening another file loses nothing. */
const edits = new Map<string, Edit>()

const keyOf = (threadId: string, path: string) => `${threadId} ${path}`

export function keptEdit(threadId: string, path: string): Edit | null {
  return edits.get(keyOf(threadId, path)) ?? null
}

export function keepEdit(threadId: string, path: string, edit: Edit | null): void {
  if (edit === null) edits.delete(keyOf(threadId, path))
  else edits.set(keyOf(threadId, path), edit)
}

/** A text field uses one kind of line ending; the file keeps its own. */
export function withLineEndsOf(text: string, original: string): string {
  const isWindows = original.includes('\r\n') && !/(^|[^\r])\n/.test(original)
  return isWindows ? text.replaceAll('\n', '\r\n') : text
}
