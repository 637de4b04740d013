let wished: string | null = null

/** A row that moves is drawn anew elsewhere: the one with this id takes the focus when it appears. */
export function keepFocusOn(id: string): void {
  wished = id
}

/** True once, for the row that the focus is kept for. */
export function takeFocus(id: string): boolean {
  if (wished !== id) return false
  wished = null
  return true
}
