/** The row that keeps the focus wherever it is rendered, until the user moves the focus. */
let wanted: string | null = null

/** Keeps the focus on a row that moves: it is rendered elsewhere, maybe more than once until the server responds. */
export function keepFocusOn(id: string): void {
  wanted = id
}

export function keepsFocus(id: string): boolean {
  return wanted === id
}

/** Attributes that mark an element as the row with this id. */
export function focusMark(id: string): { 'data-focus-id': string } {
  return { 'data-focus-id': id }
}

globalThis.document?.addEventListener('focusin', ({ target }) => {
  if (target instanceof HTMLElement && target.dataset.focusId !== wanted) wanted = null
})
globalThis.document?.addEventListener('pointerdown', () => {
  wanted = null
})
