/** The row that has the focus wherever it is drawn, until the person puts the focus somewhere else. */
let wished: string | null = null

/** A row that moves is drawn anew elsewhere, maybe more than once while the server answers: it keeps the focus. */
export function keepFocusOn(id: string): void {
  wished = id
}

export function keepsFocus(id: string): boolean {
  return wished === id
}

/** What marks an element as the row with this id. */
export function focusMark(id: string): { 'data-focus-id': string } {
  return { 'data-focus-id': id }
}

globalThis.document?.addEventListener('focusin', ({ target }) => {
  if (target instanceof HTMLElement && target.dataset.focusId !== wished) wished = null
})
globalThis.document?.addEventListener('pointerdown', () => {
  wished = null
})
